/* SPDX-License-Identifier: Apache-2.0 */
/* check.h declares it. IOMMU faults since boot */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/base/fs.h"
#include "core/base/text.h"
#include "doctor/check/check.h"
#include "lib/files.h"

/* A read returns one record, at most this long (kernel/printk, CONSOLE_EXT_LOG_MAX). */
#define RECORD_MAX 8192
#define RECORDS_MAX 200000
#define RECORDED_MAX (16 * 1024 * 1024)

struct faults {
	size_t n;
	size_t records;
	char last[512];
	char ours[512]; /* names the target's HCA or GPU */
};

/*
 *   DMAR: [DMA Write NO_PASID] Request device [3b:02.6] fault addr …
 *   mlx5_core 0000:3b:02.6: AMD-Vi: Event logged [IO_PAGE_FAULT domain=0x0012 …]
 *   AMD-Vi: Event logged [IO_PAGE_FAULT device=3b:02.6 domain=0x0012 …]
 *   arm-smmu-v3 arm-smmu-v3.0.auto: event 0x10 received:
 */
static bool is_fault(const char *text)
{
	if (strstr(text, "DMAR:"))
		return strstr(text, "fault addr") != NULL;
	if (strstr(text, "AMD-Vi"))
		return strstr(text, "IO_PAGE_FAULT") != NULL;
	return strstr(text, "arm-smmu") &&
	       (strstr(text, "event 0x10 received") || strstr(text, "Unhandled context fault"));
}

/* pci: "0000:3b:02.6"; the log omits a zero domain. */
static bool names_function(const char *text, const char *pci)
{
	return pci[0] && strstr(text, text_starts_with(pci, "0000:") ? pci + strlen("0000:") : pci);
}

static bool is_ours(const struct doctor *doctor, const char *text)
{
	const struct devices devices = doctor_devices(doctor);

	for (size_t i = 0; i < devices.n; i++) {
		if (names_function(text, devices.item[i].pci))
			return true;
	}
	for (size_t i = 0; i < doctor->gpus.n; i++) {
		if (names_function(text, doctor->gpus.item[i].pci))
			return true;
	}
	return false;
}

/* record: "6,1234,5678,-;text"; later lines describe devices */
static void store_record(const struct doctor *doctor, const char *record, struct faults *faults)
{
	const char *semicolon = strchr(record, ';');
	const char *text = semicolon ? semicolon + 1 : record;

	faults->records++;
	if (!is_fault(text))
		return;
	faults->n++;
	snprintf(faults->last, sizeof(faults->last), "%.*s", (int)strcspn(text, "\n"), text);
	if (is_ours(doctor, text))
		snprintf(faults->ours, sizeof(faults->ours), "%s", faults->last);
}

static int read_live(const struct doctor *doctor, struct faults *faults)
{
	cleanup_fd fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	char record[RECORD_MAX + 1];

	if (fd < 0)
		return -errno;
	for (int i = 0; i < RECORDS_MAX; i++) {
		ssize_t n = read(fd, record, RECORD_MAX);

		/* EPIPE: overwritten; EINVAL: too long. The next read skips it. */
		if (n < 0 && (errno == EINTR || errno == EPIPE || errno == EINVAL))
			continue;
		if (n < 0 && errno != EAGAIN)
			return -errno;
		if (n <= 0)
			return 0;
		record[n] = '\0';
		store_record(doctor, record, faults);
	}
	return 0;
}

static int read_recorded(const struct doctor *doctor, struct arena *arena, struct faults *faults)
{
	struct fs_text text;
	char *line;
	int status = tree_read(arena, doctor->node.root, "dev/kmsg", RECORDED_MAX, &text);

	if (status < 0)
		return status;
	while ((line = strsep(&text.bytes, "\n")) && line[0])
		store_record(doctor, line, faults);
	return 0;
}

int check_kernel_log(const struct doctor *doctor, struct findings *findings)
{
	struct faults faults = {0};
	int status = doctor->node.recorded ? read_recorded(doctor, findings->arena, &faults)
					   : read_live(doctor, &faults);

	if (status < 0)
		return findings_add(findings, "kernel_log", NULL, FINDING_UNCHECKED,
				    "Run as root: dmesg | grep -E 'DMAR|IO_PAGE_FAULT|arm-smmu'",
				    "/dev/kmsg: %s", strerror(-status));
	if (!faults.n)
		return findings_add(findings, "kernel_log", NULL, FINDING_OK, NULL,
				    "no IOMMU fault in %zu records (/dev/kmsg)", faults.records);
	return findings_add(findings, "kernel_log", NULL,
			    faults.ours[0] ? FINDING_FAIL : FINDING_WARN,
			    faults.ours[0] ? "Boot with iommu=pt (Arm: iommu.passthrough=1)"
					   : "Find out which device it is: lspci -s ADDRESS",
			    "%zu IOMMU fault%s since boot%s: %s (/dev/kmsg)", faults.n,
			    faults.n == 1 ? "" : "s",
			    faults.ours[0] ? "; the last one of an HCA or GPU"
					   : ", none of them of an HCA or GPU; the last one",
			    faults.ours[0] ? faults.ours : faults.last);
}

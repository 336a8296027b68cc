/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/verbs/transfer.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void verbs_setup_say(const struct verbs_setup *setup, const char *format, ...)
{
	char line[160];
	va_list args;

	if (!setup->options->progress)
		return;
	va_start(args, format);
	(void)vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	setup->options->progress(setup->options->context, line);
}

const char *verbs_setup_register_remedy(const struct verbs_setup *setup, int errnum)
{
	if (setup->options->exec && (errnum == ENOMEM || errnum == EPERM))
		return "process 1 has a higher RLIMIT_MEMLOCK: an exec gets the engine's. Start it "
		       "as the main process, or use the runtime shim (runtimeClassName: rdma) or "
		       "the NRI plugin";
	return trouble_register_remedy(errnum);
}

const char *verbs_setup_remedy(const struct verbs_setup *setup, const struct trouble *trouble)
{
	const char *general = trouble_remedy(trouble);

	return general == trouble_register_remedy(ENOMEM)
		       ? verbs_setup_register_remedy(setup, ENOMEM)
		       : general;
}

int verbs_setup_open(struct findings *findings, const struct verbs_options *options,
		     struct verbs *verbs, struct verbs_devices *devices)
{
	struct err reason;
	int error;

	if (verbs_load(verbs, &reason) < 0)
		return findings_add(findings, "verbs_library", NULL, FINDING_UNCHECKED,
				    "install libibverbs (Debian: libibverbs1 ibverbs-providers; "
				    "RHEL: libibverbs)",
				    "%s", reason.text);
	if (verbs_devices_open(verbs, findings->arena, options->device, devices, &error) == 0)
		return 1;
	if (!error)
		return -1;
	return findings_add(findings, "verbs_library", NULL, FINDING_UNCHECKED,
			    "load ib_uverbs and the HCA's driver on the node",
			    "libibverbs.so.1 is here, but ibv_get_device_list fails: %s",
			    strerror(error));
}

/* ---- amounts ---- */

static const struct unit {
	const char *name;
	unsigned shift;
} units[] = {{"TiB", 40}, {"GiB", 30}, {"MiB", 20}, {"KiB", 10}};

const char *amount_text(uint64_t bytes, char text[AMOUNT_SIZE])
{
	uint64_t rest = bytes;
	size_t len = 0;

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (rest >> units[i].shift == 0)
			continue;
		len += (size_t)snprintf(
			text + len, AMOUNT_SIZE - len, "%s%llu %s", len ? " + " : "",
			(unsigned long long)(rest >> units[i].shift), units[i].name);
		rest &= (1ULL << units[i].shift) - 1;
	}
	if (rest || !len)
		(void)snprintf(text + len, AMOUNT_SIZE - len, "%s%llu byte%s", len ? " + " : "",
			       (unsigned long long)rest, rest == 1 ? "" : "s");
	return text;
}

const char *amount_limit(rlim_t limit, char text[AMOUNT_SIZE])
{
	if (limit != RLIM_INFINITY)
		return amount_text(limit, text);
	(void)snprintf(text, AMOUNT_SIZE, "unlimited");
	return text;
}

const char *amount_rate(double bytes_per_second, char text[AMOUNT_SIZE])
{
	(void)snprintf(text, AMOUNT_SIZE, "%.3g GB/s (%.3g Gb/s)", bytes_per_second / 1e9,
		       bytes_per_second * 8 / 1e9);
	return text;
}

const char *amount_time(uint64_t ns, char text[AMOUNT_SIZE])
{
	(void)snprintf(text, AMOUNT_SIZE, "%.2f us", (double)ns / 1e3);
	return text;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether the kernel has what hook, shim, NRI plugin and this program cannot do without: without
 * openat2(2) no path of a container's or a node's can be opened safely.
 */
#include <errno.h>
#include <string.h>
#include <sys/utsname.h>

#include "core/base/err.h"
#include "core/base/fs.h"
#include "doctor/check/check.h"
#include "explain/files.h"

static int add_missing(const struct doctor *doctor, struct findings *findings)
{
	struct utsname name = {.release = "?"};

	(void)uname(&name);
	return findings_add(
		findings, "kernel", NULL, FINDING_FAIL,
		"Use Linux 5.6 or later, and in a container an engine whose seccomp profile allows "
		"openat2. Then run the doctor again: it has checked nothing else",
		"openat2(2) fails: %s (Linux %s); oci-rdma-hook does not work without it",
		doctor->no_openat2 == ENOSYS ? kernel_lacks_openat2()
					     : strerror(doctor->no_openat2),
		name.release);
}

int check_kernel(const struct doctor *doctor, struct findings *findings)
{
	char release[96];

	if (doctor->no_openat2)
		return add_missing(doctor, findings);
	if (tree_read_line(doctor->node.root, "proc/sys/kernel/osrelease", release,
			   sizeof(release)) <= 0)
		return 0;
	return findings_add(findings, "kernel", NULL, FINDING_OK, NULL,
			    "Linux %s has what oci-rdma-hook needs: openat2(2)%s", release,
			    doctor->node.recorded ? " (not tried: recorded)" : ", tried");
}

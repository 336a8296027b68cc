/* SPDX-License-Identifier: Apache-2.0 */
/* SELinux: whether it enforces, and whom (doc/selinux.md) */
#include <stdio.h>

#include "core/base/fs.h"
#include "doctor/check/check.h"

#define LABEL_MAX 256

static int add_mode(const struct doctor *doctor, struct findings *findings, char enforce)
{
	char label[LABEL_MAX];

	if (doctor->target.proc < 0 ||
	    tree_read_line(doctor->target.proc, "attr/current", label, sizeof(label)) <= 0)
		(void)snprintf(label, sizeof(label), "not known");
	return findings_add(findings, "selinux", NULL, FINDING_OK, NULL,
			    "%s (/sys/fs/selinux/enforce); label of %s: %s",
			    enforce == '1' ? "enforcing" : "permissive", doctor->target.name,
			    label);
}

int check_selinux(const struct doctor *doctor, struct findings *findings, struct err *err)
{
	char enforce[8];
	int status;

	if (tree_read_line(doctor->node.root, "sys/fs/selinux/enforce", enforce, sizeof(enforce)) >
	    0)
		status = add_mode(doctor, findings, enforce[0]);
	else if (doctor->location.container)
		status = findings_add(findings, "selinux", NULL, FINDING_UNCHECKED,
				      "Run on the node: getenforce; ausearch -m avc -ts recent",
				      "/sys/fs/selinux is not visible in a container");
	else if (!tree_exists(doctor->node.root, "sys/fs"))
		status = findings_add(findings, "selinux", NULL, FINDING_UNCHECKED,
				      "Run: getenforce; ausearch -m avc -ts recent", "no /sys/fs");
	else
		status = findings_add(findings, "selinux", NULL, FINDING_OK, NULL,
				      "not in use (no /sys/fs/selinux)");
	return status < 0 ? err_memory(err) : 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* SELinux: whether it enforces, whom, and whether engines may start our executable */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/xattr.h>

#include "core/base/cleanup.h"
#include "core/base/tree.h"
#include "doctor/check/check.h"

#define EXECUTABLE "usr/local/bin/oci-rdma-hook"
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

/* In a recorded tree the label stands in a file beside it: extended attributes of that name cannot
 * be set everywhere. */
static bool read_label(const struct doctor *doctor, char *label, size_t size)
{
	cleanup_fd fd = -1;
	char path[32];
	ssize_t n;

	if (doctor->node.recorded)
		return tree_read_line(doctor->node.root, EXECUTABLE ".selinux", label, size) > 0;
	fd = fs_open(doctor->node.root, EXECUTABLE, O_PATH, RESOLVE_IN_ROOT);
	if (fd < 0)
		return false;
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	n = getxattr(path, "security.selinux", label, size - 1);
	label[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* container_runtime_t may start anything but what has no proper label. */
static bool is_wrong(const char *label)
{
	return strstr(label, ":unlabeled_t") || strstr(label, ":default_t") ||
	       strstr(label, ":user_home_t") || strstr(label, ":user_tmp_t") ||
	       strstr(label, ":tmp_t");
}

static int add_executable(const struct doctor *doctor, struct findings *findings)
{
	char label[LABEL_MAX];

	if (doctor->location.container || !tree_exists(doctor->node.root, EXECUTABLE) ||
	    !read_label(doctor, label, sizeof(label)))
		return 0;
	return findings_add(findings, "selinux", "/" EXECUTABLE,
			    is_wrong(label) ? FINDING_WARN : FINDING_OK,
			    is_wrong(label) ? "restorecon -v /" EXECUTABLE : NULL,
			    "%s (security.selinux)", label);
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
				      "On the node: getenforce; ausearch -m avc -ts recent",
				      "/sys/fs/selinux is not shown to a container");
	else if (!tree_exists(doctor->node.root, "sys/fs"))
		status = findings_add(findings, "selinux", NULL, FINDING_UNCHECKED,
				      "getenforce; ausearch -m avc -ts recent", "no /sys/fs");
	else
		status = findings_add(findings, "selinux", NULL, FINDING_OK, NULL,
				      "not in use (no /sys/fs/selinux)");
	if (status < 0 || add_executable(doctor, findings) < 0)
		return err_memory(err);
	return 0;
}

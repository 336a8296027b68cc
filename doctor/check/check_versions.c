/* SPDX-License-Identifier: Apache-2.0 */
/* check.h declares it. Versions for bug reports, from files. Without openat2(2) no path is safe. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/xattr.h>

#include "core/base/fs.h"
#include "core/base/text.h"
#include "doctor/check/check.h"
#include "lib/files.h"

#define OS_RELEASE_MAX (64 * 1024)

int check_kernel(const struct doctor *doctor, struct findings *findings)
{
	struct utsname name = {.release = "?"};
	char release[96];

	(void)uname(&name);
	if (doctor->no_openat2)
		return findings_add(
			findings, "kernel", NULL, FINDING_FAIL,
			"Use Linux 5.6 or later, and in a container an engine whose seccomp "
			"profile allows openat2. Then run the doctor again: it has checked nothing "
			"else",
			"openat2(2) fails: %s (Linux %s); oci-rdma-hook does not work without it",
			doctor->no_openat2 == ENOSYS ? kernel_lacks_openat2()
						     : strerror(doctor->no_openat2),
			name.release);
	if (tree_read_line(doctor->node.root, "proc/sys/kernel/osrelease", release,
			   sizeof(release)) <= 0)
		return 0;
	return findings_add(findings, "kernel", NULL, FINDING_OK, NULL,
			    "Linux %s has what oci-rdma-hook needs: openat2(2)%s", release,
			    doctor->node.recorded ? " (not tried: recorded)" : ", tried");
}

int check_versions(const struct doctor *doctor, struct findings *findings)
{
	static const struct {
		const char *name;
		const char *path;
	} files[] = {
		{"Linux", "proc/sys/kernel/osrelease"},
		{"mlx5_core", "sys/module/mlx5_core/version"}, /* MLNX_OFED and DOCA */
		{"NVIDIA driver", "sys/module/nvidia/version"},
	};
	static const char name[] = "PRETTY_NAME=";
	int root = doctor->target.root >= 0 ? doctor->target.root : doctor->node.root;
	const char *text = "oci-rdma-doctor " VERSION;
	struct fs_text release = {0};
	char *line;

	for (size_t i = 0; text && i < sizeof(files) / sizeof(files[0]); i++) {
		char version[96];

		if (tree_read_line(doctor->node.root, files[i].path, version, sizeof(version)) > 0)
			text = arena_printf(findings->arena, "%s, %s %s", text, files[i].name,
					    version);
	}
	if (tree_read_stored(findings->arena, root, "etc/os-release", OS_RELEASE_MAX, &release) < 0)
		release.bytes = NULL;
	while (text && (line = strsep(&release.bytes, "\n"))) {
		if (!text_starts_with(line, name))
			continue;
		line += strlen(name);
		line += line[0] == '"';
		text = arena_printf(findings->arena, "%s, %.*s", text, (int)strcspn(line, "\""),
				    line);
		break;
	}
	return !text || findings_add(findings, "versions", NULL, FINDING_OK, NULL, "%s", text) < 0
		       ? -1
		       : 0;
}

#define LABEL_MAX 256

/* `make install`, MachineConfig and DaemonSet install here; packages label their file. */
static const char plugin[] = "usr/local/bin/oci-rdma-nri";

/* systemd (init_t) cannot start files moved from home or temporary directories (203/EXEC); engines
 * can (container_runtime_t is unconfined). */
static bool systemd_may_start(const char *label)
{
	static const char *const refused[] = {":unlabeled_t",  ":default_t",       ":user_home_t",
					      ":admin_home_t", ":user_tmp_t",      ":tmp_t",
					      ":var_t",        ":container_file_t"};

	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		if (strstr(label, refused[i]))
			return false;
	}
	return true;
}

/* Recorded trees keep the label in a file: file systems may lack such xattrs. */
static int add_plugin_label(const struct doctor *doctor, struct findings *findings)
{
	int root = doctor->node.root;
	cleanup_fd fd = fs_open(root, plugin, O_PATH, RESOLVE_IN_ROOT);
	char label[LABEL_MAX];
	char path[64];
	ssize_t n;
	bool may;

	if (doctor->location.container || fd < 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	n = doctor->node.recorded
		    ? tree_read_line(root, "usr/local/bin/oci-rdma-nri.selinux", label, LABEL_MAX)
		    : getxattr(path, "security.selinux", label, LABEL_MAX - 1);
	if (n <= 0)
		return 0;
	label[n] = '\0';
	may = systemd_may_start(label);
	return findings_add(
		findings, "selinux", "/usr/local/bin/oci-rdma-nri", may ? FINDING_OK : FINDING_WARN,
		may ? NULL : "systemd may not start it: restorecon -v /usr/local/bin/oci-rdma-nri",
		"%s (security.selinux)", label);
}

static int add_selinux(const struct doctor *doctor, struct findings *findings)
{
	char label[LABEL_MAX];
	char enforce[8];

	if (doctor->target.proc < 0 ||
	    tree_read_line(doctor->target.proc, "attr/current", label, sizeof(label)) <= 0)
		snprintf(label, sizeof(label), "not known");
	if (tree_read_line(doctor->node.root, "sys/fs/selinux/enforce", enforce, sizeof(enforce)) >
	    0)
		return findings_add(findings, "selinux", NULL, FINDING_OK, NULL,
				    "%s (/sys/fs/selinux/enforce); label of %s: %s",
				    enforce[0] == '1' ? "enforcing" : "permissive",
				    doctor->target.name, label);
	if (doctor->location.container)
		return findings_add(findings, "selinux", NULL, FINDING_UNCHECKED,
				    "Run on the node: getenforce; ausearch -m avc -ts recent",
				    "/sys/fs/selinux is not visible in a container");
	if (!tree_exists(doctor->node.root, "sys/fs"))
		return findings_add(findings, "selinux", NULL, FINDING_UNCHECKED,
				    "Run: getenforce; ausearch -m avc -ts recent", "no /sys/fs");
	return findings_add(findings, "selinux", NULL, FINDING_OK, NULL,
			    "not in use (no /sys/fs/selinux)");
}

int check_selinux(const struct doctor *doctor, struct findings *findings)
{
	return add_selinux(doctor, findings) < 0 ? -1 : add_plugin_label(doctor, findings);
}

int check_elsewhere(const struct doctor *doctor, struct findings *findings)
{
	(void)doctor;
	return findings_add(findings, "node_files", NULL, FINDING_UNCHECKED,
			    "Run on the node: oci-rdma-doctor --container ID",
			    "the hooks, CRI-O's configuration, oci-rdma-hook's policy and the "
			    "kernel log cannot be seen from a container");
}

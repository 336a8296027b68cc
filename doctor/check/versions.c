/* SPDX-License-Identifier: Apache-2.0 */
/* What a bug report has to say: from files only, nothing is started */
#include <stdlib.h>
#include <string.h>

#include "core/base/fs.h"
#include "core/base/text.h"
#include "doctor/check/check.h"

#define OS_RELEASE_MAX (64 * 1024)

static const char *read_os(const struct doctor *doctor, struct arena *arena)
{
	static const char name[] = "PRETTY_NAME=";
	int root = doctor->target.root >= 0 ? doctor->target.root : doctor->node.root;
	struct fs_text text;
	char *line;

	if (tree_read_stored(arena, root, "etc/os-release", OS_RELEASE_MAX, &text) < 0)
		return NULL;
	while ((line = text_next_line(&text.bytes))) {
		if (!text_starts_with(line, name))
			continue;
		line += strlen(name);
		line += line[0] == '"';
		line[strcspn(line, "\"")] = '\0';
		return line;
	}
	return NULL;
}

int check_versions(const struct doctor *doctor, struct findings *findings, struct err *err)
{
	static const struct {
		const char *name;
		const char *path;
	} files[] = {
		{"Linux", "proc/sys/kernel/osrelease"},
		{"mlx5_core", "sys/module/mlx5_core/version"}, /* of MLNX_OFED and DOCA only */
		{"NVIDIA driver", "sys/module/nvidia/version"},
	};
	const char *text = "oci-rdma-doctor " VERSION;
	const char *system = read_os(doctor, findings->arena);

	for (size_t i = 0; text && i < sizeof(files) / sizeof(files[0]); i++) {
		char line[96];

		if (tree_read_line(doctor->node.root, files[i].path, line, sizeof(line)) > 0)
			text = arena_printf(findings->arena, "%s, %s %s", text, files[i].name,
					    line);
	}
	if (text && system)
		text = arena_printf(findings->arena, "%s, %s", text, system);
	if (!text || findings_add(findings, "versions", NULL, FINDING_OK, NULL, "%s", text) < 0)
		return err_memory(err);
	return 0;
}

int check_elsewhere(const struct doctor *doctor, struct findings *findings, struct err *err)
{
	(void)doctor;
	if (findings_add(findings, "node_files", NULL, FINDING_UNCHECKED,
			 "Run on the node: oci-rdma-doctor --container ID",
			 "the hooks, CRI-O's configuration, oci-rdma-hook's policy and the kernel "
			 "log cannot be seen from a container") < 0)
		return err_memory(err);
	return 0;
}

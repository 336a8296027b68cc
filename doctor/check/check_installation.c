/* SPDX-License-Identifier: Apache-2.0 */
/* check.h declares them. What the node has installed; the policy of an NRI plugin's container */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>

#include "admin/installation/judge.h"
#include "core/base/fs.h"
#include "core/policy/policy.h"
#include "doctor/check/check.h"
#include "lib/files.h"
#include "lib/nri_status.h"

static int open_plugin(const struct doctor *doctor)
{
	const struct node *node = &doctor->node;
	cleanup_arena arena = {0};
	struct nri_status status;
	struct err ignored;
	char path[64];
	cleanup_fd root = -1;

	if (doctor->options.common.config ||
	    nri_status_find(&arena, node->root, node->recorded, &status, &ignored) < 0 ||
	    status.state < NRI_UNCONNECTED)
		return -1;
	snprintf(path, sizeof(path), "proc/%" PRId64 "/root", status.pid);
	/* A magic link, in recorded trees a directory */
	root = openat(node->root, path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return root < 0 || fs_same_file(root, node->root) ? -1 : steal_fd(&root);
}

int check_policy(const struct doctor *doctor, struct findings *findings)
{
	cleanup_fd plugin = open_plugin(doctor);
	struct config config;
	struct err why;

	if (plugin >= 0 && !tree_exists(doctor->node.root, CONFIG_PATH)) {
		static const char name[] = "the NRI plugin's";

		if (config_load(findings->arena, plugin, NULL, &config, &why) < 0)
			return findings_add(findings, "policy", name, FINDING_FAIL,
					    "Correct the ConfigMap of its DaemonSet", "%s",
					    why.text);
		return findings_add(findings, "policy", name, FINDING_OK, NULL,
				    "valid, opt in by %s (%s in its container: a ConfigMap's)",
				    config.opt_in == OPT_IN_DEVICE ? "device" : "annotation",
				    config.path);
	}
	return judge_policy(doctor->node.root, doctor->options.common.config, findings);
}

int check_engine_files(const struct doctor *doctor, struct findings *findings)
{
	return judge_engines(doctor->node.root, doctor->node.recorded,
			     doctor->options.common.config, findings);
}

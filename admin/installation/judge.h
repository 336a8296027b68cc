/* SPDX-License-Identifier: Apache-2.0 */
/* The one judge of a node's installation, for --check-config and the doctor. What works is ok; a
 * fail is what an engine, a container that asks, or the shim cannot work with. Each returns 0, or
 * -1 with findings->err. root: the node. config: the policy's path, or NULL for the node's own. */
#pragma once

#include <stdbool.h>

#include "lib/finding.h"

/* The policy and the shim's list of runtimes: "policy" */
int judge_policy(int root, const char *config, struct findings *findings);

/* CRI-O, containerd, Docker, hooks.d: "crio_config", "crio_ulimits", "crio_handler",
 * "containerd_config", "containerd_handler", "docker_config", "docker_runtime", "hook_file",
 * "hook_installed". recorded: root is not "/". */
int judge_engines(int root, bool recorded, const char *config, struct findings *findings);

/* SPDX-License-Identifier: Apache-2.0 */
/* Judges a node's installation, for --check-config and the doctor. A fail: an engine, a container
 * that asks, or the shim cannot work. config: NULL for the node's own */
#pragma once

#include <stdbool.h>

#include "lib/finding.h"

/* The policy and the shim's list of runtimes: "policy" */
int judge_policy(int root, const char *config, struct findings *findings);

/* Adds "crio_config", "crio_ulimits", "crio_handler", "containerd_config", "containerd_handler",
 * "docker_config", "docker_runtime", "hook_file", "hook_installed". recorded: root is not "/". */
int judge_engines(int root, bool recorded, const char *config, struct findings *findings);

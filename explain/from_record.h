/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdbool.h>

#include "core/container/container.h"

/* containerd's CRI omits pod annotations from config.json unless the handler's pod_annotations name
 * them; the record has them. */

/* config: its path. recorded: sysroot (a descriptor) is not "/". */
struct recall {
	int sysroot;
	bool recorded;
	const char *config;
	const char *id; /* in full */
};

/* Call before container_explain(). Sets container->record and adds its annotations; without a
 * record, container->doubt if unknown whether the pod asks. */
int apply_record(struct container *container, const struct recall *what, struct err *err);

/* Call after container_explain(). A recorded decision replaces this node's: a DaemonSet's plugin
 * has its own policy. */
void apply_recorded_decision(struct container *container);

/* SPDX-License-Identifier: Apache-2.0 */
/* What config.json does not have: the record that an entry point has left */
#pragma once

#include <stdbool.h>

#include "core/container/container.h"

/*
 * What is known of a container that config.json does not have. containerd's CRI does not write a
 * pod's annotations into config.json, unless the handler's pod_annotations name them; so it does
 * not show whether the pod asks. The record that an entry point has left shows that.
 */

/* config: path of the config.json. sysroot: a descriptor; recorded: it is not "/". */
struct recall {
	int sysroot;
	bool recorded;
	const char *config;
	const char *id; /* the container's, in full */
};

/*
 * Between reading the spec and explaining the container: reads its record into container->record,
 * and adds the annotations that this has. Without one it sets container->doubt if it cannot be
 * known whether the pod asks. Returns 0 or -1.
 */
int apply_record(struct container *container, const struct recall *what, struct err *err);

/*
 * After explaining it: what an entry point decided holds, not what this node's policy would decide
 * now, since the plugin of a DaemonSet has a policy of its own.
 */
void apply_recorded_decision(struct container *container);

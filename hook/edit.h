/* SPDX-License-Identifier: Apache-2.0 */
/* A grant in config.json, before the runtime reads it: for precreate and the shim */
#pragma once

#include "core/container/container.h"
#include "core/report/outcome.h"

/*
 * Makes the plan of a container that was found, and edits its config.json before the runtime reads
 * it. container->lacking is set. *ret_edited: container->text itself if nothing is to be added.
 * Returns as container_plan(); outcome says what was given.
 */
int edit_config_json(struct container *container, struct outcome *outcome,
		     struct fs_text *ret_edited);

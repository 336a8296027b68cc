/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "core/container/container.h"
#include "core/report/outcome.h"

/* Plans for a found container with lacking set, and edits its config.json before the runtime reads
 * it. *ret_edited: container->text if unchanged. Returns as container_plan(). */
int edit_config_json(struct container *container, struct outcome *outcome,
		     struct fs_text *ret_edited);

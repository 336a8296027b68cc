/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdbool.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/spec/spec.h"
#include "nri/message/nri.pb-c.h"
#include "nri/wire/field.h"

/* By linux.devices and its rules only; true if unreadable */
bool message_may_have_device(struct arena *arena, const struct message *container);

/* Like config.json's, without what NRI lacks (capabilities, seccomp, user namespace). Borrows
 * texts. pod may be NULL */
int message_spec(struct arena *arena, const Nri__PodSandbox *pod, const Nri__Container *container,
		 struct spec *ret_spec, struct err *err);

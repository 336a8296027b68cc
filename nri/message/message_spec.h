/* SPDX-License-Identifier: Apache-2.0 */
/* A container's message as its config.json would be read */
#pragma once

#include <stdbool.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/spec/spec.h"
#include "nri/message/nri.pb-c.h"
#include "nri/wire/field.h"

/* Whether it may have a device that counts, by linux.devices and its rules alone. True also if it
 * cannot be read. */
bool message_may_have_device(struct arena *arena, const struct message *container);

/*
 * A container as its config.json would be read: what NRI has no field for (capabilities, seccomp,
 * user namespace) is as if config.json said nothing of it. pod NULL: not known. The texts stay
 * where they are. Returns 0, or -1 with the reason.
 */
int message_spec(struct arena *arena, const Nri__PodSandbox *pod, const Nri__Container *container,
		 struct spec *ret_spec, struct err *err);

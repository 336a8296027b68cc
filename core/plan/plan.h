/* SPDX-License-Identifier: Apache-2.0 */
/* What a container gets and why; no I/O */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/base/fs.h"
#include "core/node/pci.h"
#include "core/plan/planning.h"
#include "core/policy/policy.h"
#include "core/spec/spec.h"

/*
 * Decides by the number of devices, unread. The first row that holds:
 *
 *   sandbox, inject "false", not asked, or asked for other containers    none
 *   no device; on_no_device "ignore", or only opt_in "device" asks       none
 *   namespace not admitted                                               denied (on_denied*)
 *   no device; on_no_device "tcp"                                        tcp
 *   no device; on_no_device "fail"                                       denied, fails
 *   no memory limit where one is required                                denied (on_denied*)
 *   more than the engine can give; on_error "fail"                       denied, fails
 *   else                                                                 grant
 *   * fails only if the container itself asks and has a device
 */
int plan_decide(const struct planning *p, struct err *err);

/* Completes a plan that gives something. Both fail only without memory. */
int plan_fill(const struct planning *p, struct err *err);

extern const char *const decision_names[];

bool plan_gives(const struct plan *plan);

/* Lines for /etc/nccl.conf; also values of the environment, which `env -i` and sessions of sshd or
 * sudo lack */
const char *plan_nccl_lines(struct arena *arena, const struct plan *plan);

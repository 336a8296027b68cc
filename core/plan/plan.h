/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a container gets, and why. A pure function of what was read: no I/O here, so that tables can
 * test it.
 */
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
 * Decision, reason, limit and capabilities: they need the number of devices, nothing else about
 * them. The first row that holds:
 *
 *   the container                                    decision  must it fail?
 *   is a sandbox, refuses, does not ask, or asks     none      no
 *     for others of its pod
 *   has no device; on_no_device is "ignore", or      none      no
 *     only opt_in "device" asks
 *   is in a namespace that is not admitted           denied    if on_denied says so, and it asks by
 *                                                              itself and has a device
 *   has no device; on_no_device is "tcp"             tcp       no
 *   has no device; on_no_device is "fail"            denied    yes
 *   lacks the memory limit that is required          denied    as its namespace
 *   is to have more than the engine can give, and    denied    yes
 *     on_error is "fail"
 *   else                                             grant     no
 */
int plan_decide(const struct planning *p, struct err *err);

/* Completes a plan that gives something and was decided from the same facts, and adds its warnings;
 * all of it lives in the arena. Both return 0, or -1 without memory. */
int plan_fill(const struct planning *p, struct err *err);

/* "grant", "tcp", "none", "denied" */
extern const char *const decision_names[];

/* The decision is "grant" or "tcp". */
bool plan_gives(const struct plan *plan);

/* Lines NAME=value for /etc/nccl.conf, in the arena, with our values that the environment has too:
 * a session of sshd, sudo or `env -i` lacks them. "": none; NULL without memory */
const char *plan_nccl_lines(struct arena *arena, const struct plan *plan);

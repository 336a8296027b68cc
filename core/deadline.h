/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Our own bound, below the 10 s that our hooks.d files allow: who is killed by the engine cannot
 * say why. What stalls is /sys, a disk, or the journal of a node that is not well.
 */
#ifndef OCI_RDMA_DEADLINE_H
#define OCI_RDMA_DEADLINE_H

#include <stdbool.h>

#define DEADLINE_SECONDS 5

/* on_time_up: called in a signal handler, where only async-signal-safe functions may be; does not
 * return. */
void deadline_arm(void (*on_time_up)(void));
void deadline_disarm(void);

/* From now on the container must fail rather than start unserved (on_error "fail", or refused as
 * on_no_device says): exit status 1. */
void deadline_must_fail(bool fail);

/* Whoever bounds this process from outside (the NRI plugin its child) hears of that, too. */
void deadline_tell(void (*told)(bool fail));

#endif

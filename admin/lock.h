/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* --lock: flock(1) for install/kubernetes/node-install, whose busybox lacks it: waits for an
 * exclusive flock(2) on the caller's open file, held until closed. Returns the exit status. */
int lock_descriptor(const char *descriptor);

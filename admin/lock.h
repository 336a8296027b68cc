/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* --lock: flock(1) for install/kubernetes/node-install, whose busybox lacks it: waits for an
 * exclusive lock of the caller's open file, held until it is closed (flock(2)). Returns the exit
 * status. */
int lock_descriptor(const char *descriptor);

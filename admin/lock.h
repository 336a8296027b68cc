/* SPDX-License-Identifier: Apache-2.0 */
/* Prints on stdout, or on stderr why not, and returns the exit status. */
#pragma once

/*
 * --lock: flock(1), for install/kubernetes/node-install, whose image's busybox lacks it: takes the
 * exclusive lock of the caller's open file, and waits for it. It holds until the caller closes that
 * file or ends (flock(2)).
 */
int lock_descriptor(const char *descriptor);

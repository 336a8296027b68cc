/* SPDX-License-Identifier: Apache-2.0 */
/* Whose rights this process has */
#pragma once

#include <stdbool.h>

/*
 * True if this process has no more rights on the node than its user: it is not root, or is root
 * only in a user namespace. Such an engine can give nothing that its user lacks. This is about the
 * engine: a container may have a user namespace under an engine that is root. False if it cannot be
 * determined.
 */
bool rootless(void);

/* By its number in /proc; false if that cannot be read */
bool fs_in_first_user_namespace(void);

/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdbool.h>

/* Whether the engine (not the container) has no more rights than our user: not root, or only in a
 * user namespace. False if unknown. */
bool rootless(void);

/* False if /proc is unreadable */
bool fs_in_first_user_namespace(void);

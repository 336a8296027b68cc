/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdbool.h>

/* The engine, not the container, is not root, or only in a user namespace. False if unknown */
bool rootless(void);

/* False if /proc is unreadable */
bool fs_in_first_user_namespace(void);

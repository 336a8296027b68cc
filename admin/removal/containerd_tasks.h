/* SPDX-License-Identifier: Apache-2.0 */
/* Containers of containerd and Docker that need the shim */
#pragma once

#include "admin/removal/needs.h"

/* Containers that run through the shim below containerd, Docker's too, and the handlers with the
 * shim in containerd's configuration */
void find_containerd_users(struct needs *needs);

/* Docker's runtimes, and its containers that do not run. Call it after those that do. */
void find_docker_users(struct needs *needs);

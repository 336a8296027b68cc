/* SPDX-License-Identifier: Apache-2.0 */
/* Containers of containerd and Docker that need the shim */
#pragma once

#include "admin/removal/needs.h"

/* Running containers of containerd and Docker, and containerd's handlers */
void find_containerd_users(struct needs *needs);

/* Docker's runtimes and stopped containers; call it after find_containerd_users(). */
void find_docker_users(struct needs *needs);

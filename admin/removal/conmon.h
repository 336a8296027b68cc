/* SPDX-License-Identifier: Apache-2.0 */
/* Containers of CRI-O and podman that need the shim */
#pragma once

#include "admin/removal/needs.h"

/* Containers below a conmon of podman or CRI-O */
void find_conmon_users(struct needs *needs);

/* CRI-O's pods with a shim handler, running or not */
void find_pod_users(struct needs *needs);

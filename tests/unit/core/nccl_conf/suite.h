/* SPDX-License-Identifier: Apache-2.0 */
/* /etc/nccl.conf below a root that others own */
#pragma once

#include "tests/unit/unit.h"

#include "core/nccl_conf.h"

#define CONF "etc/nccl.conf"
#define LINES "NCCL_IB_HCA==mlx5_6,mlx5_7\nNCCL_SOCKET_IFNAME==eth0\n"
#define OTHER_LINES "NCCL_IB_HCA==mlx5_10\n"

/* Beside the root, target of the image's links: must not change */
struct victim {
	struct unit_dir dir;
	struct stat before;
};

#define cleanup_victim __attribute__((cleanup(victim_remove))) struct victim

/* Removes our block. */
int clear_conf(int root, struct err *err);

/* Writes as the current user; the alarm kills a FIFO that blocks. */
int write_conf(int root, const char *lines, bool *ret_changed, struct err *err);
void must_change(int root, const char *lines);
void must_not_change(int root, const char *lines);
void must_fail(int root, const char *reason);

/* The file has the image's lines, then these. */
void check_reading(const char *text, const char *image, const char *lines);
struct victim victim_make(void);
void victim_remove(struct victim *victim);
void must_be_untouched(struct victim *victim);

/* '%' in targets: the victim's directory */
const char *target_of(struct arena *arena, const char *target, const struct victim *victim);

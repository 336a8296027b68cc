/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of core/nccl_conf.h share: /etc/nccl.conf below a root that belongs to
 * somebody else */
#pragma once

#include "tests/unit/unit.h"

#include "core/nccl_conf.h"

#define CONF "etc/nccl.conf"
#define LINES "NCCL_IB_HCA==mlx5_6,mlx5_7\nNCCL_SOCKET_IFNAME==eth0\n"
#define OTHER_LINES "NCCL_IB_HCA==mlx5_10\n"

/* A directory beside the root, where links of the image lead: nothing in it may change. */
struct victim {
	struct unit_dir dir;
	struct stat before;
};

#define cleanup_victim __attribute__((cleanup(victim_remove))) struct victim

/* Takes our block away. */
int clear_conf(int root, struct err *err);

/* Writes as the one who runs this. A FIFO that blocks is killed by the alarm. */
int write_conf(int root, const char *lines, bool *ret_changed, struct err *err);
void must_change(int root, const char *lines);
void must_not_change(int root, const char *lines);
void must_fail(int root, const char *reason);

/* The file says what the image said, and then what these lines say. */
void check_reading(const char *text, const char *image, const char *lines);
struct victim victim_make(void);
void victim_remove(struct victim *victim);
void must_be_untouched(struct victim *victim);

/* In the targets '%' stands for the victim's directory. */
const char *target_of(struct arena *arena, const char *target, const struct victim *victim);

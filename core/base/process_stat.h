/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OCI_RDMA_PROCESS_STAT_H
#define OCI_RDMA_PROCESS_STAT_H

#include <stdint.h>

/* Fields of /proc/PID/stat (proc(5)) */
#define PROCESS_STAT_PARENT 4
#define PROCESS_STAT_START 22 /* in clock ticks since the machine's start */

/*
 * line: the file's. 0 if it is cut off before that field. The field is behind the process' name,
 * which stands in parentheses, and may itself hold anything.
 */
uint64_t process_stat_field(const char *line, int field);

/* The same of the file itself: path below the descriptor dir. 0 if it cannot be read. */
uint64_t process_stat_read(int dir, const char *path, int field);

#endif

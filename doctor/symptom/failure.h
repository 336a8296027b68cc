/* SPDX-License-Identifier: Apache-2.0 */
/* "error" in a counter's name (ethtool, nvidia-smi), a path or an option, or with the value 0 */
#pragma once

#include <stdbool.h>

/* word: "error", "failed", … (match.c); line: in lower case */
bool failure_reported(const char *line, const char *word);

/* glog's level I or W, or the kernel about other devices than RDMA's */
bool failure_elsewhere(const char *line);

/* Python's last line: "keyerror: 'input_ids'". False without text. */
bool failure_is_exception(const char *line);

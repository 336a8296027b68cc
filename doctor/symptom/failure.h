/* SPDX-License-Identifier: Apache-2.0 */
/* No failure: "error" in counters (ethtool, nvidia-smi), paths, options, or with value 0 */
#pragma once

#include <stdbool.h>

/* word: "error", "failed", … (match.c); line: lower case */
bool failure_reported(const char *line, const char *word);

/* glog's level I or W, or the kernel about non-RDMA devices */
bool failure_elsewhere(const char *line);

/* Python's last line: "keyerror: 'input_ids'". False without text. */
bool failure_is_exception(const char *line);

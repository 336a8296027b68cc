/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a line reports a failure, or only has such a word in a name or as a label: counters of
 * ethtool and nvidia-smi, paths, options, fields whose value is 0 */
#pragma once

#include <stdbool.h>

/* word: "error", "failed", …, as match.c has them; line: in lower case */
bool failure_reported(const char *line, const char *word);

/* A line of glog's level I or W, or of the kernel about other devices than RDMA's */
bool failure_elsewhere(const char *line);

/* "keyerror: 'input_ids'", "torch.outofmemoryerror: …": how Python prints what ends a program.
 * False for what has no text. */
bool failure_is_exception(const char *line);

/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "core/options.h"

enum dry_run_format {
	FORMAT_TEXT,
	FORMAT_JSON,
	FORMAT_SPEC, /* edited config.json */
	FORMAT_NCCL, /* lines of /etc/nccl.conf */
};

/* --dry-run: changes nothing. bundle: a directory, else a container id or unique prefix. Returns
 * the exit status: 0 with any plan; 1, with a line on stderr, without usable bundle or config. */
int dry_run(const struct options *options, enum dry_run_format format, const char *bundle);

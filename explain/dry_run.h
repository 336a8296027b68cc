/* SPDX-License-Identifier: Apache-2.0 */
/* --dry-run: what would be done for a container, shown and not done. */
#pragma once

#include "core/options.h"

enum dry_run_format {
	FORMAT_TEXT,
	FORMAT_JSON,
	FORMAT_SPEC, /* the edited config.json */
	FORMAT_NCCL, /* the lines of /etc/nccl.conf */
};

/*
 * Prints what would be done for <bundle>/config.json, and changes nothing. If there is no such
 * directory, bundle is a container's id, or the beginning of one. Returns the exit status:
 * 0 with a plan, whatever it decides; 1 if the bundle or the config is unusable, with one line on
 * stderr.
 */
int dry_run(const struct options *options, enum dry_run_format format, const char *bundle);

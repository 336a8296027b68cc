/* SPDX-License-Identifier: Apache-2.0 */

#include "nri/nri_confinement.h"

#include <linux/capability.h>

static const struct sock_filter instructions[] = {
#include "confine/nri.inc"
};

static const struct sock_filter scrape_instructions[] = {
#include "confine/scrape.inc"

#include "core/confine/confine.h"
};

/*
 * SYS_RESOURCE: to raise the limit of a container that was missed ("on_missed": "mend"). Unit and
 * DaemonSet do not give it; who wants it adds it.
 * The runtime's socket is root's, as the plugin is; limits and variables of a new container are the
 * runtime's to set.
 */
const struct confinement nri_confinement = {
	.capabilities = CONFINE_CAPABILITY(CAP_SYS_RESOURCE),
	.instructions = instructions,
	.n_instructions = sizeof(instructions) / sizeof(instructions[0]),
};

/* It opens one file, which everybody may read. */
const struct confinement scrape_confinement = {
	.instructions = scrape_instructions,
	.n_instructions = sizeof(scrape_instructions) / sizeof(scrape_instructions[0]),
};

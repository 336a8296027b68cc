/* SPDX-License-Identifier: Apache-2.0 */

#include "nri/nri_confinement.h"

#include <linux/capability.h>

#include "core/confine/confine.h"

static const struct sock_filter instructions[] = {
#include "confine/nri.inc"
};

static const struct sock_filter scrape_instructions[] = {
#include "confine/scrape.inc"
};

/* For "on_missed": "mend"; unit and DaemonSet leave it to the administrator. Else we only need root
 * for the runtime's socket: the runtime sets new containers' limits. */
const struct confinement nri_confinement = {
	.capabilities = CONFINE_CAPABILITY(CAP_SYS_RESOURCE),
	.instructions = instructions,
	.n_instructions = sizeof(instructions) / sizeof(instructions[0]),
};

/* Opens one world-readable file */
const struct confinement scrape_confinement = {
	.instructions = scrape_instructions,
	.n_instructions = sizeof(scrape_instructions) / sizeof(scrape_instructions[0]),
};

/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of one trial of the verbs devices share, for those that find something. */
#ifndef OCI_RDMA_VERBS_SETUP_H
#define OCI_RDMA_VERBS_SETUP_H

#include "doctor/verbs/device.h"
#include "doctor/verbs/options.h"
#include "doctor/verbs/trouble.h"

struct verbs_setup {
	const struct verbs *verbs;
	const struct verbs_options *options;
	struct findings *findings;
	struct verbs_devices *devices;
	size_t bytes; /* of a message: what fits below the memlock limit */
};

/*
 * Loads the library and opens the devices. Returns 1, 0 if there is nothing to go on with (a
 * finding says why), or -1.
 */
int verbs_setup_open(struct findings *findings, const struct verbs_options *options,
		     struct verbs *verbs, struct verbs_devices *devices);

/* What to do about a trouble, also by what is known of this process. errnum: of ibv_reg_mr */
const char *verbs_setup_remedy(const struct verbs_setup *setup, const struct trouble *trouble);
const char *verbs_setup_register_remedy(const struct verbs_setup *setup, int errnum);

/* Shows a line, if anybody looks */
void verbs_setup_say(const struct verbs_setup *setup, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif

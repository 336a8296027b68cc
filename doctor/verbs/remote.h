/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of transfers with another pod: this side asks (connect), or serves the one that asks
 * (listen). */
#ifndef OCI_RDMA_VERBS_REMOTE_H
#define OCI_RDMA_VERBS_REMOTE_H

#include <stdbool.h>

#include "doctor/verbs/message.h"
#include "doctor/verbs/setup.h"
#include "doctor/verbs/transfer.h"
#include "doctor/verbs/trouble.h"

/* Both return -1 without memory only. */
int remote_connect(struct verbs_setup *setup);
int remote_listen(struct verbs_setup *setup);

struct remote_outcome {
	struct message_endpoint peer;
	struct transfer_result out;
	struct transfer_result in;
	bool beside; /* the rates are shared: others were served at the same time */
};

/* Adds a finding of a transfer, and tells it at once to who wants to know. trouble: NULL if it
 * went well. Returns 0, or -1 without memory. */
int remote_found(const struct verbs_setup *setup, struct findings *findings, const char *subject,
		 const struct trouble *trouble, const struct remote_outcome *outcome);

/* Tells the last of these at once. */
void remote_tell(const struct verbs_setup *setup, const struct findings *findings);

unsigned remote_port(const struct verbs_setup *setup);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a pod's author asks for, by annotations with the prefix oci-rdma-hook.io/. They only ask,
 * refuse or reduce; the administrator's config grants. Where choosing a device is asking (CDI), the
 * hook's arguments ask instead of inject "true". The table in request.c has them all.
 */
#ifndef OCI_RDMA_REQUEST_H
#define OCI_RDMA_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/spec/spec.h"

enum request_inject {
	INJECT_UNSAID,
	INJECT_ASKED,
	INJECT_REFUSED,
};

struct request {
	enum request_inject inject;
	bool by_hook;         /* asked for by a hook's arguments, not by inject */
	bool other_container; /* containers names others, not this one */
	uint64_t memlock;     /* MEMLOCK_UNLIMITED if it does not say */
	bool nccl;
};

/* Strict: an unknown name or value is an error that names line and file (what: config.json's path).
 */
int request_read(const struct spec *spec, const char *what, struct request *ret_request,
		 struct err *err);

/*
 * The bare question, for a container that has no device: does it have an annotation of ours, be it
 * misspelt, or ask by a hook's arguments, and does not refuse by inject "false"? Its author wants
 * to hear why it gets nothing.
 */
bool request_is_made(const struct spec *spec);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The API server, as a pod reaches it: by KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT, with
 * the service account's token, which the kubelet replaces now and then, and the cluster's CA. A
 * request takes 30 s at most.
 */
#ifndef OCI_RDMA_EVENTS_API_H
#define OCI_RDMA_EVENTS_API_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"

enum api_answer {
	API_POSTED,
	API_THERE,   /* an event of this name is there already */
	API_REFUSED, /* it will never be taken */
	API_LATER,   /* it is not taken now, or does not reach the API server */
};

/* account: the directory with token and ca.crt. Returns 0 or -1. */
int api_open(const char *account, struct err *err);

/* Posts an event. err has the reason of all but API_POSTED and API_THERE. */
enum api_answer api_post(const char *namespace, const char *text, size_t len, struct err *err);

#endif

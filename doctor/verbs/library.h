/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libibverbs, loaded at run time: the doctor must start where it is not installed.
 *
 * What <infiniband/verbs.h> does inline goes through a context's own functions (ibv_post_send,
 * ibv_post_recv, ibv_poll_cq) and is called as usual. All else is called through this table: a
 * plain call would link the library.
 */
#ifndef OCI_RDMA_VERBS_LIBRARY_H
#define OCI_RDMA_VERBS_LIBRARY_H

#include <infiniband/verbs.h>

#include "core/base/err.h"

struct verbs {
	__typeof__(ibv_get_device_list) *get_device_list;
	__typeof__(ibv_free_device_list) *free_device_list;
	__typeof__(ibv_get_device_name) *get_device_name;
	__typeof__(ibv_open_device) *open_device;
	__typeof__(ibv_close_device) *close_device;
	__typeof__(ibv_query_device) *query_device;
	__typeof__(ibv_query_port) *query_port; /* fills in what _compat_ibv_port_attr has */
	__typeof__(ibv_query_gid) *query_gid;
	__typeof__(ibv_alloc_pd) *alloc_pd;
	__typeof__(ibv_dealloc_pd) *dealloc_pd;
	__typeof__(ibv_reg_mr) *reg_mr;
	__typeof__(ibv_dereg_mr) *dereg_mr;
	__typeof__(ibv_create_cq) *create_cq;
	__typeof__(ibv_destroy_cq) *destroy_cq;
	__typeof__(ibv_create_qp) *create_qp;
	__typeof__(ibv_modify_qp) *modify_qp;
	__typeof__(ibv_destroy_qp) *destroy_qp;
	/* NULL in an older library */
	__typeof__(_ibv_query_gid_ex) *query_gid_ex;  /* rdma-core 32 */
	__typeof__(ibv_reg_dmabuf_mr) *reg_dmabuf_mr; /* rdma-core 34 */
};

/*
 * Fills in the table. -1: the library cannot be loaded here, or lacks what every release of
 * this name has. It stays loaded until the process ends, as its device drivers do.
 */
int verbs_load(struct verbs *ret_verbs, struct err *err);

#endif

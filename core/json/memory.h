/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory for yajl, which does not look whether it got any (yajl_alloc.c, yajl_buf.c) and would
 * write through NULL: without memory, the body is left by longjmp.
 */
#ifndef OCI_RDMA_JSON_MEMORY_H
#define OCI_RDMA_JSON_MEMORY_H

#include <yajl/yajl_common.h>

/* Calls yajl. It may be left in the middle of any call of yajl's, so it must own nothing. */
typedef int json_body(yajl_alloc_funcs *memory, void *context);

#define JSON_NO_MEMORY (-2)

/* Returns what body returns, or JSON_NO_MEMORY. What body got by *memory is gone then. */
int json_with_memory(json_body *body, void *context);

#endif

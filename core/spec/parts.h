/* SPDX-License-Identifier: Apache-2.0 */
/* The part of config.json that has a file of its own; parse.c reads the rest. NULL: it is absent.
 * Errors are left in the document. */
#ifndef OCI_RDMA_SPEC_PARTS_H
#define OCI_RDMA_SPEC_PARTS_H

#include "core/json/document.h"
#include "core/spec/spec.h"

void spec_read_linux(struct json_document *doc, const struct json_node *linux_part,
		     struct spec *spec);

#endif

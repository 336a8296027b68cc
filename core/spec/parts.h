/* SPDX-License-Identifier: Apache-2.0 */
/* The files that read a part of config.json, each called as its member is; parse.c puts them
 * together. A part that is absent is NULL. Errors are left in the document. */
#ifndef OCI_RDMA_SPEC_PARTS_H
#define OCI_RDMA_SPEC_PARTS_H

#include "core/json/document.h"
#include "core/spec/spec.h"

/* All but spec->places.process */
void spec_read_process(struct json_document *doc, const struct json_node *process,
		       struct spec *spec);

void spec_read_linux(struct json_document *doc, const struct json_node *linux_part,
		     struct spec *spec);

#endif

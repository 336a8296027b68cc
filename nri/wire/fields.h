/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fields of one protobuf message as they pass by, cut anywhere: nothing is kept, so that a
 * message may be as long as it likes. Messages inside of it are bytes here.
 */
#ifndef OCI_RDMA_NRI_FIELDS_H
#define OCI_RDMA_NRI_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fields_state {
	FIELDS_TAG,
	FIELDS_VARINT,
	FIELDS_LENGTH,
	FIELDS_BYTES, /* of a field, fixed32 or fixed64 */
	FIELDS_BROKEN,
};

/* All zero at the beginning of a message */
struct fields {
	enum fields_state state;
	uint64_t number; /* that is being read */
	unsigned shift;
	uint32_t field;
	uint64_t left; /* of FIELDS_BYTES */
	bool fixed;    /* those are a number's, which nobody here wants */
};

struct fields_handler {
	void (*number)(void *context, uint32_t field, uint64_t number);
	void (*begin)(void *context, uint32_t field);
	void (*part)(void *context, uint32_t field, const unsigned char *bytes, size_t len);
	/* All bytes of the field have been there. May be NULL. */
	void (*end)(void *context, uint32_t field);
};

/* What is none of protobuf is told by fields_whole() in the end. */
void fields_read(struct fields *fields, const unsigned char *bytes, size_t len,
		 const struct fields_handler *handler, void *context);

/* True if the message may end here. */
bool fields_whole(const struct fields *fields);

#endif

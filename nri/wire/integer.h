/* SPDX-License-Identifier: Apache-2.0 */
/* The headers' integers, which are big-endian */
#ifndef OCI_RDMA_NRI_INTEGER_H
#define OCI_RDMA_NRI_INTEGER_H

#include <stdint.h>

static inline uint32_t integer_read(const unsigned char *bytes)
{
	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 |
	       bytes[3];
}

static inline void integer_write(unsigned char *bytes, uint32_t number)
{
	bytes[0] = (unsigned char)(number >> 24);
	bytes[1] = (unsigned char)(number >> 16);
	bytes[2] = (unsigned char)(number >> 8);
	bytes[3] = (unsigned char)number;
}

#endif

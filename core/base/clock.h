/* SPDX-License-Identifier: Apache-2.0 */
/* Compare differences only */
#pragma once

#include <stdint.h>
#include <time.h>

static inline int64_t clock_us(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static inline int64_t clock_ms(void)
{
	return clock_us() / 1000;
}

/* RFC 3339, "2026-11-21T20:22:43Z", from Unix seconds; "" if out of range */
#define CLOCK_UTC_SIZE 32
void clock_utc(int64_t seconds, char text[CLOCK_UTC_SIZE]);

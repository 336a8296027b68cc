/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/clock.h"

void clock_utc(int64_t seconds, char text[CLOCK_UTC_SIZE])
{
	time_t time = (time_t)seconds;
	struct tm utc;

	text[0] = '\0';
	if (gmtime_r(&time, &utc))
		(void)strftime(text, CLOCK_UTC_SIZE, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

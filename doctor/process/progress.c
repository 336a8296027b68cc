/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/process/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#define WIDTH 76 /* of a line, filled with blanks: NO_COLOR and TERM=dumb want no escapes */

void progress_end(void)
{
	if (isatty(STDERR_FILENO))
		(void)fprintf(stderr, "\r%*s\r", WIDTH, "");
}

void progress_say(const char *format, ...)
{
	char line[WIDTH - 3];
	va_list args;

	if (!isatty(STDERR_FILENO))
		return;
	va_start(args, format);
	(void)vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	progress_end();
	(void)fprintf(stderr, "%s ...", line);
}

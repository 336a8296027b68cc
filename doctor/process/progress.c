/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/process/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void progress_end(void)
{
	const char *term = getenv("TERM");

	if (isatty(STDERR_FILENO) && (!term || strcmp(term, "dumb") != 0))
		(void)fputs("\r\033[K", stderr);
}

void progress_say(const char *format, ...)
{
	va_list args;

	if (!isatty(STDERR_FILENO))
		return;
	progress_end();
	va_start(args, format);
	(void)vfprintf(stderr, format, args);
	va_end(args);
	(void)fputs(" ...", stderr);
}

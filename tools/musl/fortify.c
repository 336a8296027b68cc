/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Distributions' static yajl and libcap use glibc's _FORTIFY_SOURCE, whose functions musl lacks.
 *
 * flag: glibc's stricter %n, unused
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *__memcpy_chk(void *to, const void *from, size_t len, size_t object_size);
int __sprintf_chk(char *to, int flag, size_t object_size, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
int __asprintf_chk(char **ret_text, int flag, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

void *__memcpy_chk(void *to, const void *from, size_t len, size_t object_size)
{
	if (len > object_size)
		abort();
	return memcpy(to, from, len);
}

int __sprintf_chk(char *to, int flag, size_t object_size, const char *format, ...)
{
	va_list args;
	int len;

	(void)flag;
	va_start(args, format);
	len = vsnprintf(to, object_size, format, args);
	va_end(args);
	if (len >= 0 && (size_t)len >= object_size)
		abort();
	return len;
}

int __asprintf_chk(char **ret_text, int flag, const char *format, ...)
{
	va_list args;
	int len;

	(void)flag;
	va_start(args, format);
	len = vasprintf(ret_text, format, args);
	va_end(args);
	return len;
}

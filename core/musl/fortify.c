/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The distribution's static yajl and libcap were compiled for glibc, with _FORTIFY_SOURCE: instead
 * of memcpy and sprintf they call these, which glibc has and musl has not. All else that they need
 * is ISO C, system calls' functions and the platform's ABI, the same in both. Linked into the musl
 * build alone.
 *
 * flag: glibc's stricter %n; none of their formats has one. object_size: how much room there is.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *__memcpy_chk(void *to, const void *from, size_t len, size_t object_size);
int __sprintf_chk(char *to, int flag, size_t object_size, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
int __snprintf_chk(char *to, size_t size, int flag, size_t object_size, const char *format, ...)
	__attribute__((format(printf, 5, 6)));
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

int __snprintf_chk(char *to, size_t size, int flag, size_t object_size, const char *format, ...)
{
	va_list args;
	int len;

	(void)flag;
	if (size > object_size)
		abort();
	va_start(args, format);
	len = vsnprintf(to, size, format, args);
	va_end(args);
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

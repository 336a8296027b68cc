/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/base/kernel.h"
#include "core/base/text.h"

int err_set(struct err *err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	(void)vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	text_make_printable(err->text);
	err->memory = false;
	return -1;
}

/* Among the calls that we cannot do without, openat2(2) alone is younger than kernels that are
 * still run: RHEL 8 has 4.18. "Function not implemented" would tell nobody. */
static const char *reason(int errnum)
{
	return errnum == ENOSYS ? kernel_lacks_openat2() : strerror(errnum);
}

/* "<what the format says>: <behind>"; behind lies outside of *err. */
static void set_before(struct err *err, const char *behind, const char *format, va_list args)
{
	size_t used;

	(void)vsnprintf(err->text, sizeof(err->text), format, args);
	used = strlen(err->text);
	(void)snprintf(err->text + used, sizeof(err->text) - used, ": %s", behind);
	text_make_printable(err->text);
}

int err_sys(struct err *err, int errnum, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	set_before(err, reason(errnum), format, args);
	va_end(args);
	err->memory = errnum == ENOMEM;
	return -1;
}

int err_prefix(struct err *err, const char *format, ...)
{
	struct err before = *err;
	va_list args;

	va_start(args, format);
	set_before(err, before.text, format, args);
	va_end(args);
	return -1;
}

int err_memory(struct err *err)
{
	(void)err_set(err, "out of memory");
	err->memory = true;
	return -1;
}

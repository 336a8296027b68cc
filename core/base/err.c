/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "core/base/text.h"

/* systemd's RestrictSUIDSGID= (src/shared/seccomp-util.c, seccomp_restrict_sxid) and old engines'
 * seccomp profiles answer openat2 with ENOSYS. */
const char *kernel_lacks_openat2(void)
{
	struct utsname name;

	/* Ignores backports */
	if (uname(&name) < 0 || text_compare_natural(name.release, "5.6") < 0)
		return "this kernel has no openat2(2): Linux 5.6 or newer is needed";
	return "a filter of system calls hides openat2(2): remove RestrictSUIDSGID= from the unit, "
	       "or allow openat2 in the container's seccomp profile";
}

/* "FORMAT: BEHIND"; behind is NULL or outside *err */
static void set_text(struct err *err, const char *behind, const char *format, va_list args)
{
	size_t used;

	vsnprintf(err->text, sizeof(err->text), format, args);
	used = strlen(err->text);
	if (behind)
		snprintf(err->text + used, sizeof(err->text) - used, ": %s", behind);
	text_make_printable(err->text);
}

int err_sys(struct err *err, int errnum, const char *format, ...)
{
	const char *reason = errnum ? strerror(errnum) : NULL;
	va_list args;

	/* Only openat2(2) can be missing. */
	if (errnum == ENOSYS)
		reason = kernel_lacks_openat2();
	va_start(args, format);
	set_text(err, reason, format, args);
	va_end(args);
	err->more = NULL;
	err->errnum = errnum;
	return -1;
}

int err_prefix(struct err *err, const char *format, ...)
{
	char before[ERR_TEXT_MAX];
	va_list args;

	(void)strcpy(before, err->text);
	va_start(args, format);
	set_text(err, before, format, args);
	va_end(args);
	return -1;
}

int err_memory(struct err *err)
{
	err_set(err, "out of memory");
	err->errnum = ENOMEM;
	return -1;
}

int err_of_arena(const struct arena *arena, struct err *err)
{
	return arena->failed ? err_memory(err) : 0;
}

int warnings_add(struct arena *arena, struct warnings *warnings, const char *code,
		 const char *format, ...)
{
	struct warning *added;
	char message[512];
	char *copy;
	va_list args;

	if (warnings->n == WARNINGS_MAX)
		return 0;
	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	text_make_printable(message);
	copy = arena_strdup(arena, message);
	added = copy ? arena_push(arena, warnings->item, warnings->n, warnings->room) : NULL;
	if (!added)
		return -1;
	*added = (struct warning){.code = code, .message = copy};
	return 0;
}

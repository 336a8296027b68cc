/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <syslog.h>
#include <unistd.h>

#include "core/base/capability.h"
#include "core/base/cleanup.h"
#include "core/base/names.h"
#include "core/base/tell.h"
#include "core/base/text.h"
#include "core/policy/policy.h"
#include "core/report/report.h"

#define FRONT "<%d>%s[%d]: "
/* A reason, an entry point, and the container. Lines of this length are static: a caller's stack
 * may be small. */
#define FAILURE_MAX (ERR_TEXT_MAX + 640)

/* The name of the program that logs, by which the journal is searched */
static const char *ident = HOOK_NAME;
static bool is_daemon;

void log_as_daemon(const char *name)
{
	ident = name;
	is_daemon = true;
}

/* A hook's caller may show its stderr to the container's author. */
static void tell_caller(const char *line)
{
	if (!is_daemon)
		tell(ident, line);
}

/* Only a line that is longer than any failure needs memory. */
static void send_line(int priority, char *line)
{
	static char message[FAILURE_MAX + 64];
	cleanup_free *longer = NULL;
	int len;

	text_make_printable(line);
	len = snprintf(message, sizeof(message), FRONT "%s", LOG_DAEMON | priority, ident, getpid(),
		       line);
	if (len >= (int)sizeof(message)) {
		len = asprintf(&longer, FRONT "%s", LOG_DAEMON | priority, ident, getpid(), line);
		longer = len < 0 ? NULL : longer;
	}
	if (len >= 0 && !journal_send(longer ? longer : message, (size_t)len) && is_daemon)
		tell(ident, line);
}

void log_event(int priority, const char *format, ...)
{
	static char line[FAILURE_MAX];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	send_line(priority, line);
}

static const char *text_or_dash(const char *text)
{
	return text && text[0] ? text : "-";
}

#define IDENTITY " container=%.80s name=%.80s pod=%.253s namespace=%.80s"
#define IDENTITY_OF(c)                                                                             \
	text_or_dash((c)->id), text_or_dash((c)->spec.identity.name),                              \
		text_or_dash((c)->spec.identity.pod),                                              \
		text_or_dash((c)->spec.identity.pod_namespace)

/* What every line begins with, up to the devices */
static struct arena_text begin_line(struct container *container, const char *word)
{
	struct arena_text line = {.arena = &container->arena};

	arena_append(&line, "%s:" IDENTITY " devices=%s", word, IDENTITY_OF(container),
		     devices_any(&container->devices) ? "" : "-");
	devices_append_names(&container->devices, &line);
	return line;
}

static void append_warnings(struct arena_text *line, const struct warnings *warnings)
{
	for (size_t i = 0; i < warnings->n; i++)
		arena_append(line, "%s%s", i ? "," : " warnings=", warnings->item[i].code);
}

/* Limit and variables stand in the spec as we would write them: another entry point has written
 * them, and has logged its grant. Only what that one cannot give is left to add. */
static bool is_given_before(const struct plan *plan)
{
	bool given = plan->sets_memlock && !plan->adds_rlimit && plan->n_settings;

	for (size_t i = 0; i < plan->n_settings; i++)
		given = given && plan->settings[i].state == SETTING_PRESENT;
	return given;
}

void log_grant(struct container *container, const struct applied *applied, const char *way_in)
{
	const struct plan *plan = &container->plan;
	bool given_before = is_given_before(plan);
	/* A hook cannot give capabilities: the runtime has read config.json before it runs. */
	uint64_t capabilities = applied->capabilities ? plan->granted : 0;
	const char *const *names = capability_names(&container->arena, capabilities);
	struct arena_text line =
		begin_line(container, given_before ? "addition" : decision_name(plan->decision));

	if (!plan->sets_memlock || given_before)
		arena_append(&line, " memlock=-");
	else if (plan->memlock == MEMLOCK_UNLIMITED)
		arena_append(&line, " memlock=unlimited");
	else
		arena_append(&line, " memlock=%" PRIu64, plan->memlock);
	arena_append(&line, " capabilities=%s", capabilities ? "" : "-");
	for (size_t i = 0; names && names[i]; i++)
		arena_append(&line, "%s%s", i ? "," : "", names[i]);
	arena_append(&line, " nccl=%s by=%s", applied->nccl ? applied->nccl : "-", way_in);
	append_warnings(&line, &container->warnings);
	if (names && !line.failed)
		send_line(LOG_INFO, line.text);
}

const char *log_reason(struct container *container, int priority, const char *word,
		       const char *reason, const char *way_in)
{
	struct arena_text line = begin_line(container, word);

	append_warnings(&line, &container->warnings);
	arena_append(&line, " by=%s reason=%s", way_in, reason);
	if (line.failed)
		return NULL;
	send_line(priority, line.text);
	return line.text;
}

void log_denial(struct container *container, bool must_fail, const char *way_in)
{
	const char *reason = container->plan.reason;
	const char *line =
		log_reason(container, LOG_WARNING, decision_name(DECISION_DENIED), reason, way_in);

	if (must_fail)
		tell_caller(line ? line : reason);
}

bool log_wants_none(const struct container *container)
{
	return !container->spec.identity.sandbox && request_is_made(&container->spec);
}

/* Allocates nothing, so that "out of memory" is logged. */
static char failure[FAILURE_MAX];

void log_failure_silently(const struct container *container, const struct err *err,
			  const char *way_in)
{
	size_t len = (size_t)snprintf(failure, sizeof(failure), "%s: %s", way_in, err->text);

	if (container && len < sizeof(failure))
		(void)snprintf(failure + len, sizeof(failure) - len, IDENTITY,
			       IDENTITY_OF(container));
	send_line(LOG_ERR, failure);
}

void log_failure(const struct container *container, const struct err *err, const char *way_in)
{
	log_failure_silently(container, err, way_in);
	tell_caller(failure);
}

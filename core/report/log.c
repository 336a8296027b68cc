/* SPDX-License-Identifier: Apache-2.0 */
#include "core/report/log.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include "core/base/journal.h"
#include "core/base/names.h"
#include "core/base/stderr_line.h"
#include "core/base/text.h"
#include "core/container/container.h"
#include "core/plan/plan.h"
#include "core/plan/planning.h"
#include "core/policy/policy.h"

#define FRONT "<%d>%s[%d]: "
#define FRONT_OF(priority) LOG_DAEMON | (priority), daemon_name ? daemon_name : HOOK_NAME, getpid()

static const char *daemon_name;

void log_as_daemon(const char *name)
{
	daemon_name = name;
}

void report_to_caller(const char *line)
{
	if (!daemon_name)
		stderr_line(HOOK_NAME, line);
}

/* Returns the line without FRONT. */
static const char *send_line(char *line)
{
	const char *text = strstr(line, "]: ") + strlen("]: ");

	text_make_printable(line);
	if (!journal_send(line, strlen(line)) && daemon_name)
		stderr_line(daemon_name, text);
	return text;
}

const char *log_event(int priority, const char *format, ...)
{
	static char line[ERR_TEXT_MAX + 704];
	int len = snprintf(line, sizeof(line), FRONT, FRONT_OF(priority));
	va_list args;

	va_start(args, format);
	vsnprintf(line + len, sizeof(line) - (size_t)len, format, args);
	va_end(args);
	return send_line(line);
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

const char *log_failure(const struct container *container, const char *reason,
			const char *entry_point)
{
	if (!container)
		return log_event(LOG_ERR, "%s: %s", entry_point, reason);
	return log_event(LOG_ERR, "%s: %.*s" IDENTITY, entry_point, ERR_TEXT_MAX, reason,
			 IDENTITY_OF(container));
}

static struct arena_text begin_line(struct container *container, int priority, const char *word)
{
	struct arena_text line = {.arena = &container->arena};

	arena_append(&line, FRONT "%s:" IDENTITY " devices=%s", FRONT_OF(priority), word,
		     IDENTITY_OF(container), devices_any(&container->devices) ? "" : "-");
	devices_append_names(&container->devices, &line);
	return line;
}

static void append_warnings(struct arena_text *line, const struct warnings *warnings)
{
	for (size_t i = 0; i < warnings->n; i++)
		arena_append(line, "%s%s", i ? "," : " warnings=", warnings->item[i].code);
}

const char *log_reason(struct container *container, int priority, const char *word,
		       const char *reason, const char *entry_point)
{
	struct arena_text line = begin_line(container, priority, word);

	append_warnings(&line, &container->warnings);
	arena_append(&line, " by=%s reason=%s", entry_point, reason);
	return line.failed ? NULL : send_line(line.text);
}

/* Another entry point has written all and logged its grant. */
static bool is_given_before(const struct plan *plan)
{
	bool given = plan->memlock && !plan->adds_rlimit && plan->n_settings;

	for (size_t i = 0; i < plan->n_settings; i++)
		given = given && plan->settings[i].state == SETTING_PRESENT;
	return given;
}

static void append_capabilities(struct arena_text *line, uint64_t capabilities)
{
	const char *const *name = capability_names(line->arena, capabilities);

	line->failed = line->failed || !name;
	for (size_t i = 0; name && name[i]; i++)
		arena_append(line, "%s%s", i ? "," : "", name[i]);
}

void log_grant(struct container *container, bool gives_capabilities, const char *nccl,
	       const char *entry_point)
{
	const struct plan *plan = &container->plan;
	bool given_before = is_given_before(plan);
	/* Hooks give no capabilities: the runtime has read config.json. */
	uint64_t capabilities = gives_capabilities ? plan->granted : 0;
	struct arena_text line = begin_line(
		container, LOG_INFO, given_before ? "addition" : decision_names[plan->decision]);

	if (!plan->memlock || given_before)
		arena_append(&line, " memlock=-");
	else if (plan->memlock == MEMLOCK_UNLIMITED)
		arena_append(&line, " memlock=unlimited");
	else
		arena_append(&line, " memlock=%" PRIu64, plan->memlock);
	arena_append(&line, " capabilities=%s", capabilities ? "" : "-");
	if (capabilities)
		append_capabilities(&line, capabilities);
	arena_append(&line, " nccl=%s by=%s", text_or_dash(nccl), entry_point);
	append_warnings(&line, &container->warnings);
	if (!line.failed)
		(void)send_line(line.text);
}

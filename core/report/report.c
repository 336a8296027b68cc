/* SPDX-License-Identifier: Apache-2.0 */
#include "core/report/report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include "core/base/fs.h"
#include "core/base/names.h"
#include "core/base/tell.h"
#include "core/base/text.h"
#include "core/policy/policy.h"
#include "core/record/store.h"

/* What a line begins with in the journal */
#define FRONT "<%d>%s[%d]: "
#define FRONT_OF(priority) LOG_DAEMON | (priority), ident, getpid()

/* A front, a reason, an entry point, and the container. Lines of this length are static: a caller's
 * stack may be small. */
#define FAILURE_MAX (ERR_TEXT_MAX + 704)

/* The name of the program that logs, by which the journal is searched */
static const char *ident = HOOK_NAME;
static bool is_daemon;

void log_as_daemon(const char *name)
{
	ident = name;
	is_daemon = true;
}

static const char *without_front(const char *line)
{
	return strstr(line, "]: ") + strlen("]: ");
}

/* A hook's caller may show its stderr to the container's author. */
static void tell_caller(const char *reason)
{
	if (!is_daemon)
		tell(ident, reason);
}

static void send_line(char *line)
{
	text_make_printable(line);
	if (!journal_send(line, strlen(line)) && is_daemon)
		tell(ident, without_front(line));
}

void log_event(int priority, const char *format, ...)
{
	static char line[FAILURE_MAX];
	int len = snprintf(line, sizeof(line), FRONT, FRONT_OF(priority));
	va_list args;

	va_start(args, format);
	(void)vsnprintf(line + len, sizeof(line) - (size_t)len, format, args);
	va_end(args);
	send_line(line);
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

/* Limit and variables stand in the spec as we would write them: another entry point has written
 * them, and has logged its grant. Only what that one cannot give is left to add. */
static bool is_given_before(const struct plan *plan)
{
	bool given = plan->memlock && !plan->adds_rlimit && plan->n_settings;

	for (size_t i = 0; i < plan->n_settings; i++)
		given = given && plan->settings[i].state == SETTING_PRESENT;
	return given;
}

static void log_grant(struct container *container, const struct applied *applied,
		      const char *way_in)
{
	const struct plan *plan = &container->plan;
	bool given_before = is_given_before(plan);
	/* A hook cannot give capabilities: the runtime has read config.json before it runs. */
	uint64_t capabilities = applied->capabilities ? plan->granted : 0;
	const char *const *name = capability_names(&container->arena, capabilities);
	struct arena_text line = begin_line(
		container, LOG_INFO, given_before ? "addition" : decision_name(plan->decision));

	if (!plan->memlock || given_before)
		arena_append(&line, " memlock=-");
	else if (plan->memlock == MEMLOCK_UNLIMITED)
		arena_append(&line, " memlock=unlimited");
	else
		arena_append(&line, " memlock=%" PRIu64, plan->memlock);
	arena_append(&line, " capabilities=%s", capabilities ? "" : "-");
	for (size_t i = 0; name && name[i]; i++)
		arena_append(&line, "%s%s", i ? "," : "", name[i]);
	arena_append(&line, " nccl=%s by=%s", applied->nccl ? applied->nccl : "-", way_in);
	append_warnings(&line, &container->warnings);
	if (name && !line.failed)
		send_line(line.text);
}

const char *log_reason(struct container *container, int priority, const char *word,
		       const char *reason, const char *way_in)
{
	struct arena_text line = begin_line(container, priority, word);

	append_warnings(&line, &container->warnings);
	arena_append(&line, " by=%s reason=%s", way_in, reason);
	if (line.failed)
		return NULL;
	send_line(line.text);
	return without_front(line.text);
}

/* Allocates nothing, so that "out of memory" is logged. */
static char failure[FAILURE_MAX];

static void log_failure_to(const struct container *container, const struct err *err,
			   const char *way_in, bool caller)
{
	size_t len = (size_t)snprintf(failure, sizeof(failure), FRONT "%s: %s", FRONT_OF(LOG_ERR),
				      way_in, err->text);

	if (container && len < sizeof(failure))
		(void)snprintf(failure + len, sizeof(failure) - len, IDENTITY,
			       IDENTITY_OF(container));
	send_line(failure);
	if (caller)
		tell_caller(without_front(failure));
}

void log_failure_silently(const struct container *container, const struct err *err,
			  const char *way_in)
{
	log_failure_to(container, err, way_in, false);
}

void log_failure(const struct container *container, const struct err *err, const char *way_in)
{
	log_failure_to(container, err, way_in, true);
}

/* ---- records ---- */

/* It has an annotation of ours, and is no sandbox. */
static bool is_asked(const struct container *container)
{
	return !container->spec.identity.sandbox && request_is_made(&container->spec);
}

/* The author sees a grant, and needs no event about what the pod's own annotations chose. */
static bool should_tell(const struct container *container, enum record_result result)
{
	const struct identity *identity = &container->spec.identity;
	const struct request *request = &container->request;
	bool chosen = request->inject == INJECT_REFUSED ||
		      (request->other_container && identity->doubt == IDENTITY_BELIEVED);

	if (!identity->pod || !identity->pod_namespace || result == RECORD_GRANTED)
		return false;
	return result != RECORD_NOTHING || (is_asked(container) && !chosen);
}

/* Returns 0 or -1. */
static int fill_pairs(struct container *container, struct record *record)
{
	const struct spec *spec = &container->spec;
	const struct plan *plan = &container->plan;
	struct json_pair *pair = arena_alloc(
		&container->arena, (spec->n_annotations + plan->n_settings) * sizeof(*pair));

	if (!pair)
		return -1;
	record->annotations = (struct json_pairs){pair, spec->n_annotations};
	for (size_t i = 0; i < spec->n_annotations; i++)
		*pair++ = (struct json_pair){spec->annotations[i].name, spec->annotations[i].value};
	record->settings = (struct json_pairs){pair, plan->n_settings};
	for (size_t i = 0; i < plan->n_settings; i++)
		*pair++ = (struct json_pair){plan->settings[i].name, plan->settings[i].value};
	return 0;
}

int remember(const struct options *options, struct container *container, enum record_result result,
	     const char *reason, const char *entry_point)
{
	static struct err err; /* a caller's stack may be small */
	const struct identity *identity = &container->spec.identity;
	const struct plan *plan = &container->plan;
	struct arena_text devices = {.arena = &container->arena};
	struct record record = {
		.id = container->id,
		.container = identity->name,
		.pod = identity->pod,
		.pod_namespace = identity->pod_namespace,
		.pod_uid = identity->pod_uid,
		.engine = options->engine,
		.cgroup = container->cgroup,
		.result = result,
		.entry_point = entry_point,
		.policy = container->config.path,
		.reason = reason ? reason : plan->reason,
		.memlock = plan->memlock,
		.tell = should_tell(container, result),
	};
	int status;

	devices_append_names(&container->devices, &devices);
	record.devices = devices.text;
	if (!record.id || identity->sandbox ||
	    (result == RECORD_NOTHING && !devices_any(&container->devices) &&
	     !request_is_made(&container->spec) && !container->spec.n_annotations))
		return 0;
	status = fill_pairs(container, &record) < 0 ? err_memory(&err)
						    : record_write(options->sysroot, &record, &err);
	/* A recorded tree without a /run is no node, no engine of pods makes an id that is no
	 * file's name, and the user of a rootless engine writes nothing there. */
	if (status == 0 || status == -ENOENT || status == -EINVAL || rootless())
		return 0;
	log_event(LOG_WARNING, "cannot leave a record of container %.80s: %s", record.id, err.text);
	return -1;
}

/* ---- an outcome ---- */

/* An earlier run, or another entry point, has decided the same, and has logged it. */
static bool is_said(struct container *container, const struct entry_point *entry,
		    enum record_result result)
{
	struct record record;
	struct err ignored;

	return entry->repeats ||
	       (container->id && container->node.root >= 0 &&
		record_read(&container->arena, container->node.root, container->id, &record,
			    &ignored) == 1 &&
		record.result == result && strcmp(record.entry_point, entry->name) != 0);
}

static void leave_record(struct container *container, const struct outcome *outcome,
			 const struct entry_point *entry, enum record_result result)
{
	if (outcome->options)
		(void)remember(outcome->options, container, result, outcome->reason, entry->name);
}

/* It gets nothing, or is denied: said once, unless the container must fail for it. */
static void log_refusal(struct container *container, const struct outcome *outcome,
			const struct entry_point *entry)
{
	bool denied = outcome->kind == OUTCOME_DENIED;
	enum record_result result = denied ? RECORD_DENIED : RECORD_NOTHING;
	const char *line;

	if ((!denied && !is_asked(container)) ||
	    (!outcome->must_fail && is_said(container, entry, result)))
		return;
	line = log_reason(container, denied ? LOG_WARNING : LOG_INFO,
			  decision_name(denied ? DECISION_DENIED : DECISION_NONE), outcome->reason,
			  entry->name);
	if (outcome->must_fail)
		tell_caller(line ? line : outcome->reason);
	leave_record(container, outcome, entry, result);
}

static void log_granted(struct container *container, const struct outcome *outcome,
			const struct entry_point *entry)
{
	/* What the engine cannot give; the container has the rest. */
	const char *const lacks[] = {container->plan.shortage, container->plan.withheld};
	struct err err;

	for (size_t i = 0; i < sizeof(lacks) / sizeof(lacks[0]); i++) {
		if (!lacks[i])
			continue;
		(void)err_set(&err, "%s", lacks[i]);
		log_failure_to(container, &err, entry->name, entry->tells);
	}
	if (!outcome->applied.changed)
		return;
	log_grant(container, &outcome->applied, entry->name);
	leave_record(container, outcome, entry, RECORD_GRANTED);
}

static void log_failed(struct container *container, const struct outcome *outcome,
		       const struct entry_point *entry)
{
	if (outcome->applied.changed && !outcome->must_fail && !entry->repeats)
		log_grant(container, &outcome->applied, entry->name);
	/* A repeated run has failed before for the same reason, unless it had to repair a limit, or
	 * we cannot know what it had to do. */
	if (entry->repeats && container->spec_known && container->plan.decision != DECISION_GRANT)
		return;
	log_failure_to(container, &outcome->err, entry->name, outcome->must_fail || entry->tells);
	leave_record(container, outcome, entry, RECORD_FAILED);
}

void outcome_log(struct container *container, const struct outcome *outcome,
		 const struct entry_point *entry)
{
	if (outcome->kind == OUTCOME_FAILED)
		log_failed(container, outcome, entry);
	else if (outcome->kind == OUTCOME_GRANTED && !entry->repeats)
		log_granted(container, outcome, entry);
	/* Log a spec that we cannot parse, whatever the container: others have accepted it. Behind
	 * the shim the runtime reads it once more, and reports the error itself. */
	else if (outcome->reason && !container->spec_known && entry->tells)
		log_failure(container, &outcome->err, entry->name);
	else if (outcome->reason)
		log_refusal(container, outcome, entry);
}

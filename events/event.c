/* SPDX-License-Identifier: Apache-2.0 */
#include "events/event.h"

#include <ctype.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/json/writer.h"

#define CONTROLLER "oci-rdma-hook.io/events"
#define WINDOW_SECONDS 600
#define NAME_MAX_LEN 253

/* FNV-1a: nobody gains by a collision */
static uint64_t hash_of(const char *text)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return hash;
}

struct put {
	const struct record *record;
	const char *name;
	const char *note;
	const char *node;
	char time[CLOCK_UTC_SIZE];
};

/* A cut name must not end in '-' or '.' */
static const char *make_name(struct arena *arena, const struct record *record)
{
	const char *what = arena_printf(
		arena, "%s %s %s %s %s %lld", record->pod_namespace, record->pod,
		record->pod_uid ? record->pod_uid : "", record->container ? record->container : "",
		record_result_names[record->result], (long long)record->time / WINDOW_SECONDS);
	size_t len = strnlen(record->pod, NAME_MAX_LEN - 17);

	while (len && !isalnum((unsigned char)record->pod[len - 1]))
		len--;
	return what ? arena_printf(arena, "%.*s.%016llx", (int)len, record->pod,
				   (unsigned long long)hash_of(what))
		    : NULL;
}

/* Pod authors know only the container's paths */
static const char *known_as(const struct record *record, const char *path)
{
	if (record->policy && strcmp(path, record->policy) == 0)
		return "the node's policy";
	return text_starts_with(path, "/dev/infiniband/") ||
			       text_starts_with(path, "/etc/nccl.conf")
		       ? path
		       : "a file of the node";
}

/* Cut between characters */
static const char *make_note(struct arena *arena, const struct record *record)
{
	size_t policy = record->policy ? strlen(record->policy) : 0;
	struct arena_text note = {.arena = arena};
	const char *rest = record->reason;
	size_t len = 0;
	size_t step;

	/* Policy errors may quote other tenants' namespaces */
	if (policy && strncmp(rest, record->policy, policy) == 0 && rest[policy] == ':')
		rest = "the node's policy cannot be used: the node's journal says why";
	if (record->container)
		arena_append(&note, "container %s: ", record->container);
	for (; *rest; rest += step) {
		size_t word = strcspn(rest, " \"'(),:;=");
		const char *text;

		step = word ? word : 1;
		text = arena_strndup(arena, rest, step);
		if (!text)
			return NULL;
		arena_append(&note, "%s", *text == '/' ? known_as(record, text) : text);
	}
	if (note.failed)
		return NULL;
	if (!note.text)
		return "";
	text_make_printable(note.text);
	while ((step = text_printable_length(note.text + len)) && len + step <= RECORD_REASON_MAX)
		len += step;
	note.text[len] = '\0';
	return note.text;
}

/* RECORD_NOTHING is Normal: sidecars of annotated pods get it */
static const struct {
	const char *reason;
	const char *type;
} kinds[] = {
	[RECORD_NOTHING] = {"RDMANotGiven", "Normal"}, [RECORD_GRANTED] = {"RDMAGiven", "Normal"},
	[RECORD_DENIED] = {"RDMADenied", "Warning"},   [RECORD_FAILED] = {"RDMAFailed", "Warning"},
	[RECORD_MISSED] = {"RDMAMissed", "Warning"},   [RECORD_MENDED] = {"RDMAMended", "Normal"},
};

static int put_event(yajl_gen gen, void *context)
{
	const struct put *put = context;
	const struct record *record = put->record;

	yajl_gen_map_open(gen);
	json_put_text(gen, "apiVersion", "events.k8s.io/v1");
	json_put_text(gen, "kind", "Event");
	json_put_string(gen, "metadata");
	yajl_gen_map_open(gen);
	json_put_text(gen, "name", put->name);
	json_put_text(gen, "namespace", record->pod_namespace);
	yajl_gen_map_close(gen);
	json_put_text(gen, "eventTime", put->time);
	json_put_text(gen, "type", kinds[record->result].type);
	json_put_text(gen, "reason", kinds[record->result].reason);
	json_put_text(gen, "action", "GiveRDMA");
	json_put_text(gen, "note", put->note);
	json_put_text(gen, "reportingController", CONTROLLER);
	json_put_text(gen, "reportingInstance", put->node);
	json_put_string(gen, "regarding");
	yajl_gen_map_open(gen);
	json_put_text(gen, "apiVersion", "v1");
	json_put_text(gen, "kind", "Pod");
	json_put_text(gen, "namespace", record->pod_namespace);
	json_put_text(gen, "name", record->pod);
	if (record->pod_uid)
		json_put_text(gen, "uid", record->pod_uid);
	yajl_gen_map_close(gen);
	yajl_gen_map_close(gen);
	return 0;
}

const char *event_text(struct arena *arena, const struct record *record, const char *node,
		       int64_t now, size_t *ret_len)
{
	struct put put = {.record = record,
			  .name = make_name(arena, record),
			  .note = make_note(arena, record),
			  .node = node};

	clock_utc(record->time < now ? record->time : now, put.time);
	/* metav1.MicroTime */
	if (put.time[0])
		memcpy(put.time + strlen(put.time) - 1, ".000000Z", sizeof(".000000Z"));
	return put.name && put.note ? json_write(arena, false, put_event, &put, ret_len) : NULL;
}

/* 403 is final only in a namespace being deleted: quotas and roles change. 401: the next token is
 * new. Redirects are not the API server's. */
enum event_answer event_judge(long code, const char *reason, const char *message)
{
	if (code == 200 || code == 201)
		return EVENT_POSTED;
	if (code == 409)
		return strcmp(reason, "AlreadyExists") == 0 ? EVENT_THERE : EVENT_LATER;
	if (code == 403)
		return strstr(message, "is being terminated") ? EVENT_REFUSED : EVENT_LATER;
	return code == 401 || code == 429 || code < 400 || code >= 500 ? EVENT_LATER
								       : EVENT_REFUSED;
}

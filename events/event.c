/* SPDX-License-Identifier: Apache-2.0 */
#include "events/event.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "core/base/names.h"
#include "core/base/text.h"
#include "core/json/writer.h"

#define CONTROLLER "oci-rdma-hook.io/events"
#define NOTE_MAX 1024

/* ---- names ---- */

#define LOWER "abcdefghijklmnopqrstuvwxyz0123456789"

/* RFC 1123: lower-case letters, digits and '-' (and '.' in a subdomain), none of them at an end */
static bool is_name(const char *text, size_t size, const char *characters)
{
	size_t len = strlen(text);

	return len > 0 && len < size && strspn(text, characters) == len && strchr(LOWER, text[0]) &&
	       strchr(LOWER, text[len - 1]) && !strstr(text, "..");
}

static bool is_uid(const char *text)
{
	size_t len = strlen(text);

	return len < EVENT_UID_SIZE && strspn(text, LOWER "ABCDEFGHIJKLMNOPQRSTUVWXYZ-") == len;
}

int event_take(const struct record *record, struct event *ret_event, struct err *err)
{
	const char *uid = record->pod_uid ? record->pod_uid : "";
	const char *container = record->container ? record->container : "";

	if (!is_name(record->pod_namespace, EVENT_LABEL_SIZE, LOWER "-"))
		return err_set(err, "'%.80s' is not a namespace", record->pod_namespace);
	if (!is_name(record->pod, EVENT_NAME_SIZE, LOWER "-."))
		return err_set(err, "'%.80s' is not the name of a pod", record->pod);
	if (container[0] && !is_name(container, EVENT_LABEL_SIZE, LOWER "-"))
		return err_set(err, "'%.80s' is not the name of a container", container);
	if (record->result == RECORD_GRANTED)
		return err_set(err, "a grant is nothing to tell");
	*ret_event = (struct event){.result = record->result,
				    .first = record->time,
				    .last = record->time,
				    .recorded = record->time,
				    .count = 1};
	(void)snprintf(ret_event->namespace, sizeof(ret_event->namespace), "%s",
		       record->pod_namespace);
	(void)snprintf(ret_event->pod, sizeof(ret_event->pod), "%s", record->pod);
	(void)snprintf(ret_event->uid, sizeof(ret_event->uid), "%s", is_uid(uid) ? uid : "");
	(void)snprintf(ret_event->container, sizeof(ret_event->container), "%s", container);
	(void)snprintf(ret_event->id, sizeof(ret_event->id), "%s", record->id);
	(void)snprintf(ret_event->reason, sizeof(ret_event->reason), "%s", record->reason);
	text_make_printable(ret_event->reason);
	return 0;
}

bool event_is_same(const struct event *a, const struct event *b)
{
	return a->result == b->result && strcmp(a->pod, b->pod) == 0 &&
	       strcmp(a->namespace, b->namespace) == 0 && strcmp(a->uid, b->uid) == 0 &&
	       strcmp(a->container, b->container) == 0;
}

/* A cut name must not end in '-' or '.', which a digit behind it would not mend. */
void event_name(const struct event *event, char name[EVENT_NAME_SIZE])
{
	char what[EVENT_NAME_SIZE + 3 * EVENT_UID_SIZE + 64];
	int room = EVENT_NAME_SIZE - 1 - (int)strlen(".0123456789abcdef");
	int len = snprintf(name, EVENT_NAME_SIZE, "%.*s", room, event->pod);

	while (len > 0 && !isalnum((unsigned char)name[len - 1]))
		len--;
	(void)snprintf(what, sizeof(what), "%s %s %s %s %lld", event->pod, event->uid,
		       event->container, record_result_name(event->result),
		       (long long)event->recorded);
	(void)snprintf(name + len, EVENT_NAME_SIZE - (size_t)len, ".%016llx",
		       (unsigned long long)text_hash(what));
}

/* ---- the text ---- */

struct put {
	const struct event *event;
	const char *node;
	char note[NOTE_MAX + 1];
};

/* What a list of events shows in a column, and alerts can name */
static const char *reason_of(enum record_result result)
{
	static const char *const reasons[] = {
		[RECORD_NOTHING] = "RDMANotGiven", [RECORD_GRANTED] = "RDMAGiven",
		[RECORD_DENIED] = "RDMADenied",    [RECORD_FAILED] = "RDMAFailed",
		[RECORD_MISSED] = "RDMAMissed",    [RECORD_MENDED] = "RDMAMended",
	};

	return reasons[result];
}

/* A sidecar of an annotated pod gets nothing as well, which is as it should be. */
static const char *type_of(enum record_result result)
{
	return result == RECORD_NOTHING || result == RECORD_MENDED ? "Normal" : "Warning";
}

/* The API server refuses one that is too long: it is cut between two characters. */
static void make_note(const struct event *event, char note[NOTE_MAX + 1])
{
	char whole[2 * NOTE_MAX];
	size_t len = 0;
	size_t step;

	(void)snprintf(whole, sizeof(whole), "%s%s%s%s", event->container[0] ? "container " : "",
		       event->container, event->container[0] ? ": " : "", event->reason);
	while ((step = text_printable_length(whole + len)) > 0 && len + step <= NOTE_MAX)
		len += step;
	memcpy(note, whole, len);
	note[len] = '\0';
}

/* metav1.MicroTime: RFC 3339 with microseconds */
static void put_time(yajl_gen gen, const char *name, int64_t seconds)
{
	time_t time = (time_t)seconds;
	char text[64];
	struct tm utc;

	if (gmtime_r(&time, &utc) &&
	    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S.000000Z", &utc))
		json_put_text(gen, name, text);
}

static void put_pod(yajl_gen gen, const struct event *event)
{
	json_put_string(gen, "regarding");
	(void)yajl_gen_map_open(gen);
	json_put_text(gen, "apiVersion", "v1");
	json_put_text(gen, "kind", "Pod");
	json_put_text(gen, "namespace", event->namespace);
	json_put_text(gen, "name", event->pod);
	if (event->uid[0])
		json_put_text(gen, "uid", event->uid);
	(void)yajl_gen_map_close(gen);
}

/* A series of one is refused (pkg/apis/core/validation/events.go). */
static void put_series(yajl_gen gen, const struct event *event)
{
	if (event->count < 2)
		return;
	json_put_string(gen, "series");
	(void)yajl_gen_map_open(gen);
	json_put_integer(gen, "count", true, event->count);
	put_time(gen, "lastObservedTime", event->last);
	(void)yajl_gen_map_close(gen);
}

static int put_event(yajl_gen gen, void *context)
{
	const struct put *put = context;
	const struct event *event = put->event;
	char name[EVENT_NAME_SIZE];

	event_name(event, name);
	(void)yajl_gen_map_open(gen);
	json_put_text(gen, "apiVersion", "events.k8s.io/v1");
	json_put_text(gen, "kind", "Event");
	json_put_string(gen, "metadata");
	(void)yajl_gen_map_open(gen);
	json_put_text(gen, "name", name);
	json_put_text(gen, "namespace", event->namespace);
	(void)yajl_gen_map_close(gen);
	put_time(gen, "eventTime", event->first);
	json_put_text(gen, "type", type_of(event->result));
	json_put_text(gen, "reason", reason_of(event->result));
	json_put_text(gen, "action", "GiveRDMA");
	json_put_text(gen, "note", put->note);
	json_put_text(gen, "reportingController", CONTROLLER);
	json_put_text(gen, "reportingInstance", put->node);
	put_pod(gen, event);
	put_series(gen, event);
	(void)yajl_gen_map_close(gen);
	return 0;
}

const char *event_text(struct arena *arena, const struct event *event, const char *node,
		       size_t *ret_len)
{
	struct put put = {.event = event, .node = node};

	make_note(event, put.note);
	return json_write(arena, false, put_event, &put, ret_len);
}

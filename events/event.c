/* SPDX-License-Identifier: Apache-2.0 */
#include "events/event.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "core/base/text.h"
#include "core/json/writer.h"

#define CONTROLLER "oci-rdma-hook.io/events"
#define NOTE_MAX 1024
#define WINDOW_SECONDS 600
/* The longest of each (k8s.io/apimachinery, pkg/util/validation) */
#define LABEL_MAX 63
#define NAME_MAX_LEN 253
#define UID_MAX 64

#define LOWER "abcdefghijklmnopqrstuvwxyz0123456789"

/* ---- names ---- */

/* RFC 1123: lower-case letters, digits and '-' (and '.' in a subdomain), none of them at an end */
static bool is_name(const char *text, size_t max, const char *characters)
{
	size_t len = text ? strlen(text) : 0;

	return len > 0 && len <= max && strspn(text, characters) == len && strchr(LOWER, text[0]) &&
	       strchr(LOWER, text[len - 1]) && !strstr(text, "..");
}

/* "": not known */
static const char *uid_of(const struct record *record)
{
	const char *uid = record->pod_uid ? record->pod_uid : "";
	size_t len = strlen(uid);

	return len <= UID_MAX && strspn(uid, LOWER "ABCDEFGHIJKLMNOPQRSTUVWXYZ-") == len ? uid : "";
}

int event_check(const struct record *record, struct err *err)
{
	const char *container = record->container ? record->container : "";

	if (!is_name(record->pod_namespace, LABEL_MAX, LOWER "-"))
		return err_set(err, "'%.80s' is not a namespace",
			       record->pod_namespace ? record->pod_namespace : "");
	if (!is_name(record->pod, NAME_MAX_LEN, LOWER "-."))
		return err_set(err, "'%.80s' is not the name of a pod",
			       record->pod ? record->pod : "");
	if (container[0] && !is_name(container, LABEL_MAX, LOWER "-"))
		return err_set(err, "'%.80s' is not the name of a container", container);
	return 0;
}

uint64_t event_key(const struct record *record)
{
	char what[LABEL_MAX + NAME_MAX_LEN + UID_MAX + 32];

	(void)snprintf(what, sizeof(what), "%s %s %s %s", record->pod_namespace, record->pod,
		       uid_of(record), record_result_name(record->result));
	return text_hash(what);
}

/* A cut name must not end in '-' or '.', which a digit behind it would not mend. */
static void make_name(const struct record *record, char name[NAME_MAX_LEN + 1])
{
	const int hash_len = 1 + 16;
	int len = snprintf(name, NAME_MAX_LEN + 1, "%.*s", NAME_MAX_LEN - hash_len, record->pod);
	char what[64];

	while (len > 0 && !isalnum((unsigned char)name[len - 1]))
		len--;
	(void)snprintf(what, sizeof(what), "%016llx %lld", (unsigned long long)event_key(record),
		       (long long)record->time / WINDOW_SECONDS);
	(void)snprintf(name + len, (size_t)hash_len + 1, ".%016llx",
		       (unsigned long long)text_hash(what));
}

/* ---- the text ---- */

struct put {
	const struct record *record;
	const char *node;
	int64_t now;
};

/* reason: what a list of events shows in a column, and alerts can name. A sidecar of an annotated
 * pod also gets nothing, as it should be. */
static const struct {
	const char *reason;
	const char *type;
} kinds[] = {
	[RECORD_NOTHING] = {"RDMANotGiven", "Normal"}, [RECORD_GRANTED] = {"RDMAGiven", "Normal"},
	[RECORD_DENIED] = {"RDMADenied", "Warning"},   [RECORD_FAILED] = {"RDMAFailed", "Warning"},
	[RECORD_MISSED] = {"RDMAMissed", "Warning"},   [RECORD_MENDED] = {"RDMAMended", "Normal"},
};

/* What a path is for the pod's author, who knows the container's, and not the node's */
static const char *known_as(const struct record *record, const char *path, size_t len)
{
	static const char *const of_container[] = {"/dev/infiniband/", "/etc/nccl.conf"};

	if (record->policy && strlen(record->policy) == len && !strncmp(path, record->policy, len))
		return "the node's policy";
	for (size_t i = 0; i < sizeof(of_container) / sizeof(of_container[0]); i++) {
		if (text_starts_with(path, of_container[i]))
			return NULL;
	}
	return "a file of the node";
}

/* The API server refuses one that is too long: it is cut between two characters. */
static void put_note(yajl_gen gen, const struct record *record)
{
	const char *container = record->container ? record->container : "";
	const char *reason = record->reason;
	char note[2 * NOTE_MAX];
	size_t len = 0;
	size_t step;

	if (container[0])
		len = (size_t)snprintf(note, sizeof(note), "container %s: ", container);
	while (*reason && len < sizeof(note) - 32) {
		bool begins = *reason == '/' &&
			      (reason == record->reason || strchr(" \"'(=", reason[-1]));
		const char *word;

		step = begins ? strcspn(reason, " \"'(),:;") : 1;
		word = begins ? known_as(record, reason, step) : NULL;
		len += (size_t)snprintf(note + len, sizeof(note) - len, "%.*s",
					word ? (int)strlen(word) : (int)step, word ? word : reason);
		reason += step;
		if (len >= sizeof(note))
			len = sizeof(note) - 1;
	}
	note[len] = '\0';
	text_make_printable(note);
	for (len = 0; (step = text_printable_length(note + len)) > 0 && len + step <= NOTE_MAX;)
		len += step;
	note[len] = '\0';
	json_put_text(gen, "note", note);
}

/* metav1.MicroTime: RFC 3339 with microseconds */
static void put_time(yajl_gen gen, int64_t seconds)
{
	time_t time = (time_t)seconds;
	char text[64];
	struct tm utc;

	if (gmtime_r(&time, &utc) &&
	    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S.000000Z", &utc))
		json_put_text(gen, "eventTime", text);
}

static int put_event(yajl_gen gen, void *context)
{
	const struct put *put = context;
	const struct record *record = put->record;
	char name[NAME_MAX_LEN + 1];

	make_name(record, name);
	(void)yajl_gen_map_open(gen);
	json_put_text(gen, "apiVersion", "events.k8s.io/v1");
	json_put_text(gen, "kind", "Event");
	json_put_string(gen, "metadata");
	(void)yajl_gen_map_open(gen);
	json_put_text(gen, "name", name);
	json_put_text(gen, "namespace", record->pod_namespace);
	(void)yajl_gen_map_close(gen);
	put_time(gen, record->time < put->now ? record->time : put->now);
	json_put_text(gen, "type", kinds[record->result].type);
	json_put_text(gen, "reason", kinds[record->result].reason);
	json_put_text(gen, "action", "GiveRDMA");
	put_note(gen, record);
	json_put_text(gen, "reportingController", CONTROLLER);
	json_put_text(gen, "reportingInstance", put->node);
	json_put_string(gen, "regarding");
	(void)yajl_gen_map_open(gen);
	json_put_text(gen, "apiVersion", "v1");
	json_put_text(gen, "kind", "Pod");
	json_put_text(gen, "namespace", record->pod_namespace);
	json_put_text(gen, "name", record->pod);
	if (uid_of(record)[0])
		json_put_text(gen, "uid", uid_of(record));
	(void)yajl_gen_map_close(gen);
	(void)yajl_gen_map_close(gen);
	return 0;
}

const char *event_text(struct arena *arena, const struct record *record, const char *node,
		       int64_t now, size_t *ret_len)
{
	struct put put = {record, node, now};

	return json_write(arena, false, put_event, &put, ret_len);
}

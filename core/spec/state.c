/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <unistd.h>

#include "core/base/fs.h"
#include "core/base/text.h"
#include "core/json/document.h"
#include "core/spec/spec.h"

#define WHAT "state JSON on stdin"

static bool is_sandbox(struct json_document *doc, const struct json_node *annotations,
		       const char *type)
{
	return json_equals(json_get(doc, annotations, type, JSON_ANY), "sandbox");
}

static int parse(struct arena *arena, const struct fs_text *text, struct state *state,
		 struct err *err)
{
	struct json_document doc;
	const struct json_node *root;
	const struct json_node *annotations;
	const struct json_node *pid;

	if (json_parse(&doc, arena, WHAT, text->bytes, text->len, 0, err) < 0)
		return -1;
	root = doc.root;
	state->id = json_string(&doc, json_get(&doc, root, "id", JSON_STRING));
	state->bundle = json_string(&doc, json_get(&doc, root, "bundle", JSON_STRING));
	state->status = json_string(&doc, json_get(&doc, root, "status", JSON_STRING));
	pid = json_get(&doc, root, "pid", JSON_ANY);
	annotations = json_get(&doc, root, "annotations", JSON_OBJECT | JSON_NULL);
	state->sandbox = is_sandbox(&doc, annotations, "io.kubernetes.cri-o.ContainerType") ||
			 is_sandbox(&doc, annotations, "io.kubernetes.cri.container-type");
	/* The key may repeat: it only decides whether the author gets a message. */
	state->asks = json_equals(json_find(annotations, SPEC_ANNOTATION_PREFIX "inject"), "true");
	if (doc.failed)
		return -1;
	if (!state->id || !state->id[0] || strchr(state->id, '/') || text_has_control(state->id))
		return err_set(err, WHAT ": the container id is missing or cannot be used");
	if (!state->bundle)
		return err_set(err, WHAT ": the bundle is missing");
	/* Read last, because it may fail: a pid that is no integer counts as absent. */
	state->pid = json_int64(&doc, pid, 0);
	return 0;
}

/* The runtime's write fails if we end before it has written all, and the container's start with it
 * (EPIPE; crun's run_process_with_stdin_timeout_envp). */
static void drain(int fd)
{
	char rest[1024];

	while (read(fd, rest, sizeof(rest)) > 0)
		;
}

int state_read(struct arena *arena, int fd, struct state *ret_state, struct err *err)
{
	static const char chosen[] = "run.oci.hooks.stderr";
	/* A state that cannot be read completely may contain the annotation. */
	struct state state = {.stderr_chosen = true};
	struct fs_text text;
	int result = fs_read(arena, fd, STATE_SIZE_MAX, WHAT, &text, err);

	if (result < 0) {
		drain(fd);
	} else {
		/* The key as crun writes it: its JSON has no escapes for letters and dots. */
		state.stderr_chosen = memmem(text.bytes, text.len, chosen, sizeof(chosen) - 1);
		result = parse(arena, &text, &state, err);
	}
	ret_state->stderr_chosen = state.stderr_chosen;
	if (result == 0)
		*ret_state = state;
	return result;
}

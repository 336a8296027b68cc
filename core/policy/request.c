/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "core/policy/policy.h"

static int parse_boolean(const char *value, bool *ret, struct err *err)
{
	if (strcmp(value, "true") != 0 && strcmp(value, "false") != 0)
		return err_set(err, "expected \"true\" or \"false\", found \"%.64s\"", value);
	*ret = strcmp(value, "true") == 0;
	return 0;
}

static int read_containers(const struct spec *spec, const char *value, struct request *request,
			   struct err *err)
{
	const char *own = spec->identity.name;
	const char *name = value;

	request->other_container = true;
	for (;;) {
		size_t len = strcspn(name, ",");

		/* A container's name is a DNS label. */
		if (!len || strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-.") < len)
			return err_set(err,
				       "\"%.64s\" is not a list of container names: write \"a,b\"",
				       value);
		if (own && strlen(own) == len && memcmp(own, name, len) == 0)
			request->other_container = false;
		if (!name[len])
			return 0;
		name += len + 1;
	}
}

/* tests/cli/keys.sh holds all else that names the annotations against the list of known ones. */
static int read_request(const struct spec *spec, const struct spec_annotation *annotation,
			struct request *request, struct err *err)
{
	const char *name = annotation->name;
	const char *value = annotation->value;

	if (strcmp(name, "inject") == 0) { /* "true" asks, "false" refuses */
		bool asked = false;

		if (parse_boolean(value, &asked, err) < 0)
			return -1;
		request->inject = asked ? INJECT_ASKED : INJECT_REFUSED;
		return 0;
	}
	if (strcmp(name, "containers") == 0) /* "a,b": only these containers of the pod */
		return read_containers(spec, value, request, err);
	if (strcmp(name, "memlock") == 0) /* "16Gi": at most this much */
		return quantity_parse(value, &request->memlock, err);
	if (strcmp(name, "nccl") == 0) /* "false": no NCCL values */
		return parse_boolean(value, &request->nccl, err);
	return err_set(err, "unknown; known: inject, containers, memlock, nccl");
}

int request_read(const struct spec *spec, const char *what, struct request *ret_request,
		 struct err *err)
{
	struct request request = {.memlock = MEMLOCK_UNLIMITED, .nccl = true};

	for (size_t i = 0; i < spec->n_annotations; i++) {
		const struct spec_annotation *a = &spec->annotations[i];

		if (read_request(spec, a, &request, err) == 0)
			continue;
		(void)err_prefix(err, "annotation %s%.64s", SPEC_ANNOTATION_PREFIX, a->name);
		/* A message (NRI) has no lines. */
		return a->line ? err_prefix(err, "%s: line %zu", what, a->line)
			       : err_prefix(err, "%s", what);
	}
	request.by_hook = spec->asked && request.inject == INJECT_UNSAID;
	if (request.by_hook)
		request.inject = INJECT_ASKED;
	*ret_request = request;
	return 0;
}

bool request_is_made(const struct spec *spec)
{
	const struct spec_annotation *inject = spec_annotation(spec, "inject");

	return (spec->n_annotations || spec->asked) &&
	       !(inject && strcmp(inject->value, "false") == 0);
}

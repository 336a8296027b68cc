/* SPDX-License-Identifier: Apache-2.0 */
/* Annotations and amounts: "NAME=VALUE" a line, as a pod's author may write them */
#include "core/policy/policy.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cleanup_arena arena = {0};
	struct spec_annotation annotation[8];
	struct spec spec = {.identity = {.name = "trainer"}, .annotations = annotation};
	struct request request;
	struct err err;

	while (size && spec.n_annotations < 8) {
		char *line = (char *)(uintptr_t)fuzz_line(&arena, &data, &size);
		char *value = strchr(line, '=');

		if (value)
			*value++ = '\0';
		/* spec_parse takes no name twice. */
		if (spec_annotation(&spec, line))
			continue;
		annotation[spec.n_annotations++] =
			(struct spec_annotation){.name = line, .value = value ? value : ""};
	}
	if (request_read(&spec, "config.json", &request, &err) < 0)
		return fuzz_failed(&err);
	promise(request.memlock > 0);
	/* Who asks is heard, and a refusal is never overheard. */
	promise(request_is_made(&spec) || request.inject != INJECT_ASKED);
	promise(!request_is_made(&spec) || request.inject != INJECT_REFUSED);
	for (size_t i = 0; i < spec.n_annotations; i++) {
		uint64_t amount;

		if (strcmp(annotation[i].name, "memlock") == 0)
			must(quantity_parse(annotation[i].value, &amount, &err));
	}
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A log of any origin. What is found in it does not depend on how it comes in. */
#include "doctor/symptom/symptom.h"

#include <sys/mman.h>

#include "doctor/symptom/facts.h"
#include "fuzz.h"

static void check(const struct symptoms *symptoms)
{
	promise(symptoms->n <= n_known_rows + FACTS_MAX);
	for (size_t i = 0; i < symptoms->n; i++) {
		const struct symptom *symptom = &symptoms->item[i];

		promise(symptom->lines && symptom->first && symptom->first <= symptoms->lines);
		promise(strlen(symptom->quote) <= SYMPTOM_QUOTE_MAX);
		for (size_t j = 0; j < i; j++)
			promise(symptoms->item[j].known != symptom->known);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cleanup_arena arena = {0};
	cleanup_fd fd = memfd_create("log", MFD_CLOEXEC);
	struct symptoms text;
	struct symptoms file;
	struct err err;

	must(fs_write(fd, (const char *)data, size));
	must((int)lseek(fd, 0, SEEK_SET));
	must(symptoms_of_text(&arena, size ? (const char *)data : "", size, &text, &err));
	must(symptoms_of_fd(&arena, fd, "log", &file, &err));
	check(&text);
	promise(text.n == file.n && text.lines == file.lines && text.errors == file.errors);
	for (size_t i = 0; i < text.n; i++)
		promise(text.item[i].known == file.item[i].known &&
			strcmp(text.item[i].quote, file.item[i].quote) == 0);
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A log of any origin. What is found in it does not depend on how it comes in. */
#include "doctor/symptom/symptom.h"

#include <sys/mman.h>

#include "doctor/symptom/known.h"
#include "fuzz.h"

static void check(const struct findings *findings)
{
	promise(findings->n >= 1 && findings->n <= known_count() + 1);
	for (size_t i = 0; i < findings->n; i++) {
		const struct finding *finding = &findings->item[i];

		promise(strcmp(finding->id, "symptom") == 0 && finding->evidence[0]);
		promise(!text_has_control(finding->evidence) && !text_has_control(finding->remedy));
		/* Each symptom once, and what is not known last */
		promise(finding->subject[0] || i == findings->n - 1);
		for (size_t j = 0; j < i; j++)
			promise(strcmp(findings->item[j].subject, finding->subject) != 0);
		promise(finding->status != FINDING_OK && finding->remedy[0]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cleanup_arena arena = {0};
	cleanup_fd fd = memfd_create("log", MFD_CLOEXEC);
	struct findings text = {.arena = &arena};
	struct findings file = {.arena = &arena};
	struct err err;

	must(fs_write(fd, (const char *)data, size));
	must((int)lseek(fd, 0, SEEK_SET));
	must(symptom_explain(&text, size ? (const char *)data : "", size, &err));
	must(symptom_explain_fd(&file, fd, "log", &err));
	check(&text);
	promise(text.n == file.n);
	for (size_t i = 0; i < text.n; i++)
		promise(strcmp(text.item[i].evidence, file.item[i].evidence) == 0 &&
			text.item[i].status == file.item[i].status);
	return 0;
}

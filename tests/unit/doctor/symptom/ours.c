/* SPDX-License-Identifier: Apache-2.0 */
/* Every message of this project is known: the sources list them. */
#include "suite.h"

#include <ftw.h>

#define TEXT_SIZE 1024

static unsigned texts;
static unsigned unknown;

/* Roughly as printed */
static void shows_ours(const char *text, const char *where)
{
	cleanup_arena arena = {0};
	struct symptoms symptoms;
	const char *names = shown_by(&arena, text, strlen(text), &symptoms);

	texts++;
	if (strncmp(names, "our_", 4) == 0)
		return;
	print_error("# %s: shows %s: %s\n", where, names, text);
	unknown++;
}

/* Reasons of denials, failures and events: "namespace %s is not among the namespaces of %s",
 * "RDMADenied" */
static bool is_ours(const char *text)
{
	return strstr(text, " in %s)") || strstr(text, "namespaces of %s") ||
	       (strncmp(text, "RDMA", 4) == 0 && text[4] >= 'A' && text[4] <= 'Z' &&
		!strchr(text, ' ') && strcmp(text, "RDMAGiven") != 0);
}

/* The string at *at, with adjacent ones */
static void take_string(const char **at, char text[TEXT_SIZE])
{
	size_t len = 0;

	while (**at == '"') {
		for (++*at; **at && **at != '"'; ++*at) {
			if (**at == '\\')
				++*at;
			if (len < TEXT_SIZE - 1)
				text[len++] = **at;
		}
		*at += **at == '"';
		*at += strspn(*at, " \t\n");
	}
	text[len] = '\0';
}

static int look_at_source(const char *path, UNUSED const struct stat *stat, UNUSED int kind,
			  UNUSED struct FTW *place)
{
	size_t len = strlen(path);
	cleanup_arena arena = {0};
	const char *source;
	const char *at;

	if (len < 2 || strcmp(path + len - 2, ".c") != 0)
		return 0;
	source = unit_read(&arena, AT_FDCWD, path);
	for (at = source; (at = strchr(at, '"'));) {
		char text[TEXT_SIZE];

		take_string(&at, text);
		if (is_ours(text))
			shows_ours(text, path);
	}
	return 0;
}

UNIT_TEST("symptom: the reasons of denials, failures and events are known")
{
	texts = unknown = 0;
	assert_int_equal(nftw("core", look_at_source, 8, FTW_PHYS), 0);
	assert_int_equal(nftw("events", look_at_source, 8, FTW_PHYS), 0);
	assert_int_equal(unknown, 0);
	assert_true(texts >= 10);
}

/* messageExpression: 'annotation ' + variables.x + ' is unknown; …' */
UNIT_TEST("symptom: what the admission policy says is known")
{
	cleanup_arena arena = {0};
	const char *at = unit_read(&arena, AT_FDCWD, "config/admission/policy.yaml");

	texts = unknown = 0;
	while ((at = strstr(at, "messageExpression"))) {
		char text[TEXT_SIZE] =
			"pods \"x\" is forbidden: ValidatingAdmissionPolicy "
			"'oci-rdma-hook' with binding 'oci-rdma-hook' denied request: ";
		const char *end = strstr(at, "- expression");

		at = strchr(at, '\'');
		for (size_t len = strlen(text); at && (!end || at < end) && len < TEXT_SIZE - 1;) {
			const char *close = strchr(++at, '\'');

			len += (size_t)snprintf(text + len, TEXT_SIZE - len, "%.*sx",
						(int)(close - at), at);
			at = strchr(close + 1, '\'');
		}
		shows_ours(text, "policy.yaml");
		if (!at || !end)
			break;
		at = end;
	}
	assert_int_equal(unknown, 0);
	assert_true(texts >= 5);
}

static const struct engine_case {
	const char *name, *text, *row;
} engine_cases[] = {
	{"symptom: crun's word for our hook",
	 "Error: container create failed: error executing hook `/usr/bin/oci-rdma-hook` (exit "
	 "code: 1)",
	 "our_hook"},
	{"symptom: crun 1.25's",
	 "error running createRuntime hook #1: `/usr/bin/oci-rdma-hook` (exit code: 1)",
	 "our_hook"},
	{"symptom: runc's",
	 "error running createRuntime hook #0: exit status 1, stdout: , stderr: "
	 "oci-rdma-hook: namespace team-a is not among the namespaces of "
	 "/etc/oci-rdma-hook/config.json (on_denied: fail in "
	 "/etc/oci-rdma-hook/config.json)",
	 "our_denied"},
	{"symptom: NRI's validator",
	 "NRI validation: validator required plugin \"oci-rdma\" not present", "our_nri_required"},
	{"symptom: an event, as kubectl describe shows it",
	 "  Warning  RDMADenied  3m  oci-rdma-events, node-a  container trainer: namespace team-a "
	 "is "
	 "not among the namespaces of /etc/oci-rdma-hook/config.json",
	 "our_denied"},
	{"symptom: an image of ours",
	 "Back-off pulling image \"registry.example/oci-rdma-doctor:0.1.0\"", "our_image"},
};

UNIT_ROWS(engine_cases)
{
	WITH_ARENA;
	struct symptoms symptoms;

	(void)shown_by(&arena, row->text, strlen(row->text), &symptoms);
	assert_true(symptoms.n > 0);
	assert_string_equal(symptoms.item[0].known->name, row->row);
}

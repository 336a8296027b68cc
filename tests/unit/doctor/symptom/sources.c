/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the programs' own sources can print: sources/PROGRAM.txt, made by sources/extract. Each
 * message is put behind the prefix that its program writes, with arguments that it could have, and
 * has to be answered by a cause or by a step of its own part. The share of each source file may not
 * fall below sources/floors.txt. sources/README.md says how the files are written.
 */
#include "suite.h"

#include <glob.h>

#define FOLDER "tests/unit/doctor/symptom/sources/"
#define FILES_MAX 1024

/* How a program prints a message: %F is the source file (%B without folders), %f the function, %M
 * the message, %S its severity as UCX says it */
static const struct prefix {
	const char *program;
	const char *form;
} prefixes[] = {
	{"nccl", "node-1:27:94 [0] %F:77 NCCL WARN %M"},
	{"ucx", "[1612871744.804230] [node-1:17357:0]  %B:77   UCX  %S %M"},
	{"libfabric", "libfabric:47889:1747438790::%P:core:%f():77<warn> %M"},
	{"rdma-core", "libibverbs: %M"},
	{"crun", "Error: crun: %M: OCI runtime error"},
	{"runc", "Error: container create failed: runc create failed: unable to start container "
		 "process: %M"},
	{"crio", "time=\"2026-03-01T10:00:00Z\" level=error msg=\"%M\" file=\"%F:77\""},
	{"containerd", "time=\"2026-03-01T10:00:00Z\" level=error msg=\"CreateContainer within "
		       "sandbox \\\"7f\\\" failed\" error=\"%M\""},
	{"sriov-cni", "Warning  FailedCreatePodSandBox  2s  kubelet  Failed to create pod "
		      "sandbox: plugin type=\"multus\" failed (add): [ns/pod:net]: error adding "
		      "container to network \"net\": plugin type=\"sriov\" failed (add): %M"},
	{"rdma-cni", "Warning  FailedCreatePodSandBox  2s  kubelet  Failed to create pod sandbox: "
		     "error adding container to network \"net\": plugin type=\"rdma\" failed "
		     "(add): %M"},
	{"host-device", "Warning  FailedCreatePodSandBox  2s  kubelet  Failed to create pod "
			"sandbox: error adding container to network \"net\": plugin "
			"type=\"host-device\" failed (add): %M"},
	{"sriov-operator", "2026-03-01T10:00:00.1Z\tERROR\tsriov-network-config-daemon\t%F:77\t%M"},
	{"device-plugin", "E0325 13:39:02.324084       1 %B:77] %M"},
	{"network-operator", "2026-03-01T10:00:00.1Z\tERROR\tcontrollers.NicClusterPolicy\t%M"},
};

/* Of one source file */
struct share {
	char path[160];
	unsigned causes;
	unsigned reasons; /* what the line's own words give as one */
	unsigned steps;   /* of the part */
	unsigned total;   /* of what the environment can cause */
	unsigned floor;   /* per cent */
};

static struct share shares[FILES_MAX];
static size_t n_shares;
static unsigned nothings;

static char *put(char *to, const char *end, const char *text, size_t len)
{
	for (size_t i = 0; i < len && to < end; i++)
		*to++ = text[i];
	*to = '\0';
	return to;
}

/* The message with arguments; which: chooses the reason */
static void fill(const char *format, unsigned which, char *to, const char *end)
{
	static const char *const reasons[] = {"No such file or directory",
					      "Permission denied",
					      "Invalid argument",
					      "Connection refused",
					      "Connection timed out",
					      "Cannot allocate memory",
					      "No such device",
					      "Operation not permitted"};

	for (; *format; format++) {
		const char *text = format;
		size_t len = 1;

		if (*format == '%' && format[1]) {
			char kind = *++format;

			text = kind == 'm'                ? reasons[which % LENGTH(reasons)]
			       : strchr("diuxXpzc", kind) ? "7"
							  : "mlx5_0";
			len = strlen(text);
		}
		to = put(to, end, text, len);
	}
}

static const char *severity_of(char letter)
{
	return letter == 'E' ? "ERROR" : letter == 'F' ? "FATAL" : "WARN ";
}

struct row {
	char severity;
	bool caller; /* a mistake of the program's caller, which no environment makes */
	const char *function;
	const char *format;
	const char *path;
};

static const char *part_of_prefix(char kind, const struct row *row, const char *message)
{
	const char *base = strrchr(row->path, '/');
	const char *path = strncmp(row->path, "src/", 4) == 0 ? row->path + 4 : row->path;

	switch (kind) {
	case 'F':
		return path;
	case 'B':
		return base ? base + 1 : row->path;
	case 'f':
		return row->function;
	case 'P':
		return strstr(row->path, "/efa/") ? "efa" : "verbs";
	case 'S':
		return severity_of(row->severity);
	default:
		return message;
	}
}

static void line_of(const char *form, const struct row *row, unsigned which, char line[4096])
{
	char message[2048] = "";
	char *to = line;

	fill(row->format, which, message, message + sizeof(message) - 1);
	for (; *form; form++) {
		const char *text = form;
		size_t len = 1;

		if (*form == '%') {
			text = part_of_prefix(*++form, row, message);
			len = strlen(text);
		}
		to = put(to, line + 4095, text, len);
	}
}

enum answer { NOTHING, GENERAL, STEP, REASON, CAUSE };

/* The step of a whole engine or runtime is a general one. */
static bool is_of_a_whole_program(const char *evidence)
{
	static const char *const wholes[] = {
		"it comes from the runtime crun:", "it comes from the runtime runc:",
		"it comes from CRI-O:", "it comes from containerd:", "it comes from the engine:"};

	for (size_t i = 0; i < LENGTH(wholes); i++) {
		if (strstr(evidence, wholes[i]))
			return true;
	}
	return false;
}

static enum answer answer_to(const char *line)
{
	cleanup_arena arena = {0};
	struct findings findings = {.arena = &arena};
	struct err err = {0};
	const char *evidence;

	assert_int_equal(symptom_explain(&findings, line, strlen(line), &err), 0);
	for (size_t i = 0; i < findings.n; i++) {
		if (findings.item[i].subject[0])
			return CAUSE;
	}
	evidence = findings.item[0].evidence;
	if (strstr(evidence, "nothing that looks like an error"))
		return NOTHING;
	if (strstr(evidence, "but a line says why"))
		return REASON;
	return strstr(evidence, "it comes from") && !is_of_a_whole_program(evidence) ? STEP
										     : GENERAL;
}

static void count_row(const char *form, const struct row *row, unsigned which, struct share *share)
{
	char line[4096];
	enum answer answer;

	line_of(form, row, which, line);
	answer = answer_to(line);
	if (answer == NOTHING) {
		print_error("# nothing is said of: %s\n", line);
		nothings++;
	}
	if (row->caller)
		return;
	share->total++;
	share->causes += answer == CAUSE;
	share->reasons += answer == REASON;
	share->steps += answer == STEP;
	if (answer < STEP && getenv("SYMPTOM_GAPS"))
		print_message("# gap: %s: %s\n", share->path, line);
}

/* "W-\tncclInit\tv2.21.5-1..v2.30.7-1\tno %s\n" */
static bool parse_row(char *text, struct row *ret_row)
{
	char *function = strchr(text, '\t');
	char *version = function ? strchr(function + 1, '\t') : NULL;
	char *format = version ? strchr(version + 1, '\t') : NULL;

	if (!format)
		return false;
	*function = *version = '\0';
	format[strcspn(format, "\n")] = '\0';
	ret_row->severity = text[0];
	ret_row->caller = text[1] == '-';
	ret_row->function = function + 1;
	ret_row->format = format + 1;
	return true;
}

static void read_program(const struct prefix *prefix)
{
	char path[256];
	char text[2048];
	struct share *share = NULL;
	unsigned which = 0;
	FILE *file;

	(void)snprintf(path, sizeof(path), FOLDER "%s.txt", prefix->program);
	file = fopen(path, "re");
	assert_non_null(file);
	while (fgets(text, sizeof(text), file)) {
		struct row row = {0};

		if (text[0] == '#')
			continue;
		if (text[0] == '@') {
			assert_true(n_shares < FILES_MAX);
			share = &shares[n_shares++];
			(void)snprintf(share->path, sizeof(share->path), "%s/%.*s", prefix->program,
				       (int)strcspn(text + 2, "\n"), text + 2);
			continue;
		}
		if (!parse_row(text, &row) || !share)
			fail_msg("%s: no row: %s", path, text);
		row.path = share->path + strlen(prefix->program) + 1;
		count_row(prefix->form, &row, which++, share);
	}
	(void)fclose(file);
}

static unsigned share_of(unsigned told, unsigned total)
{
	return total ? 100 * told / total : 100;
}

static void read_floors(void)
{
	FILE *file = fopen(FOLDER "floors.txt", "re");
	char path[160];
	unsigned floor;

	assert_non_null(file);
	while (fscanf(file, "%u %159s", &floor, path) == 2) {
		for (size_t i = 0; i < n_shares; i++) {
			if (strcmp(shares[i].path, path) == 0)
				shares[i].floor = floor;
		}
	}
	(void)fclose(file);
}

static size_t below_their_floors(void)
{
	size_t below = 0;

	for (size_t i = 0; i < n_shares; i++) {
		const struct share *share = &shares[i];
		unsigned told = share->causes + share->reasons + share->steps;

		print_message("# %3u %s: %u of %u: %u causes, %u reasons, %u parts\n",
			      share_of(told, share->total), share->path, told, share->total,
			      share->causes, share->reasons, share->steps);
		if (share_of(told, share->total) >= share->floor)
			continue;
		print_error("# %s: below its floor of %u %%; SYMPTOM_GAPS=1 lists the gaps\n",
			    share->path, share->floor);
		below++;
	}
	return below;
}

static unsigned print_totals(const struct prefix *prefix)
{
	struct share sum = {.total = 0};
	size_t len = strlen(prefix->program);
	unsigned told;

	for (size_t i = 0; i < n_shares; i++) {
		if (strncmp(shares[i].path, prefix->program, len) != 0 ||
		    shares[i].path[len] != '/')
			continue;
		sum.total += shares[i].total;
		sum.causes += shares[i].causes;
		sum.reasons += shares[i].reasons;
		sum.steps += shares[i].steps;
	}
	told = sum.causes + sum.reasons + sum.steps;
	print_message("# %s: %u %% of %u: %u causes, %u reasons, %u parts\n", prefix->program,
		      share_of(told, sum.total), sum.total, sum.causes, sum.reasons, sum.steps);
	return share_of(told, sum.total);
}

/* A floor of a file that there is no longer is forgotten, and a file without one has 0: a new
 * release's messages are judged by the totals. */
#define TOLD_OF_EACH 80

static void what_the_programs_can_print_is_told(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH(prefixes); i++)
		read_program(&prefixes[i]);
	read_floors();
	assert_int_equal(below_their_floors(), 0);
	for (size_t i = 0; i < LENGTH(prefixes); i++)
		assert_true(print_totals(&prefixes[i]) >= TOLD_OF_EACH);
	assert_int_equal(nothings, 0);
}

/* Each program's file is fed: one that is forgotten in prefixes would be no test. */
static void every_program_is_fed(void **state)
{
	glob_t found = {0};

	(void)state;
	assert_int_equal(glob(FOLDER "*.txt", 0, NULL, &found), 0);
	assert_int_equal(found.gl_pathc, LENGTH(prefixes) + 1); /* and floors.txt */
	globfree(&found);
}

void add_sources_tests(struct unit_suite *suite)
{
	unit_add(suite, "symptom: what the programs' sources can print is told",
		 what_the_programs_can_print_is_told, NULL);
	unit_add(suite, "symptom: each program's messages are fed", every_program_is_fed, NULL);
}

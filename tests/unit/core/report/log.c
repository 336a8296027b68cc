/* SPDX-License-Identifier: Apache-2.0 */
/* What the log, the caller and the record say of an outcome */
#include <linux/capability.h>
#include <sys/mount.h>

#include "core/base/names.h"
#include "core/record/record.h"
#include "core/record/store.h"
#include "core/report/log.h"
#include "core/report/outcome.h"
#include "tests/unit/unit.h"

#define ASKS "{\"annotations\":{\"oci-rdma-hook.io/inject\":\"true\"}}"
#define PLAIN "{}"
#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

/* Beginnings of lines, in order */
#define GRANT "grant:"
#define GRANT_OF(capabilities)                                                                     \
	"grant: container=" ID " name=- pod=pod namespace=team-a devices=- memlock=- "             \
	"capabilities=" capabilities " nccl="
#define FAILURE "test: broken"
#define DENIAL "denied:"
#define NONE "none:"

enum switches {
	REPEATS = 1 << 0,
	TELLS = 1 << 1,
	CHANGED = 1 << 2,
	MUST_FAIL = 1 << 3,
	SILENT = 1 << 5, /* no reason */
	NO_ID = 1 << 6,
	NO_SYSROOT = 1 << 7,
	SHORT = 1 << 8,    /* the engine cannot set that limit, */
	WITHHELD = 1 << 9, /* or these capabilities */
	LACKS = SHORT | WITHHELD,
	UNCONFINED = 1 << 10,
	CAPABILITIES = 1 << 11, /* the plan's are set */
};

static const struct log_case {
	const char *name;
	enum record_result outcome;
	enum decision decision;
	const char *spec; /* NULL: could not be read */
	unsigned switches;
	const char *noted; /* denied or nothing, by this entry point; NULL: none */
	enum record_result result;
	const char *logged; /* NULL: nothing */
	const char *logged_next;
	const char *told;
	bool recorded;
} log_cases[] = {
	{"nothing: says why", RECORD_NOTHING, DECISION_NONE, ASKS, 0, NULL, 0, NONE, NULL, NULL,
	 true},
	{"nothing: no record without a node", RECORD_NOTHING, DECISION_NONE, ASKS, NO_SYSROOT, NULL,
	 0, NONE, NULL, NULL, false},
	{"nothing: not to one that does not ask", RECORD_NOTHING, DECISION_NONE, PLAIN, 0, NULL, 0,
	 NULL, NULL, NULL, false},
	{"nothing: no reason, no line", RECORD_NOTHING, DECISION_NONE, ASKS, SILENT, NULL, 0, NULL,
	 NULL, NULL, false},
	{"nothing: not again in a repeated run", RECORD_NOTHING, DECISION_NONE, ASKS, REPEATS, NULL,
	 0, NULL, NULL, NULL, false},
	{"nothing: not what another entry point has noted", RECORD_NOTHING, DECISION_NONE, ASKS, 0,
	 "other", RECORD_NOTHING, NULL, NULL, NULL, false},
	{"nothing: though another one has noted a denial", RECORD_NOTHING, DECISION_NONE, ASKS, 0,
	 "other", RECORD_DENIED, NONE, NULL, NULL, true},
	{"nothing: though we have noted it ourselves", RECORD_NOTHING, DECISION_NONE, ASKS, 0,
	 "test", RECORD_NOTHING, NONE, NULL, NULL, true},
	{"nothing: without an id no note is ours", RECORD_NOTHING, DECISION_NONE, ASKS, NO_ID,
	 "other", RECORD_NOTHING, NONE, NULL, NULL, false},
	{"nothing: an unreadable spec, to one who tells", RECORD_NOTHING, DECISION_NONE, NULL,
	 TELLS, NULL, 0, FAILURE, NULL, FAILURE, false},
	{"nothing: an unreadable spec, else", RECORD_NOTHING, DECISION_NONE, NULL, 0, NULL, 0, NULL,
	 NULL, NULL, false},
	{"nothing: a readable spec, to one who tells", RECORD_NOTHING, DECISION_NONE, ASKS, TELLS,
	 NULL, 0, NONE, NULL, NULL, true},

	{"granted: one line", RECORD_GRANTED, DECISION_GRANT, ASKS, CHANGED, NULL, 0, GRANT, NULL,
	 NULL, true},
	{"granted: an entry point that cannot give capabilities claims none", RECORD_GRANTED,
	 DECISION_GRANT, ASKS, CHANGED, NULL, 0, GRANT_OF("-"), NULL, NULL, true},
	{"granted: capabilities that were given", RECORD_GRANTED, DECISION_GRANT, ASKS,
	 CHANGED | CAPABILITIES, NULL, 0, GRANT_OF("CAP_IPC_LOCK"), NULL, NULL, true},
	{"granted: TCP alone", RECORD_GRANTED, DECISION_TCP, ASKS, CHANGED, NULL, 0, "tcp:", NULL,
	 NULL, true},
	{"granted: nothing changed, no line", RECORD_GRANTED, DECISION_GRANT, ASKS, 0, NULL, 0,
	 NULL, NULL, NULL, false},
	{"granted: what the engine cannot give", RECORD_GRANTED, DECISION_GRANT, ASKS, LACKS, NULL,
	 0, "test: short", "test: withheld", NULL, false},
	{"granted: also that we were not confined", RECORD_GRANTED, DECISION_GRANT, ASKS,
	 CHANGED | UNCONFINED, NULL, 0, GRANT, "test: free", NULL, true},
	{"nothing: not that we were not confined", RECORD_NOTHING, DECISION_NONE, ASKS, UNCONFINED,
	 NULL, 0, NONE, NULL, NULL, true},
	{"granted: only a lower limit", RECORD_GRANTED, DECISION_GRANT, ASKS, SHORT, NULL, 0,
	 "test: short", NULL, NULL, false},
	{"granted: only without capabilities", RECORD_GRANTED, DECISION_GRANT, ASKS,
	 WITHHELD | CHANGED, NULL, 0, GRANT, "test: withheld", NULL, true},
	{"granted: not again in a repeated run", RECORD_GRANTED, DECISION_GRANT, ASKS,
	 LACKS | REPEATS, NULL, 0, NULL, NULL, NULL, false},
	{"granted: no line in a repeated run", RECORD_GRANTED, DECISION_GRANT, ASKS,
	 CHANGED | REPEATS, NULL, 0, NULL, NULL, NULL, false},

	{"denied: one line", RECORD_DENIED, DECISION_DENIED, ASKS, 0, NULL, 0, DENIAL, NULL, NULL,
	 true},
	{"denied, must fail: the caller is told", RECORD_DENIED, DECISION_DENIED, ASKS, MUST_FAIL,
	 NULL, 0, DENIAL, NULL, DENIAL, true},
	{"denied: not again in a repeated run", RECORD_DENIED, DECISION_DENIED, ASKS, REPEATS, NULL,
	 0, NULL, NULL, NULL, false},
	{"denied: not what another entry point has noted", RECORD_DENIED, DECISION_DENIED, ASKS, 0,
	 "other", RECORD_DENIED, NULL, NULL, NULL, false},
	{"denied: though another one has noted nothing", RECORD_DENIED, DECISION_DENIED, ASKS, 0,
	 "other", RECORD_NOTHING, DENIAL, NULL, NULL, true},
	{"denied, must fail: also what another has said", RECORD_DENIED, DECISION_DENIED, ASKS,
	 MUST_FAIL, "other", RECORD_DENIED, DENIAL, NULL, DENIAL, false},

	{"failed: the log alone", RECORD_FAILED, DECISION_GRANT, ASKS, 0, NULL, 0, FAILURE, NULL,
	 NULL, true},
	{"failed: to one who tells", RECORD_FAILED, DECISION_GRANT, ASKS, TELLS, NULL, 0, FAILURE,
	 NULL, FAILURE, true},
	{"failed, must fail: the caller is told", RECORD_FAILED, DECISION_GRANT, ASKS, MUST_FAIL,
	 NULL, 0, FAILURE, NULL, FAILURE, true},
	{"failed: what was given before it", RECORD_FAILED, DECISION_GRANT, ASKS, CHANGED, NULL, 0,
	 GRANT, FAILURE, NULL, true},
	{"failed, must fail: nothing counts as given", RECORD_FAILED, DECISION_GRANT, ASKS,
	 CHANGED | MUST_FAIL, NULL, 0, FAILURE, NULL, FAILURE, true},
	{"failed: a repeated run was to repair the limit", RECORD_FAILED, DECISION_GRANT, ASKS,
	 CHANGED | REPEATS, NULL, 0, FAILURE, NULL, NULL, true},
	{"failed: a repeated run of TCP has said it before", RECORD_FAILED, DECISION_TCP, ASKS,
	 REPEATS, NULL, 0, NULL, NULL, NULL, false},
	{"failed: a repeated run without a spec cannot know", RECORD_FAILED, DECISION_NONE, NULL,
	 REPEATS, NULL, 0, FAILURE, NULL, NULL, true},
};

/* ---- one outcome, in a child: which log there is holds for the whole program ---- */

#define NOT_HERE 77

static void log_outcome(const struct log_case *row, const struct unit_dir *dir)
{
	cleanup_container container = CONTAINER_NONE;
	const struct options options = {.sysroot = dir->path};
	struct outcome outcome = {
		.entry_point = "test",
		.options = row->switches & NO_SYSROOT ? NULL : &options,
		.tells = row->switches & TELLS,
		.repeats = row->switches & REPEATS,
		.changed = row->switches & CHANGED,
		.capabilities = row->switches & CAPABILITIES,
		.err = {.text = "broken"},
		.result = row->outcome,
		.must_fail = row->switches & MUST_FAIL,
		.reason = row->switches & SILENT ? NULL : "because",
	};
	struct err err;

	if (node_open(dir->path, &container.node, &err) < 0)
		_exit(1);
	container.id = row->switches & NO_ID ? NULL : ID;
	if (row->spec) {
		container.text = (struct fs_text){.bytes = (char *)(uintptr_t)row->spec,
						  .len = strlen(row->spec)};
		if (container_parse_spec(&container, "config.json", &err) < 0)
			_exit(1);
		container.spec.identity.pod = "pod";
		container.spec.identity.pod_namespace = "team-a";
	}
	container.plan = (struct plan){
		.decision = row->decision,
		.reason = "because",
		.granted = UINT64_C(1) << CAP_IPC_LOCK,
		.low_limit_reason = row->switches & SHORT ? "short" : NULL,
		.missing_capabilities_reason = row->switches & WITHHELD ? "withheld" : NULL,
	};
	if (row->switches & UNCONFINED)
		err_set(&outcome.unconfined, "free");
	outcome_log(&container, &outcome);
}

/* Without a reader of /dev/log a daemon's lines go to stderr. */
static bool have_no_journal(void)
{
	return access("/dev/log", F_OK) < 0 ||
	       (unshare(CLONE_NEWNS) == 0 &&
		mount("/dev/null", "/dev/log", NULL, MS_BIND, NULL) == 0);
}

static void in_child(const struct log_case *row, const struct unit_dir *dir, bool as_daemon,
		     char *ret, size_t size)
{
	int ends[2];
	size_t len = 0;
	ssize_t n;
	int status;
	pid_t child;

	assert_int_equal(pipe(ends), 0);
	child = unit_fork();
	if (child == 0) {
		(void)dup2(ends[1], STDERR_FILENO);
		if (!have_no_journal())
			_exit(NOT_HERE);
		if (as_daemon)
			log_as_daemon("unit");
		log_outcome(row, dir);
		_exit(0);
	}
	(void)close(ends[1]);
	while (len < size - 1 && (n = read(ends[0], ret + len, size - 1 - len)) > 0)
		len += (size_t)n;
	ret[len] = '\0';
	(void)close(ends[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	if (status == NOT_HERE << 8)
		UNIT_SKIP("no mount namespace can be made here");
	assert_int_equal(status, 0);
}

/* text: lines, each after the program's name */
static void assert_lines(const char *text, const char *program, const char *const *want, size_t n)
{
	char front[256];

	for (size_t i = 0; i < n && want[i]; i++) {
		snprintf(front, sizeof(front), "%s: %s", program, want[i]);
		if (strncmp(text, front, strlen(front)) != 0)
			fail_msg("want: %s\ngot:  %s", front, text);
		text = strchr(text, '\n') + 1;
	}
	assert_string_equal(text, "");
}

/* This entry point's; another one's may have been there. */
static bool has_record(const struct unit_dir *dir)
{
	cleanup_arena arena = {0};
	struct record record;
	struct err err;

	return record_read(&arena, dir->fd, ID, &record, &err) == 1 &&
	       strcmp(record.entry_point, "test") == 0;
}

static void leave(const struct log_case *row, const struct unit_dir *dir)
{
	const struct record record = {
		.id = ID, .result = row->result, .reason = "because", .entry_point = row->noted};
	struct err err;

	if (row->noted && record_write(dir->path, &record, &err) < 0)
		fail_msg("%s", err.text);
}

UNIT_ROWS(log_cases)
{
	cleanup_unit_dir dir = unit_dir_make();
	char text[4096];

	assert_int_equal(mkdirat(dir.fd, "run", 0755), 0);
	leave(row, &dir);
	in_child(row, &dir, true, text, sizeof(text));
	assert_lines(text, "unit", (const char *const[]){row->logged, row->logged_next}, 2);
	assert_int_equal(has_record(&dir), row->recorded);
	in_child(row, &dir, false, text, sizeof(text));
	assert_lines(text, HOOK_NAME, &row->told, 1);
}

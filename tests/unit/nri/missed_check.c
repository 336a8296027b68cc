/* SPDX-License-Identifier: Apache-2.0 */
/* Looks at a container that is about to start, and at those older than the plugin */
#include "core/record/store.h"
#include "nri/message/message.h"
#include "nri/message/message_spec.h"
#include "tests/unit/nri/nri.h"

#include "core/base/clock.h"
#include "core/container/container.h"
#include "core/record/record.h"
#include "nri/missed_check.h"
#include "nri/session.h"

#define ENGINE "containerd /run/nri/nri.sock"

/* ---- one container ---- */

#define ID "c0ffee"
#define CGROUP "sys/fs/cgroup/a/" ID
#define FUNCTION "devices/pci0000:3a/0000:3a:00.0/0000:3b:02.6/infiniband_verbs/uverbs6"
#define REFUSE "\"on_missed\":\"refuse\""
#define MEND "\"on_missed\":\"mend\""
#define FINITE "\"memlock\":\"128Ki\"" /* PLAN */
#define UNKNOWN "\"memlok\":1"
/* Processes in its cgroup: a recorded one, another container's, and a real one */
#define RECORDED 2
#define FOREIGN 4712
#define REAL (-1)

enum { STARTS, RUNS = 3, STOPPED = 4 };

static const struct look_case {
	const char *name;
	const char *config;
	int state;
	bool unasked, bare;              /* no annotation; no device */
	const char *nccl;                /* of this annotation */
	const char *id, *its_name, *pod; /* NULL: usual */
	bool has_settings, has_limit;    /* in its spec */
	const char *before;              /* its record's result */
	const char *by;                  /* its entry point; NULL: the plugin */
	int64_t pid;                     /* sent by the engine */
	int64_t listed;                  /* in its cgroup */
	const char *limit;               /* of that process */
	bool unwritable;                 /* records */
	bool lost;                       /* part of the runtime's message */

	enum look_result result;
	const char *after; /* its record's result; NULL: no record */
	size_t lines;
	const char *says; /* in these lines */
} look_cases[] = {
#define MISSED .after = "missed", .lines = 1
	/* Was there something to miss? */
	{"starts: nobody has decided about it", MISSED,
	 .says = "not started yet, or ended); delete"},
	{"runs: nobody has decided about it", .state = RUNS, MISSED,
	 .says = "no plugin has decided"},
	{"starts: no device", .bare = true},
	{"starts: does not ask", .unasked = true},
	{"starts: does not ask, opt_in device", "\"opt_in\":\"device\"", .unasked = true, MISSED},
	{"starts: would be denied", .config = "\"namespaces\":[\"other\"]"},
	{"starts: the policy cannot be read", UNKNOWN, .lines = 1, .says = "memlok",
	 .result = LOOK_UNSEEN},
	{"runs: the policy cannot be read", UNKNOWN, .state = RUNS, .lines = 1, .says = "memlok",
	 .result = LOOK_UNSEEN},
	{"stopped", .state = STOPPED},
	{"runs: an annotation that cannot be read", .state = RUNS, .nccl = "perhaps",
	 .result = LOOK_UNSEEN, .lines = 1, .says = "Synchronize"},
	{"runs: it has no id", .state = RUNS, .id = ""},
	{"runs: its pod is not told", "\"opt_in\":\"device\"", .state = RUNS, .pod = "", MISSED},
	{"runs: its pod may be in what is lost", "\"opt_in\":\"device\"", .state = RUNS, .pod = "",
	 .lost = true, .result = LOOK_UNSEEN},
	{"runs: something is lost, and its pod is there", .state = RUNS, .lost = true, MISSED},

	{"runs: its name is no name", .state = RUNS, .its_name = "a\n", .result = LOOK_UNSEEN},
	{"runs: its pod's name is no name", .state = RUNS, .pod = "a\n", .result = LOOK_UNSEEN},

	/* Decisions */
	{"starts: denied before", .before = "denied", .after = "denied"},
	{"starts: granted, and it has its variables", .has_settings = true, .before = "granted",
	 .after = "granted"},
	{"runs: granted, and it has its variables", .state = RUNS, .has_settings = true,
	 .before = "granted", .after = "granted"},
	{"starts: granted, and the engine never had the answer", .before = "granted", MISSED},
	{"runs: granted, and the engine never had the answer", .state = RUNS, .before = "granted",
	 MISSED},
	{"starts: the hook has granted, which sets no variable of the engine's", REFUSE,
	 .before = "granted", .by = "createRuntime", .after = "granted"},
	{"runs: the shim has granted, which the engine does not see", .state = RUNS,
	 .before = "granted", .by = "runtime", .after = "granted"},
	{"starts: no record, and it has its variables", .has_settings = true},
	{"starts: no record, a plan without variables", .nccl = "false", MISSED},
	{"runs: no record; its image may have its variables", .state = RUNS, .has_settings = true,
	 MISSED},
	{"starts: the other plugin has said that it is missed", .before = "missed",
	 .after = "missed"},
	{"runs: it was said before that it is missed", .state = RUNS, .before = "missed",
	 .after = "missed"},
	{"starts: the other plugin has mended it", .before = "mended", .after = "mended"},
	{"runs: it was mended before", .state = RUNS, .before = "mended", .after = "mended"},

	/* Its limit */
	{"starts: its process has less", FINITE, .listed = RECORDED, .limit = "131071", MISSED,
	 .says = "131071 bytes"},
	{"starts: its process has as much", FINITE, .listed = RECORDED, .limit = "131072"},
	{"runs: the engine tells its process", .state = RUNS, .pid = RECORDED,
	 .limit = "unlimited"},
	{"runs: the process that the engine tells is in another cgroup", .state = RUNS,
	 .pid = FOREIGN, .listed = RECORDED, .limit = "unlimited", MISSED,
	 .says = "cannot be seen"},
	{"runs: process 1 is no container's", .state = RUNS, .pid = 1, .limit = "unlimited", MISSED,
	 .says = "cannot be seen"},
	{"runs: no process is seen, and the spec has the limit", .state = RUNS, .has_limit = true},
	{"runs: the spec has the limit, and the process has less", .state = RUNS, .has_limit = true,
	 .pid = RECORDED, .limit = "1", MISSED, .says = "1 bytes"},

	{"runs: missed before, and it has the limit by now", .state = RUNS, .before = "missed",
	 .pid = RECORDED, .limit = "unlimited", .after = "mended"},
	{"runs: missed before, and it would be denied now", .config = "\"namespaces\":[\"other\"]",
	 .state = RUNS, .before = "missed", .pid = RECORDED, .limit = "unlimited",
	 .after = "missed"},

	/* Actions */
	{"starts, refuse: it must not", REFUSE, MISSED, .result = LOOK_REFUSED},
	{"runs, refuse: it goes on", REFUSE, .state = RUNS, MISSED},
	{"starts, mend: no process is found", MEND "," FINITE, MISSED,
	 .says = "or hostPID is missing; delete the pod"},
	{"starts, mend: its process is raised", MEND "," FINITE, .listed = REAL, .limit = "1",
	 .after = "mended", .lines = 1, .says = "its 1 processes"},
	{"runs, mend: what was missed before", MEND "," FINITE, .state = RUNS, .before = "missed",
	 .listed = REAL, .limit = "1", .after = "mended", .lines = 1, .says = "mended: "},

	/* If no record can be written, a missing one proves nothing. */
	{"no records, runs: who knows", .state = RUNS, .unwritable = true, .result = LOOK_UNSEEN,
	 .lines = 1, .says = "cannot leave a record"},
	{"no records, starts: who knows", REFUSE, .nccl = "false", .unwritable = true, .lines = 1,
	 .result = LOOK_UNSEEN},
	{"no records, starts, refuse: without its variables", REFUSE, .unwritable = true,
	 .result = LOOK_REFUSED, .lines = 2},
	{"no records, starts, refuse: with a low limit", REFUSE, .nccl = "false",
	 .unwritable = true, .listed = RECORDED, .limit = "1", .result = LOOK_REFUSED, .lines = 2},
};

static void write_process(int root, int64_t pid, const char *id, const char *limit)
{
	char path[64];
	char text[128];

	snprintf(path, sizeof(path), "proc/%d/cgroup", (int)pid);
	snprintf(text, sizeof(text), "0::/a/%s\n", id);
	unit_write(root, path, text, 0600);
	snprintf(path, sizeof(path), "proc/%d/limits", (int)pid);
	snprintf(text, sizeof(text), "Max locked memory  %s  65536  bytes\n", limit);
	unit_write(root, path, text, 0600);
}

static enum record_result result_of(const char *name)
{
	size_t result = 0;

	while (name && strcmp(record_result_names[result], name) != 0)
		result++;
	return (enum record_result)result;
}

/* Returns the real process, or 0. */
static pid_t make_node(const struct unit_dir *dir, const struct look_case *row)
{
	static struct json_pair hca = {"NCCL_IB_HCA", "=mlx5_6"};
	const struct record record = {.id = ID,
				      .result = result_of(row->before),
				      .entry_point = row->by ? row->by : "nri",
				      .reason = "before",
				      .settings = {&hca, 1}};
	pid_t real = row->listed == REAL ? start_one() : 0;
	char text[256];
	struct err err;

	unit_write(dir->fd, "sys/dev/char/x", "", 0600);
	unit_write(dir->fd, "sys/" FUNCTION "/ibdev", "mlx5_6\n", 0600);
	assert_int_equal(symlinkat("../../" FUNCTION, dir->fd, "sys/dev/char/231:198"), 0);
	snprintf(text, sizeof(text), "{%s}", row->config ? row->config : "");
	unit_write(dir->fd, "etc/oci-rdma-hook/config.json", text, 0600);
	snprintf(text, sizeof(text), "0\n%d\n", real ? real : (int)row->listed);
	unit_write(dir->fd, CGROUP "/cgroup.procs", text, 0600);
	if (row->limit) {
		write_process(dir->fd, 1, ID, row->limit);
		write_process(dir->fd, real ? real : RECORDED, ID, row->limit);
		write_process(dir->fd, FOREIGN, "other", row->limit);
	}
	assert_int_equal(mkdirat(dir->fd, "run", 0755), 0);
	if (row->unwritable)
		unit_write(dir->fd, RECORD_DIR, "no directory", 0600);
	else if (row->before)
		assert_int_equal(record_write(dir->path, &record, &err), 0);
	return real;
}

static enum look_result examine_known(const struct options *options, struct message left, bool lost)
{
	struct known known = {.lost = lost};
	struct look look = {options, &known};
	cleanup_arena arena = {0};
	struct field field;
	uint64_t unseen;
	int ends[2];

	while (field_next(&left, &field) > 0)
		*arena_push(&arena, known.items, known.n, known.room) = field;
	assert_int_equal(pipe(ends), 0);
	examine_running(&look, ends[1]);
	assert_int_equal(close(ends[1]), 0);
	assert_int_equal(read(ends[0], &unseen, sizeof(unseen)), sizeof(unseen));
	assert_int_equal(close(ends[0]), 0);
	assert_in_range(unseen, 0, 1);
	return unseen ? LOOK_UNSEEN : LOOK_NOTHING;
}

static void put_row(const struct look_case *row, struct buffer *pod, struct buffer *container)
{
	struct buffer platform = empty_buffer();

	put_text(pod, 1, row->pod && !row->pod[0] ? "another" : "pod");
	put_text(pod, 2, row->pod ? row->pod : "h-kim-0");
	put_text(pod, 4, "team-a");
	if (!row->unasked)
		put_entry(pod, 6, "oci-rdma-hook.io/inject", "true");
	if (row->nccl)
		put_entry(pod, 6, "oci-rdma-hook.io/nccl", row->nccl);
	put_text(container, 1, row->id ? row->id : ID);
	put_text(container, 2, "pod");
	put_text(container, 3, row->its_name ? row->its_name : "");
	put_number(container, 4, (uint64_t)row->state);
	if (row->has_settings)
		put_text(container, 8, "NCCL_IB_HCA==mlx5_6");
	if (!row->bare)
		put_device(&platform, "c", 231);
	put_text(&platform, 5, "/a/" ID);
	put_inside(container, 11, &platform);
	put_number(container, 12, (uint64_t)row->pid);
	if (row->has_limit)
		put_rlimit(container, "RLIMIT_MEMLOCK", UINT64_MAX, UINT64_MAX);
}

static enum look_result look_at_row(const struct options *options, const struct look_case *row)
{
	cleanup_container container = CONTAINER_NONE;
	cleanup_buffer pod = empty_buffer();
	cleanup_buffer told = empty_buffer();
	cleanup_buffer known = empty_buffer();
	struct message message;
	const Nri__PodSandbox *its_pod;
	const Nri__Container *unpacked;
	struct err err;

	put_row(row, &pod, &told);
	if (row->state == STARTS) {
		message = message_of(&pod);
		its_pod = message_unpack(&container.arena, &nri__pod_sandbox__descriptor, &message);
		message = message_of(&told);
		unpacked = message_unpack(&container.arena, &nri__container__descriptor, &message);
		container.what = "StartContainer";
		assert_int_equal(
			message_spec(&container.arena, its_pod, unpacked, &container.spec, &err),
			0);
		return examine_starting(options, unpacked, &container);
	}
	put_bytes(&known, SYNCHRONIZE_CONTAINER, told.bytes, told.len);
	put_bytes(&known, SYNCHRONIZE_POD, "\x0a\x02po", 4);
	put_bytes(&known, SYNCHRONIZE_POD, pod.bytes, pod.len);
	return examine_known(options, message_of(&known), row->lost);
}

UNIT_ROWS_AS("look: ", look_cases)
{
	WITH_DIR(dir);
	const struct options options = {.sysroot = dir.path, .engine = ENGINE};
	const pid_t real = make_node(&dir, row);
	struct heard heard = hear_log();
	enum look_result result = look_at_row(&options, row);
	struct record record;

	assert_int_equal(heard_log(&heard), row->lines);
	if (row->says)
		assert_has(heard.text, row->says);
	assert_int_equal(result, row->result);
	if (record_read(&arena, dir.fd, ID, &record, &err) == 1) {
		assert_string_equal(record_result_names[record.result], row->after);
		/* An event of the pod has its time. */
		assert_int_equal(strcmp(record.reason, "before") == 0,
				 row->before && strcmp(row->before, row->after) == 0);
		if (!row->before || strcmp(row->before, row->after) != 0)
			assert_string_equal(record.cgroup, CGROUP);
	} else {
		assert_null(row->after);
	}
	if (real) {
		assert_int_equal(soft_of(real), PLAN);
		end_one(real);
	}
}

/* ---- records of containers that are gone ---- */

static const struct gone_case {
	const char *name;
	bool lost;   /* part of the runtime's message */
	bool unread; /* one of its containers */
	const char *id;
	const char *engine; /* NULL: like the plugin's */
	bool unknown;       /* the plugin's */
	bool new;
	bool kept;
} gone_cases[] = {
	{"a record whose container is gone goes", .id = "gone"},
	{"a record of a container that may be made now stays", .id = "gone", .new = true,
	 .kept = true},
	{"a record stays if a part could not be read", .lost = true, .id = "gone", .kept = true},
	{"a record stays if a container cannot be read", .unread = true, .id = "gone",
	 .kept = true},
	{"a record whose container is there stays", .id = "id", .kept = true},
	{"a record of another engine stays", .id = "gone", .engine = "cri-o /run/nri/nri.sock",
	 .kept = true},
	{"a record that names no engine stays", .id = "gone", .engine = "", .kept = true},
	{"a record stays if the engine is not known", .id = "gone", .unknown = true, .kept = true},
};

/* Alternating pod and containers */
static const unsigned char told[] =
	"\x0a\x06\x0a\x04gone\x12\x04\x0a\x02id\x12\x03\x0a\x01x\x12\x01\x0a";

UNIT_ROWS(gone_cases)
{
	cleanup_unit_dir dir = unit_dir_make();
	const struct options options = {.sysroot = dir.path,
					.engine = row->unknown ? NULL : ENGINE};
	const struct message known = {told, sizeof(told) - 1 - (row->unread ? 0 : 3)};
	int64_t age = RECORD_NEW_MS + (row->new ? -60000 : 60000);
	char path[128];
	char text[256];

	snprintf(path, sizeof(path), RECORD_DIR "/team-a_u_c_granted_%010llx_%s.json",
		 (unsigned long long)(clock_ms() - age), row->id);
	snprintf(text, sizeof(text),
		 "{\"id\":\"%s\",\"reason\":\"r\",\"entry_point\":\"nri\",\"engine\":\"%s\"}",
		 row->id, row->engine ? row->engine : ENGINE);
	unit_write(dir.fd, path, text, 0600);
	assert_int_equal(fchmodat(dir.fd, RECORD_DIR, 0700, 0), 0);
	assert_int_equal(examine_known(&options, known, row->lost),
			 row->unread ? LOOK_UNSEEN : LOOK_NOTHING);
	assert_int_equal(faccessat(dir.fd, path, F_OK, 0) == 0, row->kept);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The edited text, byte by byte. For any text: tests/fuzz/edit_check.c; for all entry points:
 * tests/cli/spec-edit.sh */
#include "tests/unit/unit.h"

#include "core/apply/spec_edit.h"
#include "core/policy/policy.h"

#define CHOWN (UINT64_C(1) << 0)
#define IPC_LOCK (UINT64_C(1) << 14)
#define SYS_NICE (UINT64_C(1) << 23)
#define IOCTL (UINT32_C(1) << 0)
#define MMAP (UINT32_C(1) << 1)
#define MBIND (UINT32_C(1) << 12)
#define LIMIT(hard, soft) "{\"type\":\"RLIMIT_MEMLOCK\",\"hard\":" hard ",\"soft\":" soft "}"
#define FOUR LIMIT("4", "4")
#define SET(name, items) "\"" name "\":[" items "]"
#define LOCK "\"CAP_IPC_LOCK\""
#define FIVE(space)                                                                                \
	SET("bounding", LOCK)                                                                      \
	"," space SET("effective", LOCK) "," space SET("permitted", LOCK) "," space SET(           \
		"inheritable", LOCK) "," space SET("ambient", LOCK)

static struct setting ab[] = {{.name = "A", .value = "1"}, {.name = "B", .value = "\"2\""}};

#define AB .settings = ab, .n_settings = 2

static const struct plan nothing = {.fail = false};
static const struct plan all = {.memlock = 4, .granted = IPC_LOCK, AB, .seccomp = MMAP};
static const struct plan env = {AB};
static const struct plan lock = {.memlock = 4};
static const struct plan unlimited = {.memlock = MEMLOCK_UNLIMITED};
static const struct plan above_hard = {.memlock = 4};
static const struct plan one = {.granted = IPC_LOCK};
static const struct plan three = {.granted = CHOWN | IPC_LOCK | SYS_NICE};
static const struct plan calls = {.seccomp = IOCTL | MBIND};

#define RULE ",\"syscalls\":[" CALLS "]"
#define CALLS "{\"names\":[\"ioctl\",\"mbind\"],\"action\":\"SCMP_ACT_ALLOW\"}"
#define SECCOMP(members)                                                                           \
	"{\"process\":{},\"linux\":{\"seccomp\":{\"defaultAction\":\"SCMP_ACT_ERRNO\"" members "}" \
	"}"                                                                                        \
	"}"

static const struct edit_case {
	const char *name;
	const struct plan *plan;
	const char *before;
	const char *after; /* NULL: as before */
} edit_cases[] = {
	{"nothing: no byte", &nothing, "{ \"process\" : { \"env\":[ ] } }", NULL},
	{"all: into an empty process", &all, "{\"process\":{}}",
	 "{\"process\":{\"env\":[\"A=1\",\"B=\\\"2\\\"\"],\"rlimits\":[" FOUR
	 "],\"capabilities\":{" FIVE("") "}}}"},
	{"all: white space in an empty process stays in front", &all, "{\"process\":{ \n}}",
	 "{\"process\":{ \n\"env\":[\"A=1\",\"B=\\\"2\\\"\"],\"rlimits\":[" FOUR
	 "],\"capabilities\":{" FIVE("") "}}}"},
	{"all: behind the last member, in front of white space", &all,
	 "{\"process\" :\t{\r\n\t\"x\" : 1E2\t},\"y\":null}\n",
	 "{\"process\" :\t{\r\n\t\"x\" : 1E2,\"env\":[\"A=1\",\"B=\\\"2\\\"\"],"
	 "\"rlimits\":[" FOUR "],\"capabilities\":{" FIVE("") "}\t},\"y\":null}\n"},
	{"all: nulls become what is given", &all,
	 "{\"process\":{\"capabilities\": null ,\"env\": null ,\"rlimits\": null }}",
	 "{\"process\":{\"capabilities\": {" FIVE("") "} ,\"env\": [\"A=1\",\"B=\\\"2\\\"\"] ,"
						      "\"rlimits\": [" FOUR "] }}"},
	{"all: each in its place, in the text's order", &all,
	 "{\"linux\":{\"seccomp\":{\"defaultAction\":\"SCMP_ACT_ERRNO\",\"syscalls\":[]}},"
	 "\"process\":{\"rlimits\":[],\"capabilities\":{},\"env\":[],\"cwd\":\"/\"}}",
	 "{\"linux\":{\"seccomp\":{\"defaultAction\":\"SCMP_ACT_ERRNO\",\"syscalls\":[{\"names\":["
	 "\"mmap\"],\"action\":\"SCMP_ACT_ALLOW\"}]}},\"process\":{\"rlimits\":[" FOUR
	 "],\"capabilities\":{" FIVE("") "},\"env\":[\"A=1\",\"B=\\\"2\\\"\"],\"cwd\":\"/\"}}"},

	{"env: behind the last item, in front of white space", &env,
	 "{\"process\":{\"env\":[ \n\t\"X=1\",\"Y=2\" ]}}",
	 "{\"process\":{\"env\":[ \n\t\"X=1\",\"Y=2\",\"A=1\",\"B=\\\"2\\\"\" ]}}"},
	{"env: white space in an empty list stays in front", &env, "{\"process\":{\"env\":[ \n]}}",
	 "{\"process\":{\"env\":[ \n\"A=1\",\"B=\\\"2\\\"\"]}}"},
	{"env: what is set is left", &env, "{\"process\":{\"env\":[\"A=0\"]}}",
	 "{\"process\":{\"env\":[\"A=0\",\"B=\\\"2\\\"\"]}}"},
	{"env: all are set", &env, "{\"process\":{\"env\":[\"A=0\",\"B=0\"]}}", NULL},

	{"memlock: unlimited", &unlimited, "{\"process\":{}}",
	 "{\"process\":{\"rlimits\":[" LIMIT("18446744073709551615", "18446744073709551615") "]}}"},
	{"memlock: an inherited limit that is higher stays", &above_hard, "{\"process\":{}}",
	 "{\"process\":{\"rlimits\":[" LIMIT("9", "4") "]}}"},
	{"memlock: behind another limit", &lock,
	 "{\"process\":{\"rlimits\":[ {\"type\":\"RLIMIT_NOFILE\",\"hard\":1,\"soft\":1}\n]}}",
	 "{\"process\":{\"rlimits\":[ {\"type\":\"RLIMIT_NOFILE\",\"hard\":1,\"soft\":1}," FOUR
	 "\n]}}"},
	{"memlock: a soft limit is raised, the higher hard one stays", &above_hard,
	 "{\"process\":{\"rlimits\":[ {\"soft\" :3,\"type\":\"RLIMIT_MEMLOCK\",\"hard\":5} ]}}",
	 "{\"process\":{\"rlimits\":[ " LIMIT("5", "4") " ]}}"},
	{"memlock: each of two entries is raised", &lock,
	 "{\"process\":{\"rlimits\":[" LIMIT("2", "1") " , " LIMIT("4", "3") "]}}",
	 "{\"process\":{\"rlimits\":[" FOUR " , " FOUR "]}}"},
	{"memlock: an entry that is higher is left, the other is raised", &lock,
	 "{\"process\":{\"rlimits\":[" LIMIT("9", "8") ", " LIMIT("2", "1") "]}}",
	 "{\"process\":{\"rlimits\":[" LIMIT("9", "8") ", " FOUR "]}}"},
	{"memlock: entries that are as high are left", &lock,
	 "{\"process\":{\"rlimits\":[" FOUR ", " LIMIT("5", "4") "]}}", NULL},

	{"capabilities: in the order of their numbers", &three,
	 "{\"process\":{\"capabilities\":{\"bounding\":[],\"effective\":[],\"permitted\":[],"
	 "\"inheritable\":[]}}}",
	 "{\"process\":{\"capabilities\":{\"bounding\":[\"CAP_CHOWN\"," LOCK ",\"CAP_SYS_NICE\"],"
	 "\"effective\":[\"CAP_CHOWN\"," LOCK
	 ",\"CAP_SYS_NICE\"],\"permitted\":[\"CAP_CHOWN\"," LOCK
	 ",\"CAP_SYS_NICE\"],\"inheritable\":[\"CAP_CHOWN\"," LOCK ",\"CAP_SYS_NICE\"],"
	 "\"ambient\":[\"CAP_CHOWN\"," LOCK ",\"CAP_SYS_NICE\"]}}}"},
	{"capabilities: each set gets what it lacks", &three,
	 "{\"process\":{\"capabilities\":{\"bounding\":[ \"CAP_SYS_NICE\"],\"effective\":[\n\"CAP_"
	 "CHOWN\" ],\"permitted\":null,\"inheritable\":[\"CAP_CHOWN\"," LOCK
	 ",\"CAP_SYS_NICE\"],\"ambient\":[\"CAP_CHOWN\",\"CAP_KILL\"," LOCK "]}}}",
	 "{\"process\":{\"capabilities\":{\"bounding\":[ \"CAP_SYS_NICE\",\"CAP_CHOWN\"," LOCK
	 "],\"effective\":[\n\"CAP_CHOWN\"," LOCK ",\"CAP_SYS_NICE\" ],\"permitted\":["
	 "\"CAP_CHOWN\"," LOCK ",\"CAP_SYS_NICE\"],\"inheritable\":[\"CAP_CHOWN\"," LOCK
	 ",\"CAP_SYS_NICE\"],\"ambient\":[\"CAP_CHOWN\",\"CAP_KILL\"," LOCK
	 ",\"CAP_SYS_NICE\"]}}}"},
	{"capabilities: absent sets are added", &one,
	 "{\"process\":{\"capabilities\":{\n \"bounding\":[ ]\n}}}",
	 "{\"process\":{\"capabilities\":{\n \"bounding\":[ " LOCK
	 "]," SET("effective", LOCK) "," SET("permitted", LOCK) "," SET(
		 "inheritable", LOCK) "," SET("ambient", LOCK) "\n}}}"},
	{"capabilities: white space in an empty object stays in front", &one,
	 "{\"process\":{\"capabilities\":{ \n}}}",
	 "{\"process\":{\"capabilities\":{ \n" FIVE("") "}}}"},
	{"capabilities: all are there", &one, "{\"process\":{\"capabilities\":{" FIVE(" ") "}}}",
	 NULL},

	{"seccomp: behind the last member", &calls, SECCOMP("\n"), SECCOMP(RULE "\n")},
	{"seccomp: into an empty list", &calls, SECCOMP(",\"syscalls\":[ ]"),
	 SECCOMP(",\"syscalls\":[ " CALLS "]")},
	{"seccomp: into the place of null", &calls, SECCOMP(",\"syscalls\": null "),
	 SECCOMP(",\"syscalls\": [" CALLS "] ")},
	{"seccomp: behind the last rule", &calls,
	 SECCOMP(",\"syscalls\":[\t{\"names\":[\"read\"],\"action\":\"SCMP_ACT_ALLOW\"} ]"),
	 SECCOMP(",\"syscalls\":[\t{\"names\":[\"read\"],\"action\":\"SCMP_ACT_ALLOW\"}," CALLS
		 " ]")},
	{"seccomp: nothing of it is granted", &lock,
	 "{\"process\":{\"rlimits\":[" FOUR
	 "]},\"linux\":{\"seccomp\":{\"defaultAction\":\"SCMP_ACT_ERRNO\"}}}",
	 NULL},
	{"seccomp: null has no rules", &calls, "{\"process\":{},\"linux\":{\"seccomp\":null}}",
	 NULL},
	{"seccomp: absent has no rules", &calls, "{\"process\":{},\"linux\":{}}", NULL},
};

/* A process.json: the process object alone */
static const struct edit_case process_cases[] = {
	{"process.json: no capabilities are the container's own", &one, "{\"cwd\":\"/\"}", NULL},
	{"process.json: capabilities null are the container's own", &one, "{\"capabilities\":null}",
	 NULL},
	{"process.json: capabilities that are there get what they lack", &one,
	 "{\"capabilities\":{}}\n", "{\"capabilities\":{" FIVE("") "}}\n"},
	{"process.json: env and limit are added all the same", &all, "{}",
	 "{\"env\":[\"A=1\",\"B=\\\"2\\\"\"],\"rlimits\":[" FOUR "]}"},
};

typedef int parser(struct arena *, const char *, const char *, size_t, struct spec *, struct err *);

static void edit(const struct edit_case *row, parser *parse)
{
	WITH_ARENA;
	size_t len = strlen(row->before);
	char *exact = unit_exact(row->before, len);
	struct fs_text text = {.bytes = exact, .len = len};
	const char *want = row->after ? row->after : row->before;
	struct fs_text edited = {0};
	const struct rlimit64 inherited = {.rlim_cur = 2, .rlim_max = 9};
	struct spec spec;

	assert_int_equal(parse(&arena, "text", exact, len, &spec, &err), 0);
	assert_int_equal(spec_edit(&arena, &text, &spec, row->plan,
				   row->plan == &above_hard ? &inherited : NULL, &edited, &err),
			 0);
	assert_string_equal(arena_strndup(&arena, edited.bytes, edited.len), want);
	assert_int_equal(edited.len, strlen(want));
	/* NULL tells callers to write nothing */
	assert_int_equal(edited.bytes == exact, !row->after);
	if (row->after)
		assert_int_equal(edited.bytes[edited.len], '\0');
	free(exact);
}

UNIT_ROWS(edit_cases)
{
	edit(row, spec_parse);
}

UNIT_ROWS(process_cases)
{
	edit(row, spec_parse_process);
}

UNIT_TEST("no process object: an error")
{
	static const char *const texts[] = {"{}", "{\"process\":null}"};

	for (size_t i = 0; i < LENGTH(texts); i++) {
		WITH_ARENA;
		struct fs_text text = {.bytes = (char *)texts[i], .len = strlen(texts[i])};
		struct fs_text edited;
		struct spec spec;

		assert_int_equal(spec_parse(&arena, "text", text.bytes, text.len, &spec, &err), 0);
		assert_int_equal(spec_edit(&arena, &text, &spec, &all, NULL, &edited, &err), -1);
		assert_has(err.text, "no process object");
	}
}

int main(void)
{
	return unit_main("spec_edit");
}

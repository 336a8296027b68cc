/* SPDX-License-Identifier: Apache-2.0 */
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>

#include "core/base/clock.h"
#include "nri/worker.h"
#include "tests/unit/nri/nri.h"

static void reap_all(struct children *children)
{
	while (children->n)
		children_reap(children);
}

#define cleanup_children __attribute__((cleanup(reap_all))) struct children
#define WITH_CHILDREN                                                                              \
	cleanup_children children = {0};                                                           \
	cleanup_arena arena = {0};                                                                 \
	struct verdict verdict = {0}

/* A number that children see and set */
static volatile sig_atomic_t *shared(void)
{
	volatile sig_atomic_t *number = mmap(NULL, sizeof(*number), PROT_READ | PROT_WRITE,
					     MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	assert_true((void *)number != MAP_FAILED);
	return number;
}

/* ---- the verdict's child ---- */

static void says_in_parts(UNUSED void *context, int out)
{
	static unsigned char large[300000];
	const struct message response = {large, sizeof(large)};

	memset(large, 'x', sizeof(large));
	(void)worker_send(out, VERDICT_MUST_FAIL, NULL);
	(void)worker_send(out, VERDICT_DECIDED, &response);
}

static void says_nothing(UNUSED void *context, UNUSED int out)
{
}

static void dies(UNUSED void *context, int out)
{
	(void)worker_send(out, VERDICT_MUST_FAIL, NULL);
	abort();
}

static void hangs(UNUSED void *context, int out)
{
	(void)worker_send(out, VERDICT_MUST_FAIL, NULL);
	(void)goes_on(NULL);
}

static void says_too_much(UNUSED void *context, int out)
{
	const size_t head[] = {VERDICT_DECIDED, SIZE_MAX};

	(void)!write(out, head, sizeof(head));
}

static const struct verdict_case {
	const char *name;
	child_work *work;
	bool lost;
	bool must_fail;
} verdict_cases[] = {
	{"a verdict of 300,000 bytes comes whole", says_in_parts, false, true},
	{"a child that ends without a word is lost", says_nothing, true, false},
	{"a child that dies is lost; that it must fail is not", dies, true, true},
	{"a verdict that is too long is none", says_too_much, true, false},
};

UNIT_ROWS(verdict_cases)
{
	WITH_CHILDREN;

	verdict = (struct verdict){.must_fail = !row->must_fail, .reason = "another's"};
	worker_run(&children, &arena, row->work, NULL, 600000, &verdict);
	assert_int_equal(verdict.must_fail, row->must_fail);
	assert_int_equal(verdict.reason != NULL, row->lost);
	assert_int_equal(verdict.response.len, row->lost ? 0 : 300000);
	assert_int_equal(children.n, 1);
}

/* With more time each round: a busy machine may not have run the child */
UNIT_TEST("a child that hangs is late; that it must fail is known")
{
	struct verdict verdict = {0};

	for (int patience = 100; !verdict.must_fail; patience *= 2) {
		cleanup_children children = {0};
		cleanup_arena arena = {0};

		assert_in_range(patience, 1, 600000);
		worker_run(&children, &arena, hangs, NULL, patience, &verdict);
		assert_has(verdict.reason, "not finished in time");
	}
}

/* The number of our descriptors of the same pipe */
static size_t ends_of(int pipe)
{
	struct stat wanted = {0};
	struct stat st;
	size_t n = 0;

	(void)fstat(pipe, &wanted);
	for (int fd = 0; fd < 1024; fd++)
		n += fstat(fd, &st) == 0 && st.st_ino == wanted.st_ino &&
		     st.st_dev == wanted.st_dev;
	return n;
}

/* The child's complaint; nothing if all is well */
static void examines_itself(void *context, int out)
{
	static const unsigned char wrong = '!';
	const int *connection = context;
	int signal = 0;

	(void)prctl(PR_GET_PDEATHSIG, &signal);
	/* With the plugin's reading end it would not notice that nobody listens. */
	if (signal == SIGKILL && fcntl(*connection, F_GETFD) < 0 && ends_of(out) == 1)
		(void)worker_send(out, VERDICT_DECIDED, NULL);
	else
		(void)worker_send(out, VERDICT_DECIDED, &(struct message){&wrong, 1});
}

/* It has no connection, and ends with the plugin, or when done. */
UNIT_TEST("a child does not hold the connection, and ends")
{
	const pid_t plugin = getpid();
	volatile sig_atomic_t *came_back = shared();
	cleanup_fd connection = open("/dev/null", O_RDONLY | O_CLOEXEC);
	cleanup_children children = {.closed = &connection};
	cleanup_arena arena = {0};
	struct verdict verdict;

	worker_run(&children, &arena, examines_itself, &connection, 600000, &verdict);
	if (getpid() != plugin) {
		*came_back = 1;
		_exit(0);
	}
	assert_null(verdict.reason);
	assert_int_equal(verdict.response.len, 0);
	assert_int_equal(*came_back, 0);
	assert_true(fcntl(connection, F_GETFD) >= 0);
}

/* Nothing was done, so nothing is logged. */
UNIT_TEST("a verdict that is not heard is not said")
{
	static const unsigned char large[1 << 20];
	int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
	int ends[2];

	assert_true(full >= 0);
	assert_int_equal(worker_send(full, VERDICT_DECIDED, NULL), -1);
	assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
	assert_int_equal(worker_send(ends[1], VERDICT_DECIDED, NULL), 0);
	assert_int_equal(
		worker_send(ends[1], VERDICT_DECIDED, &(struct message){large, sizeof(large)}), -1);
	(void)close(full);
	(void)close(ends[0]);
	(void)close(ends[1]);
}

/* Ended ones make room, also for simultaneous requests. */
UNIT_TEST("children that hang are bounded, and not waited for; those that have ended do not count")
{
	WITH_CHILDREN;

	while (children.n < CHILDREN_MAX)
		children.pid[children.n++] = unit_start(goes_on, NULL);
	worker_run(&children, &arena, says_in_parts, NULL, 600000000, &verdict);
	assert_has(verdict.reason, "too many other containers");
	assert_int_equal(children.n, CHILDREN_MAX);
	for (size_t i = 0; i < children.n; i++)
		assert_int_equal(kill(children.pid[i], SIGKILL), 0);
	reap_all(&children);
	while (children.n < CHILDREN_MAX)
		children.pid[children.n++] = start_ended();
	worker_run(&children, &arena, says_in_parts, NULL, 600000, &verdict);
	assert_null(verdict.reason);
	assert_int_equal(children.n, 1);
}

/* An inherited one is not among them. */
UNIT_TEST("a child of another's is not counted")
{
	struct children children = {0};
	pid_t pid = start_ended();

	children_reap(&children);
	assert_int_equal(children.n, 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

UNIT_TEST("without a child the verdict is lost")
{
	WITH_CHILDREN;
	struct rlimit before;
	struct rlimit none;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = (struct rlimit){0, before.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	worker_run(&children, &arena, says_in_parts, NULL, 600000, &verdict);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_string_equal(verdict.reason, "no child process could be started");
	assert_int_equal(children.n, 0);
}

static volatile sig_atomic_t *interruptions; /* shared with the child */

static void on_alarm(int signal)
{
	(void)signal;
	++*interruptions;
}

static void waits_for_interruptions(UNUSED void *context, int out)
{
	while (*interruptions < 5)
		(void)usleep(1000);
	(void)worker_send(out, VERDICT_DECIDED, NULL);
}

UNIT_TEST("a signal does not end the wait")
{
	struct sigaction action = {.sa_handler = on_alarm};
	struct itimerval often = {{0, 1000}, {0, 1000}};
	struct itimerval never = {0};
	WITH_CHILDREN;

	interruptions = shared();
	assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
	assert_int_equal(setitimer(ITIMER_REAL, &often, NULL), 0);
	worker_run(&children, &arena, waits_for_interruptions, NULL, 600000, &verdict);
	assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
	(void)signal(SIGALRM, SIG_DFL);
	assert_null(verdict.reason);
}

/* ---- the end ---- */

static volatile sig_atomic_t *finishing; /* shared with the child */

/* The plugin waits: neither before the end nor between two looks at its children. */
static bool plugin_sleeps(void)
{
	char path[32];
	char state = '?';
	FILE *stat;

	snprintf(path, sizeof(path), "/proc/%d/stat", getppid());
	stat = fopen(path, "re");
	if (!stat)
		return false;
	if (fscanf(stat, "%*d %*[^)]) %c", &state) != 1)
		state = '?';
	(void)fclose(stat);
	return *finishing && state == 'S';
}

/* Like a child that logs its answer until then */
static void goes_on_until_the_plugin_waits(UNUSED void *context, int out)
{
	(void)worker_send(out, VERDICT_DECIDED, NULL);
	while (!plugin_sleeps())
		(void)usleep(100);
}

/* A busy machine may need another try: without waiting, none would suffice. */
UNIT_TEST("the end waits for children that still log")
{
	size_t left = 1;

	finishing = shared();
	for (int tries = 0; left && tries < 100; tries++) {
		WITH_CHILDREN;

		*finishing = 0;
		worker_run(&children, &arena, goes_on_until_the_plugin_waits, NULL, 600000,
			   &verdict);
		assert_int_equal(children.n, 1);
		*finishing = 1;
		children_finish(&children);
		left = children.n;
		if (left)
			(void)kill(children.pid[0], SIGKILL);
	}
	assert_int_equal(left, 0);
}

/* Once shows that it does not sleep, however busy the machine is. */
UNIT_TEST("the end waits for nobody else")
{
	struct children children = {0};
	int64_t took = 500;

	for (int tries = 0; took >= 500 && tries < 100; tries++) {
		int64_t begin = clock_ms();

		children_finish(&children);
		took = clock_ms() - begin;
	}
	assert_true(took < 500);
}

static void says_and_hangs(UNUSED void *context, int out)
{
	(void)worker_send(out, VERDICT_DECIDED, NULL);
	(void)goes_on(NULL);
}

UNIT_TEST("the end does not wait for ever")
{
	WITH_CHILDREN;

	worker_run(&children, &arena, says_and_hangs, NULL, 600000, &verdict);
	children_finish(&children);
	assert_int_equal(children.n, 1);
	assert_int_equal(kill(children.pid[0], SIGKILL), 0);
}

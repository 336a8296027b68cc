/* SPDX-License-Identifier: Apache-2.0 */
/* make_room() for any 6 records of a full directory, in the order of a listing: which ones go for a
 * new one. Two texts are the same if they are the same object. */
#include "core/record/record.h"

#undef RECORDS_MAX
#define RECORDS_MAX (RECORDS + 1)
#define RECORDS 6

#include <string.h>

static int compare_files(const char *a, const char *b, size_t len);

#define strcmp(a, b) ((a) != (b))
#define strlen(text) ((void)(text), (size_t)1)
#define strncmp(a, b, len) compare_files(a, b, len)
#define memmove(to, from, size) (void)(to) /* one goes, and nothing is read behind it */

#include "core/record/store.c"

#include "tests/proof/any.h"

#define PODS 3 /* and as many namespaces, the first of both not known */

static const char names[PODS][2] = {"", "a", "b"};
static struct record_entry entries[RECORDS];
static const char files[RECORDS];
static int home[RECORDS]; /* its namespace */
static int pod[RECORDS];
static bool removed[RECORDS];
static bool has_pods;   /* the kubelet's directory of pods is there */
static bool runs[PODS]; /* the pod is in it */

/* NAMESPACE_POD_…, of which the first of both are compared, or both */
static int compare_files(const char *a, const char *b, size_t len)
{
	return home[a - files] != home[b - files] ||
	       (len > strlen("") + 1 && pod[a - files] != pod[b - files]);
}

int fs_open(int dir, const char *path, int flags, uint64_t resolve)
{
	if (path[0] == '.')
		return has_pods ? 7 : -ENOENT;
	return path[0] && runs[path == names[2] ? 2 : 1] ? 8 : -ENOENT;
}

int unlinkat(int dir, const char *name, int flags)
{
	removed[name - files] = true;
	return 0;
}

STUB(void, cleanup_close_fd, (const int *fd), (void)0)

static int any_below(int n)
{
	int number = nondet_int();

	assume(number >= 0 && number < n);
	return number;
}

static int count(int of)
{
	int n = 0;

	for (int i = 0; i < RECORDS; i++)
		n += home[i] == of;
	return n;
}

/* Any records, in the order of a listing */
static void fill(void)
{
	for (int i = 0; i < RECORDS; i++) {
		home[i] = any_below(PODS);
		pod[i] = any_below(PODS);
		assume(!i || home[i - 1] < home[i] ||
		       (home[i - 1] == home[i] && pod[i - 1] <= pod[i]));
		entries[i] = (struct record_entry){.file = &files[i],
						   .pod_namespace = names[home[i]],
						   .pod_uid = names[pod[i]],
						   .result = nondet_bool() ? RECORD_NOTHING
									   : RECORD_GRANTED,
						   .clock = nondet_byte()};
		removed[i] = false;
	}
}

static void prove_victim(void)
{
	int own = any_below(PODS);
	bool nothing = nondet_bool();
	struct record_entry new = {.pod_namespace = names[own],
				   .result = nothing ? RECORD_NOTHING : RECORD_GRANTED};
	int gone = 0;
	int victim = 0;

	fill();
	bool room = make_room(0, entries, RECORDS, &new);

	for (int i = 0; i < RECORDS; i++) {
		victim = removed[i] ? i : victim;
		gone += removed[i];
	}
	prove(room == (gone == 1) && gone <= 1, "there is room if one record has gone");
	prove(room || nothing, "only a \"nothing\" is not written");

	bool is_nothing = entries[victim].result == RECORD_NOTHING;
	int most = count(home[victim]) + (home[victim] == own);

	prove(!room || home[victim] == own || most > count(own),
	      "a namespace pushes out no record of a smaller one");
	for (int i = 0; i < RECORDS; i++) {
		prove(!room || count(home[i]) + (home[i] == own) <= most,
		      "it is one of the namespace that has the most");
		prove(!room || is_nothing || home[i] != home[victim] ||
			      entries[i].result != RECORD_NOTHING,
		      "a \"nothing\" of that namespace goes first");
	}
	prove(!room || !nothing || is_nothing || (home[victim] != own && most > count(own) + 1),
	      "for a \"nothing\" another record goes only from a namespace that has more");
}

static void prove_ended(void)
{
	size_t n = 0;

	fill();
	has_pods = nondet_bool();
	for (int i = 0; i < PODS; i++)
		runs[i] = nondet_bool();
	size_t kept = drop_ended(0, entries, RECORDS);

	for (int i = 0; i < RECORDS; i++) {
		prove(removed[i] == (has_pods && pod[i] && !runs[pod[i]]),
		      "the records of pods that have ended go, and no others");
		n += !removed[i];
	}
	prove(kept == n, "the others are counted");
}

int main(void)
{
	prove_victim();
	prove_ended();
	return 0;
}

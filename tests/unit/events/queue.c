/* SPDX-License-Identifier: Apache-2.0 */
/* Which record is posted next, and when */
#include "tests/unit/unit.h"

#include "events/queue.h"

#define NOW (100 * QUEUE_AGE_MS)

struct scene {
	struct queue queue;
	struct arena arena;
};

static void scene_free(struct scene *scene)
{
	arena_free(&scene->queue.arena);
}

#define cleanup_scene __attribute__((cleanup(scene_free))) struct scene

/* Files "NAMESPACE_POD_RESULT_AGE", sorted; AGE in milliseconds */
static void list(struct scene *scene, const char *const *files, int64_t now)
{
	struct arena arena = {0};
	struct record_entry *entries = arena_alloc(&arena, 32 * sizeof(*entries));
	size_t n = 0;

	for (; files[n]; n++) {
		char *copy = arena_strdup(&arena, files[n]);
		char *parts[4];

		for (size_t i = 0; i < 4; i++)
			parts[i] = strsep(&copy, "_");
		entries[n] = (struct record_entry){.file = files[n],
						   .pod_namespace = parts[0],
						   .pod_uid = parts[1],
						   .result = parts[2][0] == 'g' ? RECORD_GRANTED
										: RECORD_DENIED,
						   .clock = NOW - atoll(parts[3])};
	}
	assert_int_equal(queue_update(&scene->queue, &arena, entries, n, now), 0);
}

#define LISTED(...) ((const char *const[]){__VA_ARGS__, NULL})

/* The next file; "" if none is due */
static const char *next(struct scene *scene, int64_t now)
{
	struct queue_item *item = queue_next(&scene->queue, now);

	return item ? item->entry->file : "";
}

static const char *tell_next(struct scene *scene, int64_t now)
{
	struct queue_item *item = queue_next(&scene->queue, now);

	if (!item)
		return "";
	queue_count(&scene->queue, now);
	item->done = true;
	item->place->pause_ms = 0;
	return item->entry->file;
}

UNIT_TEST("namespaces take turns, and in each the oldest comes first")
{
	cleanup_scene scene = {0};

	list(&scene, LISTED("a_p_d_1", "a_q_d_3", "a_r_d_2", "b_p_d_0", "c_p_d_9"), NOW);
	assert_string_equal(tell_next(&scene, NOW), "a_q_d_3");
	assert_string_equal(tell_next(&scene, NOW), "b_p_d_0");
	assert_string_equal(tell_next(&scene, NOW), "c_p_d_9");
	assert_string_equal(tell_next(&scene, NOW), "a_r_d_2");
	list(&scene, LISTED("a_p_d_1", "a_q_d_3", "b_q_d_0"), NOW); /* turns are remembered */
	assert_string_equal(tell_next(&scene, NOW), "b_q_d_0");
	assert_string_equal(tell_next(&scene, NOW), "a_p_d_1");
	assert_string_equal(tell_next(&scene, NOW), "");
}

UNIT_TEST("what was told stays told, also beside new files; one that came back is new")
{
	cleanup_scene scene = {0};

	list(&scene, LISTED("b_p_d_1"), NOW);
	assert_string_equal(tell_next(&scene, NOW), "b_p_d_1");
	list(&scene, LISTED("a_p_d_1", "b_p_d_1", "c_p_d_1"), NOW);
	assert_string_equal(tell_next(&scene, NOW), "a_p_d_1");
	assert_string_equal(tell_next(&scene, NOW), "c_p_d_1");
	assert_string_equal(tell_next(&scene, NOW), "");
	list(&scene, LISTED("a_p_d_1"), NOW);
	assert_string_equal(tell_next(&scene, NOW), "");
	list(&scene, LISTED("a_p_d_1", "b_p_d_1"), NOW);
	assert_string_equal(tell_next(&scene, NOW), "b_p_d_1");
}

UNIT_TEST("a grant, a container without a namespace, and what is found after an hour are not told")
{
	cleanup_scene scene = {0};

	list(&scene, LISTED("_p_d_1", "a_p_g_1", "a_q_d_3600001", "a_r_d_3600000"), NOW);
	assert_string_equal(tell_next(&scene, NOW), "a_r_d_3600000");
	assert_string_equal(tell_next(&scene, NOW), "");
	/* Waiting for a turn does not make a record too late. */
	list(&scene, LISTED("a_s_d_0"), NOW);
	list(&scene, LISTED("a_s_d_0"), NOW + 2 * QUEUE_AGE_MS);
	assert_string_equal(next(&scene, NOW + 2 * QUEUE_AGE_MS), "a_s_d_0");
}

UNIT_TEST("20 requests at once, then one each 5 s")
{
	cleanup_scene scene = {0};

	list(&scene, LISTED("a_p_d_1"), NOW);
	for (int i = 0; i < QUEUE_BURST; i++) {
		assert_string_equal(next(&scene, NOW), "a_p_d_1");
		queue_count(&scene.queue, NOW);
	}
	assert_string_equal(next(&scene, NOW), "");
	assert_string_equal(next(&scene, NOW + QUEUE_EACH_MS - 1), "");
	assert_string_equal(next(&scene, NOW + QUEUE_EACH_MS), "a_p_d_1");
	queue_count(&scene.queue, NOW + QUEUE_EACH_MS);
	assert_string_equal(next(&scene, NOW + 2 * QUEUE_EACH_MS - 1), "");
	for (int i = 0; i < QUEUE_BURST; i++) { /* 20 again after a long time, not more */
		assert_string_equal(next(&scene, NOW + QUEUE_AGE_MS), "a_p_d_1");
		queue_count(&scene.queue, NOW + QUEUE_AGE_MS);
	}
	assert_string_equal(next(&scene, NOW + QUEUE_AGE_MS), "");
}

UNIT_TEST("a namespace that refuses waits alone, longer each time, until it takes one")
{
	cleanup_scene scene = {0};
	struct queue_item *item;
	int64_t now = NOW;

	list(&scene, LISTED("a_p_d_1", "a_q_d_0", "b_p_d_1"), NOW);
	for (int64_t pause = QUEUE_PAUSE_MS; pause < QUEUE_PAUSE_MAX_MS; pause *= 2) {
		item = queue_next(&scene.queue, now);
		assert_string_equal(item->entry->file, "a_p_d_1");
		assert_int_equal(queue_wait(&scene.queue, item->place, now), 0);
		if (pause == QUEUE_PAUSE_MS)
			assert_string_equal(tell_next(&scene, now), "b_p_d_1");
		list(&scene, LISTED("a_p_d_1", "a_q_d_0", "b_p_d_1"), now); /* it is remembered */
		assert_string_equal(next(&scene, now + pause - 1), "");
		now += pause;
	}
	item = queue_next(&scene.queue, now);
	assert_int_equal(queue_wait(&scene.queue, item->place, now), 0);
	assert_string_equal(next(&scene, now + QUEUE_PAUSE_MAX_MS - 1), "");
	now += QUEUE_PAUSE_MAX_MS;
	assert_string_equal(tell_next(&scene, now), "a_p_d_1");
	item = queue_next(&scene.queue, now);
	assert_int_equal(queue_wait(&scene.queue, item->place, now), 0);
	assert_string_equal(next(&scene, now + QUEUE_PAUSE_MS - 1), ""); /* a short pause again */
	assert_string_equal(next(&scene, now + QUEUE_PAUSE_MS), "a_q_d_0");
}

UNIT_TEST(
	"what a namespace refuses for an hour is dropped; neither younger ones nor those of others")
{
	cleanup_scene scene = {0};
	struct queue_item *item;
	const int64_t later = NOW + QUEUE_AGE_MS;

	list(&scene, LISTED("a_p_d_1", "a_q_d_1", "a_r_d_0", "b_p_d_1"), NOW);
	assert_string_equal(tell_next(&scene, NOW), "a_p_d_1"); /* no longer counted */
	assert_string_equal(tell_next(&scene, NOW), "b_p_d_1");
	list(&scene, LISTED("a_p_d_1", "a_q_d_1", "a_r_d_0", "b_p_d_1", "b_q_d_1"), NOW);
	item = queue_next(&scene.queue, NOW);
	assert_string_equal(item->entry->file, "a_q_d_1");
	assert_int_equal(queue_wait(&scene.queue, item->place, later - 1), 0);
	assert_int_equal(queue_wait(&scene.queue, item->place, later), 1);
	assert_int_equal(queue_wait(&scene.queue, item->place, later), 0);
	list(&scene, LISTED("a_q_d_1", "a_r_d_0", "b_p_d_1", "b_q_d_1"), later);
	assert_string_equal(tell_next(&scene, later), "b_q_d_1");
	assert_string_equal(tell_next(&scene, later + QUEUE_PAUSE_MAX_MS), "a_r_d_0");
	assert_string_equal(tell_next(&scene, later + QUEUE_PAUSE_MAX_MS), "");
}

UNIT_TEST("a webhook that hangs holds the others for 3 s, and a tenth of the time that its "
	  "namespace waits")
{
	struct queue_place place = {.pause_ms = 0};

	assert_int_equal(queue_patience(&place), 3000);
	place.pause_ms = QUEUE_PAUSE_MAX_MS;
	assert_int_equal(queue_patience(&place), 33000);
}

int main(void)
{
	return unit_main("queue");
}

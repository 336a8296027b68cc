/* SPDX-License-Identifier: Apache-2.0 */
/* A node with records, and the record of a denied container */
#pragma once

#include "core/base/trust.h"
#include "core/record/store.h"
#include "tests/unit/unit.h"

#include "core/record/record.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define UID "944c324a-7958-438a-b04f-699cedbf673d"

static struct json_pair annotations[] UNUSED = {{"inject", "true"}, {"memlock", "16Gi"}};
static struct json_pair settings[] UNUSED = {{"NCCL_IB_HCA", "=mlx5_1,mlx5_10"}};

static const struct record denied UNUSED = {
	.id = ID,
	.container = "trainer",
	.pod = "h-kim-0",
	.pod_namespace = "team-a",
	.pod_uid = UID,
	.engine = "containerd /run/nri",
	.result = RECORD_DENIED,
	.reason = "namespace team-a is not among the namespaces",
	.entry_point = "nri",
	.policy = "/etc/oci-rdma-hook/config.json",
	.devices = "mlx5_1,mlx5_10",
	.memlock = UINT64_MAX,
	.tell = true,
	.annotations = {annotations, LENGTH(annotations)},
	.settings = {settings, LENGTH(settings)},
};

struct scene {
	struct unit_dir dir;
	struct arena arena;
	struct record read;
	struct err err;
};

static inline struct scene scene_make(void)
{
	struct scene scene = {.dir = unit_dir_make()};

	assert_int_equal(mkdirat(scene.dir.fd, "run", 0755), 0);
	return scene;
}

static inline void scene_remove(struct scene *scene)
{
	arena_free(&scene->arena);
	unit_dir_remove(&scene->dir);
}

#define cleanup_scene __attribute__((cleanup(scene_remove))) struct scene

static inline int write_record(struct scene *scene, const struct record *record)
{
	return record_write(scene->dir.path, record, &scene->err);
}

static inline int read_record(struct scene *scene, const char *id)
{
	return record_read(&scene->arena, scene->dir.fd, id, &scene->read, &scene->err);
}

static inline int list_records(struct scene *scene, struct record_entry **ret_entries)
{
	cleanup_fd dir = trust_open_dir(scene->dir.fd, RECORD_DIR, &scene->err);

	return dir < 0 ? 0 : record_list(&scene->arena, dir, false, ret_entries);
}

/* The only record's path */
static inline const char *file_of(struct scene *scene)
{
	struct record_entry *entries;

	assert_int_equal(list_records(scene, &entries), 1);
	return arena_printf(&scene->arena, RECORD_DIR "/%s", entries[0].file);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "core/nri_missed.h"

/* ---- written ---- */

static void put_item(yajl_gen gen, const struct nri_missed *item)
{
	(void)yajl_gen_map_open(gen);
	json_put_text(gen, "id", item->id);
	json_put_text(gen, "container", item->who);
	json_put_string(gen, "mended");
	(void)yajl_gen_bool(gen, item->mended);
	(void)yajl_gen_map_close(gen);
}

void nri_missed_put(yajl_gen gen, const struct nri_missed_status *status)
{
	json_put_string(gen, "missed");
	(void)yajl_gen_map_open(gen);
	json_put_uint64(gen, "found", status->found);
	json_put_uint64(gen, "mended", status->mended);
	json_put_uint64(gen, "open", status->open);
	json_put_uint64(gen, "unseen", status->unseen);
	json_put_string(gen, "containers");
	(void)yajl_gen_array_open(gen);
	for (size_t i = 0; i < status->n; i++)
		put_item(gen, &status->item[i]);
	(void)yajl_gen_array_close(gen);
	(void)yajl_gen_map_close(gen);
}

/* ---- read ---- */

struct reading {
	struct arena *arena;
	struct nri_missed_status status;
	struct nri_missed *items;
	size_t room;
	struct nri_missed item; /* that is being read */
};

static int on_item(void *context, const struct json_value *value, struct err *err)
{
	struct reading *r = context;

	(void)value;
	(void)err;
	r->item = (struct nri_missed){.id = "", .who = ""};
	return 0;
}

static int on_item_end(void *context, struct err *err)
{
	struct reading *r = context;
	struct nri_missed *larger =
		arena_grow(r->arena, r->items, r->status.n, &r->room, sizeof(*larger));

	if (!larger)
		return err_memory(err);
	r->items = larger;
	larger[r->status.n++] = r->item;
	return 0;
}

#define FIELD(name, wanted, kind, field)                                                           \
	static const struct json_shape name = {.types = (wanted),                                  \
					       JSON_FIELD(kind, struct reading, field)}

FIELD(found, JSON_NUMBER, UINT64, status.found);
FIELD(mended, JSON_NUMBER, UINT64, status.mended);
FIELD(open_ones, JSON_NUMBER, UINT64, status.open);
FIELD(unseen, JSON_NUMBER, UINT64, status.unseen);
FIELD(item_id, JSON_STRING, STRING, item.id);
FIELD(item_who, JSON_STRING, STRING, item.who);
FIELD(item_mended, JSON_BOOL, BOOL, item.mended);
static const struct json_shape item = {
	.types = JSON_OBJECT,
	.take = on_item,
	.leave = on_item_end,
	JSON_MEMBERS({"id", &item_id}, {"container", &item_who}, {"mended", &item_mended}),
};
static const struct json_shape items = {.types = JSON_ARRAY, .each = &item};
static const struct json_shape missed = {
	.types = JSON_OBJECT,
	JSON_MEMBERS({"found", &found}, {"mended", &mended}, {"open", &open_ones},
		     {"unseen", &unseen}, {"containers", &items}),
};
static const struct json_shape whole = {.types = JSON_OBJECT, JSON_MEMBERS({"missed", &missed})};

int nri_missed_read(struct arena *arena, const struct json_source *source,
		    struct nri_missed_status *ret_status, struct err *err)
{
	struct reading reading = {.arena = arena};

	if (json_read(arena, source, &whole, &reading, err) < 0)
		return -1;
	*ret_status = reading.status;
	ret_status->item = reading.items;
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/fs.h"
#include "core/base/text.h"
#include "core/deadline.h"
#include "core/plan/memlock.h"
#include "hook/apply/limit.h"
#include "hook/apply/spec_edit.h"
#include "hook/shim/edited.h"
#include "hook/shim/owner.h"
#include "hook/shim/record.h"
#include "hook/shim/serve.h"

/*
 * Without --process the runtime makes the process from the container's own spec, which we have
 * edited; but it takes the limit from its caller, as it would have for a spec that lists none.
 */
static int raise_own_memlock(const struct grant *grant, struct err *err)
{
	struct rlimit64 limit;

	if (!grant->memlock)
		return 0;
	if (getrlimit64(RLIMIT_MEMLOCK, &limit) < 0)
		return err_sys(err, errno, "RLIMIT_MEMLOCK");
	if (memlock_raise(&limit, grant->memlock) && setrlimit64(RLIMIT_MEMLOCK, &limit) < 0)
		return err_sys(err, errno, "cannot raise RLIMIT_MEMLOCK (needs CAP_SYS_RESOURCE)");
	return 0;
}

static int grant_process(struct shim *shim, const struct grant *grant, struct err *err)
{
	struct arena *arena = &shim->container.arena;
	const char *path = shim->args.process;
	const char *name = text_base_name(path);
	char *dir_path = arena_strndup(arena, path, (size_t)(name - path));
	cleanup_fd dir = -1;
	cleanup_fd fd = -1;
	struct fs_text text;
	struct fs_text edited;
	struct grant own = *grant;
	struct spec spec;

	if (!dir_path)
		return err_memory(err);
	dir = open(dir_path[0] ? dir_path : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return err_sys(err, errno, "%s", path);
	fd = fs_open(dir, name, O_RDONLY | O_NOFOLLOW, RESOLVE_BENEATH);
	if (fd < 0)
		return err_sys(err, -fd, "%s", path);
	if (fs_read_regular(arena, fd, SPEC_SIZE_MAX, path, &text, err) < 0 ||
	    spec_parse_process(arena, path, text.bytes, text.len, &spec, err) < 0)
		return -1;
	/* Without limits of its own runc takes the container's, and crun its caller's. */
	if (!spec.places.rlimits.last_end) {
		if (raise_own_memlock(grant, err) < 0)
			return -1;
		own.memlock = 0;
	}
	if (limit_inherit(&own, err) < 0 || spec_edit(arena, &text, &spec, &own, &edited, err) < 0)
		return -1;
	/* Not to the disk: the file lives as long as this exec takes to start. */
	if (edited.bytes == text.bytes)
		return 0;
	return edited_write(&(struct edited){dir, name, fd, path, .sync = false}, &edited, err);
}

/* A container of on_no_device "tcp" also has a record; without a device it never fails. */
static bool has_device(const struct record *record)
{
	return record->grant.memlock || record->grant.capabilities;
}

static int exec_as_recorded(struct shim *shim, bool *ret_has_device, struct err *err)
{
	struct record record;
	/* A record, be it unreadable, says that the container is one of ours. */
	int found = record_load(&shim->container.arena, shim->container.config.state_dir,
				&shim->key, &record, ret_has_device, err);

	if (found <= 0 || !owner_is_current(shim, &record))
		return found < 0 ? -1 : 0;
	*ret_has_device = has_device(&record);
	deadline_set_must_fail(*ret_has_device && shim->container.config.fail_on_error);
	return shim->args.process ? grant_process(shim, &record.grant, err)
				  : raise_own_memlock(&record.grant, err);
}

void serve_exec(struct shim *shim)
{
	const struct entry_point entry = {.name = WAY_IN};
	bool has_device = false;

	if (exec_as_recorded(shim, &has_device, &shim->err) == 0)
		return;
	outcome_fail(&shim->container, has_device, &shim->err, &shim->outcome);
	outcome_log(&shim->container, &shim->outcome, &entry);
}

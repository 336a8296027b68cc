/* SPDX-License-Identifier: Apache-2.0 */
#include "nri/status.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/fs.h"
#include "core/base/text.h"

/* ---- the status file ---- */

/* Returns a descriptor, or -errno. */
static int open_dir(const char *sysroot)
{
	cleanup_fd root = open(sysroot, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (root < 0)
		return -errno;
	return fs_open(root, NRI_STATUS_DIR, O_RDONLY | O_DIRECTORY, RESOLVE_IN_ROOT);
}

/* The shim keeps its records there, too (state_dir). */
static void make_dir(const char *sysroot)
{
	cleanup_fd root = open(sysroot, O_PATH | O_DIRECTORY | O_CLOEXEC);
	cleanup_fd run =
		root < 0 ? -1 : fs_open(root, "run", O_PATH | O_DIRECTORY, RESOLVE_IN_ROOT);

	if (run >= 0)
		(void)mkdirat(run, text_base_name(NRI_STATUS_DIR), 0700);
}

static int check_dir(int dir, struct err *err)
{
	struct stat st;

	if (fstat(dir, &st) < 0)
		return err_sys(err, errno, "/" NRI_STATUS_DIR);
	if (st.st_uid != geteuid() || st.st_mode & (S_IWGRP | S_IWOTH))
		return err_set(err,
			       "/" NRI_STATUS_DIR
			       " must belong to root alone: run chown root and chmod 0700 on it");
	return 0;
}

static const char *name_of(const struct nri_status *status)
{
	return status->standby ? NRI_STANDBY_NAME : NRI_STATUS_NAME;
}

int status_write(const char *sysroot, const struct nri_status *status, struct err *err)
{
	cleanup_arena arena = {0};
	size_t len;
	const char *text = nri_status_text(&arena, status, &len);
	cleanup_fd dir = open_dir(sysroot);

	if (dir == -ENOENT) {
		make_dir(sysroot);
		dir = open_dir(sysroot);
	}
	if (!text)
		return err_memory(err);
	if (dir < 0)
		return err_sys(err, -dir, "/" NRI_STATUS_DIR);
	if (check_dir(dir, err) < 0)
		return -1;
	return replace_own(
		dir,
		&(struct replacement){
			.name = name_of(status), .bytes = text, .len = len, .mode = 0644},
		status->standby ? "/" NRI_STANDBY_PATH : "/" NRI_STATUS_PATH, err);
}

/* Another plugin may have written the file since. */
static bool is_ours(const char *sysroot, const struct nri_status *status)
{
	cleanup_arena arena = {0};
	cleanup_fd root = open(sysroot, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct nri_status found = {0};
	struct err ignored;
	int read = -1;

	if (root >= 0)
		read = status->standby ? nri_status_read_standby(&arena, root, &found, &ignored)
				       : nri_status_read(&arena, root, &found, &ignored);
	return read == 0 && found.pid == status->pid && found.started == status->started;
}

void status_remove(const char *sysroot, const struct nri_status *status)
{
	cleanup_fd dir = open_dir(sysroot);

	if (dir >= 0 && is_ours(sysroot, status))
		(void)unlinkat(dir, name_of(status), 0);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "hook/shim/edited.h"

#include <errno.h>
#include <sys/stat.h>

#include "core/base/replace.h"

int edited_write(const struct edited *file, const struct fs_text *text, struct err *err)
{
	struct stat st;

	if (fstat(file->fd, &st) < 0)
		return err_sys(err, errno, "%s", file->what);
	return replace_file(file->dir,
			    &(struct replacement){
				    .name = file->name,
				    .bytes = text->bytes,
				    .len = text->len,
				    .uid = st.st_uid,
				    .gid = st.st_gid,
				    .mode = st.st_mode & 07777U,
				    .attributes = file->fd,
				    .sync = file->sync,
			    },
			    file->what, err);
}

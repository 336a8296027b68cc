/* SPDX-License-Identifier: Apache-2.0 */
/* A container whose config.json we cannot read or parse: its text, and names in it */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/fs.h"
#include "core/base/text.h"
#include "core/container/container.h"

void container_read_as_runtime(struct container *container, int bundle, const char *name)
{
	cleanup_fd fd = openat(bundle, name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;
	struct err ignored;

	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		(void)fs_read_up_to(&container->arena, fd, SPEC_SIZE_MAX, name, &container->text,
				    &ignored);
}

bool container_names_request(const struct container *container)
{
	static const char annotation[] = "\"" SPEC_ANNOTATION_PREFIX "inject\"";
	const struct fs_text *text = &container->text;

	if (container->spec_known)
		return request_is_made(&container->spec);
	return text->bytes && memmem(text->bytes, text->len, annotation, strlen(annotation));
}

bool container_names_device(const struct container *container)
{
	static const char path[] = "\"" VERBS_FILE;
	const struct fs_text *text = &container->text;

	if (text->bytes)
		return memmem(text->bytes, text->len, path, strlen(path));
	for (size_t i = 0; i < container->spec.n_devices; i++) {
		if (text_starts_with(container->spec.devices[i].path, VERBS_FILE))
			return true;
	}
	return false;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The state JSON that a runtime sends, by a pipe as in life */
#include <sys/mman.h>

#include "fuzz.h"
#include "hook/stage.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cleanup_arena arena = {0};
	cleanup_fd fd = memfd_create("state", MFD_CLOEXEC);
	struct state state;
	struct err err;

	must(fs_write(fd, (const char *)data, size));
	must(lseek(fd, 0, SEEK_SET));
	if (state_read(&arena, fd, &state, &err) < 0)
		return fuzz_failed(&err);
	promise(size <= STATE_SIZE_MAX);
	promise(state.id[0] && !strchr(state.id, '/') && !text_has_control(state.id));
	promise(state.bundle);
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Messages packed by hand, not by the code that reads them, and children */
#pragma once

#include <sys/mman.h>
#include <sys/resource.h>

#include "core/report/log.h"
#include "core/report/outcome.h"
#include "nri/wire/field.h"
#include "nri/wire/ttrpc.h"
#include "tests/unit/unit.h"

#define cleanup_buffer __attribute__((cleanup(buffer_free))) struct buffer

static inline struct buffer empty_buffer(void)
{
	return (struct buffer){.max = 128 * 1024 * 1024};
}

static inline void empty(struct buffer *buffer)
{
	buffer_consume(buffer, buffer->len);
}

static inline struct message message_of(const struct buffer *buffer)
{
	return (struct message){buffer->bytes, buffer->len};
}

static inline void put(struct buffer *to, const void *bytes, size_t len)
{
	assert_int_equal(buffer_append(to, bytes, len), 0);
}

static inline void put_varint(struct buffer *to, uint64_t number)
{
	do {
		unsigned char byte = (unsigned char)((number & 0x7f) | (number > 0x7f ? 0x80 : 0));

		put(to, &byte, 1);
		number >>= 7;
	} while (number);
}

static inline void put_number(struct buffer *to, uint32_t field, uint64_t number)
{
	put_varint(to, field << 3);
	put_varint(to, number);
}

static inline void put_bytes(struct buffer *to, uint32_t field, const void *bytes, size_t len)
{
	put_varint(to, field << 3 | 2);
	put_varint(to, len);
	put(to, bytes, len);
}

static inline void put_text(struct buffer *to, uint32_t field, const char *text)
{
	put_bytes(to, field, text, strlen(text));
}

static inline void put_inside(struct buffer *to, uint32_t field, struct buffer *inside)
{
	put_bytes(to, field, inside->bytes ? (const void *)inside->bytes : "", inside->len);
	buffer_free(inside);
}

/* An entry of a map */
static inline void put_entry(struct buffer *to, uint32_t field, const char *key, const char *value)
{
	struct buffer entry = empty_buffer();

	put_text(&entry, 1, key);
	put_text(&entry, 2, value);
	put_inside(to, field, &entry);
}

/* A device node in linux.devices */
static inline void put_device(struct buffer *platform, const char *type, uint64_t major)
{
	struct buffer device = empty_buffer();

	put_text(&device, 1, "/dev/infiniband/uverbs6");
	put_text(&device, 2, type);
	put_number(&device, 3, major);
	put_number(&device, 4, 198);
	put_inside(platform, 2, &device);
}

static inline void put_rlimit(struct buffer *container, const char *type, uint64_t hard,
			      uint64_t soft)
{
	struct buffer rlimit = empty_buffer();

	put_text(&rlimit, 1, type);
	put_number(&rlimit, 2, hard);
	put_number(&rlimit, 3, soft);
	put_inside(container, 13, &rlimit);
}

/* ---- what is logged ---- */

struct heard {
	int said;
	int kept;
	char text[8192];
};

/* From here on log lines go to stderr, if nobody reads /dev/log. */
static inline struct heard hear_log(void)
{
	struct heard heard = {.said = memfd_create("said", MFD_CLOEXEC),
			      .kept = dup(STDERR_FILENO)};

	if (access("/dev/log", F_OK) == 0)
		UNIT_SKIP("somebody listens on /dev/log");
	log_as_daemon("unit");
	assert_true(heard.said >= 0 && heard.kept >= 0 && dup2(heard.said, STDERR_FILENO) >= 0);
	return heard;
}

/* The number of these lines */
static inline size_t heard_log(struct heard *heard)
{
	ssize_t len = pread(heard->said, heard->text, sizeof(heard->text) - 1, 0);
	size_t lines = 0;

	assert_int_equal(dup2(heard->kept, STDERR_FILENO), STDERR_FILENO);
	assert_int_equal(close(heard->said) + close(heard->kept), 0);
	for (ssize_t i = 0; i < len; i++)
		lines += heard->text[i] == '\n';
	return lines;
}

/* ---- children, by unit_start ---- */

static inline int goes_on(UNUSED const void *context)
{
	while (pause())
		;
	return 0;
}

static inline int ends(UNUSED const void *context)
{
	return 0;
}

/* Has ended, but nobody has waited for it */
static inline pid_t start_ended(void)
{
	pid_t pid = unit_start(ends, NULL);
	siginfo_t info;

	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	return pid;
}

/* ---- a process whose limit is raised: as far as it may itself, so that no right is needed ---- */

#define SOFT (64 * 1024)
#define PLAN (128 * 1024)

static inline int sleep_with_limit(UNUSED const void *context)
{
	struct rlimit limit = {SOFT, 2 * (rlim_t)PLAN};

	if (setrlimit(RLIMIT_MEMLOCK, &limit) < 0)
		return 1;
	return pause();
}

static inline rlim_t soft_of(pid_t pid)
{
	struct rlimit limit;

	assert_int_equal(prlimit(pid, RLIMIT_MEMLOCK, NULL, &limit), 0);
	return limit.rlim_cur;
}

static inline pid_t start_one(void)
{
	pid_t pid = unit_start(sleep_with_limit, NULL);

	for (int tries = 0; soft_of(pid) != SOFT && tries < UNIT_PATIENCE * 100; tries++)
		(void)usleep(10000);
	assert_int_equal(soft_of(pid), SOFT);
	return pid;
}

static inline void end_one(pid_t pid)
{
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
}

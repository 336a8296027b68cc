/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nri_floor SOCKET: the least that an NRI plugin can be: it answers each request with nothing,
 * without a look into it. What CreateContainer takes with it is the runtime's, the socket's and the
 * kernel's part; what a plugin adds to that is its own (tests/bench/nri.py).
 */
#include <arpa/inet.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define MUX_HEAD 8
#define TTRPC_HEAD 10
#define REQUEST 1

/* Plugin's name and index, in ttrpc's request and NRI's RegisterPluginRequest */
#define REGISTER                                                                                   \
	"\0\0\0\2\0\0\0\x45\0\0\0\x3b\0\0\0\1\1\0"                                                 \
	"\x0a\x1cnri.pkg.api.v1alpha1.Runtime"                                                     \
	"\x12\x0eRegisterPlugin"                                                                   \
	"\x1a\x0b\x0a\x05"                                                                         \
	"floor"                                                                                    \
	"\x12\x02"                                                                                 \
	"90"
/* ConfigureResponse: events = CREATE_CONTAINER */
#define EVENTS "\x12\x02\x10\x08"

static unsigned char bytes[64 * 1024];
static size_t len;

static uint32_t number(const unsigned char *from)
{
	uint32_t value;

	memcpy(&value, from, sizeof(value));
	return ntohl(value);
}

static bool send_all(int fd, const void *data, size_t size)
{
	return send(fd, data, size, MSG_NOSIGNAL) == (ssize_t)size;
}

/* head: ttrpc's, of the request */
static bool answer(int fd, const unsigned char *head, bool configures)
{
	const char *payload = configures ? EVENTS : "";
	unsigned char out[MUX_HEAD + TTRPC_HEAD + 4] = {0, 0, 0, 1};
	size_t size = strlen(payload);

	out[7] = (unsigned char)(TTRPC_HEAD + size);
	out[MUX_HEAD + 3] = (unsigned char)size;
	memcpy(out + MUX_HEAD + 4, head + 4, 4);
	out[MUX_HEAD + 8] = 2;
	memcpy(out + MUX_HEAD + TTRPC_HEAD, payload, size);
	return send_all(fd, out, MUX_HEAD + TTRPC_HEAD + size);
}

/* A message may come in several frames: those of the plugin's own connection are counted. */
static bool take_frame(int fd, const unsigned char *frame, size_t size)
{
	static unsigned char head[TTRPC_HEAD];
	static size_t left;
	static bool configured;

	if (number(frame) != 1)
		return true;
	if (!left) {
		memcpy(head, frame + MUX_HEAD, TTRPC_HEAD);
		left = TTRPC_HEAD + number(head);
	}
	left -= size < left ? size : left;
	if (left || head[8] != REQUEST)
		return true;
	if (!answer(fd, head, !configured))
		return false;
	configured = true;
	return true;
}

static bool take(int fd)
{
	size_t place = 0;

	while (len - place >= MUX_HEAD && len - place >= MUX_HEAD + number(bytes + place + 4)) {
		size_t size = number(bytes + place + 4);

		if (!take_frame(fd, bytes + place, size))
			return false;
		place += MUX_HEAD + size;
	}
	memmove(bytes, bytes + place, len - place);
	len -= place;
	return true;
}

static int connect_to(const char *path)
{
	const struct timespec pause = {.tv_nsec = 50000000};
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	strncpy(address.sun_path, path, sizeof(address.sun_path) - 1);
	while (connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0)
		(void)nanosleep(&pause, NULL);
	return fd;
}

int main(int argc, char **argv)
{
	int fd = argc > 1 ? connect_to(argv[1]) : -1;
	ssize_t n;

	if (fd < 0 || !send_all(fd, REGISTER, sizeof(REGISTER) - 1))
		return 1;
	while ((n = recv(fd, bytes + len, sizeof(bytes) - len, 0)) > 0) {
		len += (size_t)n;
		if (!take(fd))
			return 1;
	}
	return 0;
}

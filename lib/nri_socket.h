/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether an engine listens at its NRI socket. The file stays until the node's next start when NRI
 * has been switched off, so that the file alone says nothing.
 */
#pragma once

#include <stdbool.h>

/* Where engines listen for plugins (containerd and CRI-O, by default), below the sysroot */
#define NRI_SOCKET "var/run/nri/nri.sock"

enum nri_socket {
	NRI_SOCKET_ABSENT,
	NRI_SOCKET_DEAD, /* nobody listens there */
	NRI_SOCKET_LIVE,
};

/* fd: an O_PATH descriptor of it, or negative. recorded: its engine is elsewhere, so that the file
 * is all there is to know. The engine notices nothing. */
enum nri_socket nri_socket_of(int fd, bool recorded);

/* "on", "off: there is no such socket", …; for a sentence that goes on with the path */
const char *nri_socket_text(enum nri_socket socket);

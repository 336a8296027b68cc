/* SPDX-License-Identifier: Apache-2.0 */
/* Does an engine listen? The file outlives NRI until reboot */
#pragma once

#include <stdbool.h>

/* containerd's and CRI-O's default, below the sysroot */
#define NRI_SOCKET "var/run/nri/nri.sock"

enum nri_socket {
	NRI_SOCKET_ABSENT,
	NRI_SOCKET_DEAD, /* nobody listens */
	NRI_SOCKET_LIVE,
};

/* fd: O_PATH or negative. recorded: only the file exists. The engine notices nothing */
enum nri_socket nri_socket_of(int fd, bool recorded);

/* Before a path: "on", "off, no such socket", … */
const char *nri_socket_text(enum nri_socket socket);

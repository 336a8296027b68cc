/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/topology/answers.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/fs.h"
#include "core/child.h"
#include "core/node/node.h"

/* As long as the check of the ports has (doctor/check/check.c) */
#define LIMIT_MS 10000

enum answer_kind {
	ANSWER_FIRMWARE,
	ANSWER_PORT,
	ANSWER_DONE, /* all is said: a child may end before */
};

struct answer {
	enum answer_kind kind;
	size_t device; /* its place among the devices */
	char firmware[64];
	struct port port;
};

struct question {
	const struct doctor *doctor;
	const struct devices *devices;
};

/* ---- in the child ---- */

static void tell_firmware(const struct doctor *doctor, const struct device *device, size_t place,
			  int out)
{
	struct answer answer = {.kind = ANSWER_FIRMWARE, .device = place};
	char path[1400];

	(void)snprintf(path, sizeof(path), "%s/infiniband/%s/fw_ver", device->path, device->ibdev);
	if (tree_read_line(doctor->node.root, path, answer.firmware, sizeof(answer.firmware)) > 0)
		(void)child_tell(out, &answer, sizeof(answer));
}

static void tell_ports(const struct device *device, size_t place, int out)
{
	for (size_t i = 0; i < device->n_ports; i++)
		(void)child_tell(out,
				 &(struct answer){.kind = ANSWER_PORT,
						  .device = place,
						  .port = device->port[i]},
				 sizeof(struct answer));
}

/* Ports that are in the target's network namespace show there alone. */
static void tell_hidden(const struct doctor *doctor, const struct devices *devices,
			struct arena *arena, int out)
{
	cleanup_fd netns = -1;
	struct err ignored;

	if (!doctor->target.other_netns)
		return;
	netns = openat(doctor->target.proc, "ns/net", O_RDONLY | O_CLOEXEC);
	for (size_t i = 0; netns >= 0 && i < devices->n; i++) {
		struct devices one = {.item = &devices->item[i], .n = 1};

		if (devices->item[i].n_ports == 0 &&
		    podnet_read(arena, netns, &one, 0, &ignored) == 0)
			tell_ports(&one.item[0], i, out);
	}
}

static void ask(void *context, int out)
{
	const struct question *question = context;
	const struct doctor *doctor = question->doctor;
	cleanup_arena arena = {0};
	struct err err;

	for (size_t i = 0; i < question->devices->n; i++) {
		struct device *device = &question->devices->item[i];

		tell_firmware(doctor, device, i, out);
		if (node_read_ports(&doctor->node, &arena, device, true, &err) < 0)
			return;
		tell_ports(device, i, out);
	}
	tell_hidden(doctor, question->devices, &arena, out);
	(void)child_tell(out, &(struct answer){.kind = ANSWER_DONE}, sizeof(struct answer));
}

/* ---- in the parent ---- */

static int add_port(struct arena *arena, struct spot *spot, const struct port *port)
{
	struct port *larger = arena_alloc(arena, (spot->n_ports + 1) * sizeof(*larger));

	if (!larger)
		return -1;
	if (spot->n_ports)
		memcpy(larger, spot->port, spot->n_ports * sizeof(*larger));
	larger[spot->n_ports++] = *port;
	spot->port = larger;
	return 0;
}

/* Returns 1 when all is said, 0 to go on, -1 without memory. */
static int take(struct arena *arena, const struct answer *answer, struct topology *topology)
{
	struct spot *spot = &topology->item[topology->n_gpus + answer->device];

	switch (answer->kind) {
	case ANSWER_FIRMWARE:
		memcpy(spot->firmware, answer->firmware, sizeof(spot->firmware));
		return 0;
	case ANSWER_PORT:
		return add_port(arena, spot, &answer->port);
	default:
		return 1;
	}
}

int answers_read(struct doctor *doctor, const struct devices *devices, struct topology *topology,
		 struct err *err)
{
	struct question question = {doctor, devices};
	struct answer answer;
	struct child child;
	int taken = 0;

	if (child_start(&child, &(const struct child_setup){.foreign = true}, ask, &question,
			LIMIT_MS, err) < 0)
		return -1;
	while (taken == 0 && child_read(&child, &answer, sizeof(answer)) > 0)
		taken = take(&doctor->arena, &answer, topology);
	(void)child_end(&child);
	topology->complete = taken == 1;
	return taken < 0 ? err_memory(err) : 0;
}

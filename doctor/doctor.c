/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "core/base/fs.h"

void doctor_free(struct doctor *doctor)
{
	target_close(&doctor->target);
	node_close(&doctor->node);
	arena_free(&doctor->arena);
}

const struct device *doctor_find_ibdev(const struct devices *devices, const char *name, size_t len)
{
	for (size_t i = 0; i < devices->n; i++) {
		if (strlen(devices->item[i].ibdev) == len &&
		    memcmp(devices->item[i].ibdev, name, len) == 0)
			return &devices->item[i];
	}
	return NULL;
}

/* Without sysfs, still check limits, environment and files. */
static int open_node(const char *sysroot, struct node *ret_node, struct err *err)
{
	if (node_open(sysroot, ret_node, err) == 0)
		return 0;
	if (strcmp(sysroot, "/") != 0)
		return -1;
	ret_node->root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return ret_node->root < 0 ? -1 : 0;
}

static int find_devices(struct doctor *doctor, struct err *err)
{
	const struct target *target = &doctor->target;

	if (device_files_all(&doctor->arena, &doctor->node, &doctor->all, err) < 0)
		return -1;
	if (target->root < 0 && target->has_spec)
		return device_files_of_spec(&doctor->arena, &doctor->node, &target->spec,
					    &doctor->files, &doctor->devices, err);
	return device_files_read(&doctor->arena, &doctor->node, target->root, &doctor->files,
				 &doctor->devices, err);
}

struct devices doctor_devices(const struct doctor *doctor)
{
	return doctor->devices.n || doctor->target.container ? doctor->devices : doctor->all;
}

bool doctor_is_allocated(const struct doctor *doctor, const struct device *device)
{
	for (size_t i = 0; i < doctor->claims.n; i++) {
		if (strcmp(doctor->claims.item[i].address, device->address) == 0)
			return true;
	}
	return doctor->claims.n == 0;
}

int doctor_read(const struct doctor_options *options, struct doctor *ret_doctor, struct err *err)
{
	const struct target_choice choice = {.pid = options->pid, .container = options->container};
	cleanup_fd probe = fs_open(AT_FDCWD, "/", O_PATH | O_DIRECTORY, 0);
	cleanup_doctor doctor = DOCTOR_NONE;
	struct warnings ignored = {0};
	struct spec environment;

	doctor.options = *options;
	/* openat2(2) needs Linux 5.6; older engines' seccomp profiles return EPERM. */
	if (probe == -ENOSYS || probe == -EPERM) {
		doctor.no_openat2 = -probe;
		doctor.location.evidence = "nothing was looked at, for want of openat2(2)";
		doctor.target.name = "this process";
		*ret_doctor = doctor;
		return 0;
	}
	if (open_node(options->common.sysroot, &doctor.node, err) < 0)
		return -1;
	if (location_find(&doctor.arena, doctor.node.root, &doctor.location) < 0)
		return err_memory(err);
	if (target_find(&doctor.arena, doctor.node.root, doctor.node.recorded, &doctor.location,
			&choice, &doctor.target, err) < 0 ||
	    find_devices(&doctor, err) < 0)
		return -1;
	environment = (struct spec){.env = doctor.target.env, .n_env = doctor.target.n_env};
	if (claims_read(&doctor.arena, &environment, &doctor.claims, &ignored, err) < 0)
		return -1;
	gpu_list(&doctor.node, &doctor.arena, &doctor.gpus);
	if (err_of_arena(&doctor.arena, err) < 0)
		return -1;
	*ret_doctor = doctor;
	doctor = DOCTOR_NONE; /* now the caller's */
	return 0;
}

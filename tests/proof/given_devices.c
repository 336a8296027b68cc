/* SPDX-License-Identifier: Apache-2.0 */
/* find_given_devices() for any spec with 3 devices and 2 mounted files: which device numbers are
 * looked up at all. The node answers anything. */
#include "core/container/container.c"
#include "core/container/container_devices.c"

#include "tests/proof/any.h"

struct spec nondet_spec(void);

static struct container c;
static struct spec_device listed[3];
static const char *sources[2] = {"/dev/infiniband/uverbs0", "/dev/infiniband/uverbs1"};
static bool is_rootless;
static bool in_mounts;

unsigned gnu_dev_major(unsigned long number)
{
	return (unsigned)(number >> 8);
}

unsigned gnu_dev_minor(unsigned long number)
{
	return (unsigned)(number & 255);
}

bool rootless(void)
{
	return is_rootless;
}

int stat(const char *path, struct stat *st)
{
	st->st_rdev = nondet_size();
	st->st_mode = (mode_t)nondet_int();
	in_mounts = true;
	return nondet_bool() ? 0 : -1;
}

enum node_number node_find_number(const struct node *node, struct arena *arena, int64_t major,
				  int64_t minor, struct devices *devices)
{
	bool is_listed = false;

	for (size_t i = 0; i < c.spec.n_devices; i++)
		is_listed |=
			listed[i].character && listed[i].major == major && listed[i].minor == minor;
	prove(is_listed || in_mounts, "a number is listed, or a mounted file's");
	prove(is_listed || (is_rootless && !c.spec.identity.kubernetes),
	      "a mounted file's number counts only for a rootless engine without Kubernetes");
	prove(!c.spec.every_device || in_mounts, "with every device of the host no number counts");
	devices->n += nondet_bool();
	return nondet_bool() ? NUMBER_OTHER : NUMBER_VDPA;
}

void node_find_address(const struct node *node, struct arena *arena, const char *address,
		       struct devices *devices)
{
	prove(c.spec.every_device, "the environment counts only with every device of the host");
	devices->n += nondet_bool();
}

size_t spec_addresses(struct arena *arena, const struct spec *spec,
		      const char *const **ret_addresses)
{
	static const char *const two[2] = {"a", "b"};

	*ret_addresses = two;
	return nondet_bool() ? 2 : 0;
}

int warnings_add(struct arena *arena, struct warnings *warnings, const char *code,
		 const char *format, ...)
{
	return 0;
}

bool text_starts_with(const char *text, const char *prefix)
{
	return nondet_bool();
}

int err_of_arena(const struct arena *arena, struct err *err)
{
	return nondet_bool() ? 0 : -1;
}

int main(void)
{
	struct err err;
	bool character = false;

	c.spec = nondet_spec();
	c.spec.devices = listed;
	c.spec.verbs_sources = sources;
	assume(c.spec.n_devices <= 3 && c.spec.n_verbs_sources <= 2);
	for (int i = 0; i < 3; i++)
		listed[i] = (struct spec_device){.path = "x",
						 .character = nondet_bool(),
						 .major = nondet_int64(),
						 .minor = nondet_int64()};
	is_rootless = nondet_bool();
	(void)find_given_devices(&c, &err);
	for (size_t i = 0; i < c.spec.n_devices; i++)
		character |= listed[i].character;
	prove(!c.devices.n || character || c.spec.every_device ||
		      (is_rootless && !c.spec.identity.kubernetes),
	      "no device without a listed character device");
	return 0;
}

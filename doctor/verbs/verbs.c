/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/verbs/verbs.h"

#include "doctor/verbs/exchange.h"
#include "doctor/verbs/transfer.h"

#define BYTES_DEFAULT ((size_t)1 << 20)
#define BYTES_MIN ((size_t)4096)
#define BYTES_MAX ((size_t)1 << 30)

static size_t bytes_of(const struct verbs_options *options)
{
	if (!options->bytes)
		return BYTES_DEFAULT;
	if (options->bytes < BYTES_MIN)
		return BYTES_MIN;
	return options->bytes < BYTES_MAX ? options->bytes : BYTES_MAX;
}

static int find(struct verbs_setup *setup)
{
	if (inventory_find(setup) < 0 || local_registration(setup) < 0)
		return -1;
	if (setup->options->listen)
		return remote_listen(setup);
	if (setup->options->connect)
		return remote_connect(setup);
	if (local_loopback(setup) < 0)
		return -1;
	return setup->options->pair ? local_pairs(setup) : 0;
}

int verbs_check(struct findings *findings, const struct verbs_options *options, struct err *err)
{
	struct verbs verbs;
	cleanup_verbs_devices devices = {0};
	struct verbs_setup setup = {
		.verbs = &verbs,
		.options = options,
		.findings = findings,
		.devices = &devices,
		.bytes = bytes_of(options),
	};
	int more;

	verbs_setup_say(&setup, "opening the verbs devices");
	more = verbs_setup_open(findings, options, &verbs, &devices);
	if (more > 0)
		more = find(&setup);
	return more < 0 ? err_memory(err) : 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/verbs/setup.h"

#include <errno.h>
#include <string.h>

const char *setup_register_remedy(const struct verbs_setup *setup, int errnum)
{
	if (setup->options->exec && (errnum == ENOMEM || errnum == EPERM))
		return "process 1 has a higher RLIMIT_MEMLOCK: an exec gets the engine's. Start it "
		       "as the main process, or use the runtime shim (runtimeClassName: rdma) or "
		       "the NRI plugin";
	return trouble_register_remedy(errnum);
}

const char *setup_remedy(const struct verbs_setup *setup, const struct trouble *trouble)
{
	const char *general = trouble_remedy(trouble);

	return general == trouble_register_remedy(ENOMEM) ? setup_register_remedy(setup, ENOMEM)
							  : general;
}

int setup_open(struct findings *findings, const struct verbs_options *options, struct verbs *verbs,
	       struct verbs_devices *devices)
{
	struct err reason;
	int error;

	if (verbs_load(verbs, &reason) < 0)
		return findings_add(findings, "verbs_library", NULL, FINDING_UNCHECKED,
				    "install libibverbs (Debian: libibverbs1 ibverbs-providers; "
				    "RHEL: libibverbs)",
				    "%s", reason.text);
	if (verbs_devices_open(verbs, findings->arena, options->device, devices, &error) == 0)
		return 1;
	if (!error)
		return -1;
	return findings_add(findings, "verbs_library", NULL, FINDING_UNCHECKED,
			    "load ib_uverbs and the HCA's driver on the node",
			    "libibverbs.so.1 is here, but ibv_get_device_list fails: %s",
			    strerror(error));
}

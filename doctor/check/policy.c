/* SPDX-License-Identifier: Apache-2.0 */
/* oci-rdma-hook's own config.json, and the shim's list of runtimes */

#include "core/policy/policy.h"
#include "admin/installation/installation.h"
#include "core/base/fs.h"
#include "doctor/check/check.h"

int check_policy(const struct doctor *doctor, struct findings *findings, struct err *err)
{
	struct config config;
	struct err why;
	int status;

	if (config_load(findings->arena, doctor->node.root, doctor->options.common.config, &config,
			&why) < 0)
		status = findings_add(findings, "policy", NULL, FINDING_FAIL,
				      "Correct it: until then no container is granted anything",
				      "%s", why.text);
	else if (config_check(&config, &why) < 0 ||
		 runtimes_check(findings->arena, doctor->node.root, &why) < 0)
		status = findings_add(findings, "policy", NULL, FINDING_WARN,
				      "Correct it, then check it: oci-rdma-admin --check-config",
				      "%s", why.text);
	else if (!doctor->options.common.config && !tree_exists(doctor->node.root, CONFIG_PATH))
		status = findings_add(findings, "policy", NULL, FINDING_OK, NULL,
				      "there is no /%s, so that the defaults apply (opt in by "
				      "annotation, unlimited memlock)",
				      CONFIG_PATH);
	else
		status = findings_add(
			findings, "policy", NULL, FINDING_OK, NULL, "valid, opt in by %s (%s)",
			config.opt_in == OPT_IN_DEVICE ? "device" : "annotation", config.path);
	return status < 0 ? err_memory(err) : 0;
}

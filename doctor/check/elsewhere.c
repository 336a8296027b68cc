/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/check/check.h"

int check_elsewhere(const struct doctor *doctor, struct findings *findings, struct err *err)
{
	(void)doctor;
	if (findings_add(findings, "node_files", NULL, FINDING_UNCHECKED,
			 "Run on the node: oci-rdma-doctor --container ID",
			 "the hooks, CRI-O's configuration, oci-rdma-hook's policy and the kernel "
			 "log cannot be seen from a container") < 0)
		return err_memory(err);
	return 0;
}

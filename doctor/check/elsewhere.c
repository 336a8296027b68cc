/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/check/check.h"

int check_elsewhere(const struct doctor *doctor, struct findings *findings, struct err *err)
{
	(void)doctor;
	if (findings_add(findings, "node_files", NULL, FINDING_UNCHECKED,
			 "On the node: oci-rdma-doctor --container ID",
			 "hooks, CRI-O's configuration, our policy and the kernel log are not seen "
			 "from a container") < 0)
		return err_memory(err);
	return 0;
}

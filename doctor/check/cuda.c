/* SPDX-License-Identifier: Apache-2.0 */
/* The GPUs as their driver's library sees them: from where we run, so not for another target. */
#include "doctor/cuda/cuda.h"

#include "doctor/check/check.h"

int check_cuda(const struct doctor *doctor, struct findings *findings, struct err *err)
{
	const struct cuda_options options = {.library = doctor->options.libcuda};

	if (!doctor->node.recorded && !doctor->options.pid && !doctor->options.container)
		return cuda_check(findings, &options, err);
	if (findings_add(findings, "cuda_library", NULL, FINDING_UNCHECKED, NULL,
			 "the CUDA driver can be asked only inside the container that uses it: run "
			 "oci-rdma-doctor there") < 0)
		return err_memory(err);
	return 0;
}

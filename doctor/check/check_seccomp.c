/* SPDX-License-Identifier: Apache-2.0 */
/* check.h declares it. Does the filter allow what verbs, NCCL and CUDA call? */
#include <inttypes.h>
#include <string.h>

#include "core/base/fs.h"
#include "core/base/text.h"
#include "core/spec/spec.h"
#include "doctor/check/check.h"

static int add_profile(const struct doctor *doctor, struct findings *findings)
{
	const struct spec *spec = &doctor->target.spec;
	uint32_t refused = spec->seccomp.refused;
	enum finding_status status = FINDING_WARN;
	const char *names = "";

	if (!spec->seccomp.place)
		return findings_add(findings, "seccomp", NULL, FINDING_OK, NULL, "no profile (%s)",
				    doctor->target.spec_path);
	if (!refused)
		return findings_add(findings, "seccomp", NULL, FINDING_OK, NULL,
				    "the profile allows what verbs and NCCL need (%s)",
				    doctor->target.spec_path);
	for (size_t i = 0; seccomp_names[i] && names; i++) {
		const char *name = seccomp_names[i];

		if (!(refused >> i & 1))
			continue;
		/* Verbs need these. */
		if (strcmp(name, "ioctl") == 0 || strcmp(name, "mmap") == 0 ||
		    strcmp(name, "munmap") == 0)
			status = FINDING_FAIL;
		names = arena_printf(findings->arena, "%s%s%s", names, names[0] ? ", " : "",
				     seccomp_names[i]);
	}
	if (!names)
		return -1;
	return findings_add(findings, "seccomp", NULL, status,
			    "Allow them in the pod's profile, or set \"seccomp\": \"amend\" in "
			    "oci-rdma-hook's config.json and use the runtime shim",
			    "the profile refuses %s (%s)", names, doctor->target.spec_path);
}

int check_seccomp(const struct doctor *doctor, struct findings *findings)
{
	int64_t mode;

	if (doctor->target.has_spec)
		return add_profile(doctor, findings);
	mode = target_status(findings->arena, &doctor->target, "Seccomp:", 10);
	if (mode < 0)
		return err_set(&findings->err, "%s/status does not tell",
			       doctor->target.proc_path ? doctor->target.proc_path : "/proc");
	if (mode == 0)
		return findings_add(findings, "seccomp", NULL, FINDING_OK, NULL,
				    "no seccomp filter is active (Seccomp: 0, %s/status)",
				    doctor->target.proc_path);
	return findings_add(
		findings, "seccomp", NULL, FINDING_UNCHECKED,
		"Run oci-rdma-doctor --container ID on the node, which reads the profile",
		"a seccomp filter is active (Seccomp: %" PRId64
		", %s/status); which system calls it refuses cannot be seen from here",
		mode, doctor->target.proc_path);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Transfers with a doctor in another pod */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "doctor/doctor.h"
#include "doctor/finding.h"
#include "doctor/verbs/device.h"

struct verbs_setup {
	const struct verbs *verbs;
	const struct doctor *doctor;
	bool exec;
	struct findings *findings;
	struct verbs_devices *devices;
	size_t bytes; /* of a message: what fits below the memlock limit */
};

/* Transfers with a doctor in another pod. They add findings; -1 without memory only. */
int pods_connect(struct verbs_setup *setup);
int pods_listen(struct verbs_setup *setup);

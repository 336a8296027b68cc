/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "doctor/doctor.h"
#include "doctor/verbs/device.h"
#include "lib/finding.h"

struct verbs_setup {
	const struct verbs *verbs;
	const struct doctor *doctor;
	bool exec;
	struct findings *findings;
	struct verbs_devices *devices;
	size_t bytes; /* of a message, within the memlock limit */
};

/* Each adds findings, and returns -1 only without memory. */
int pods_connect(struct verbs_setup *setup);
int pods_listen(struct verbs_setup *setup);

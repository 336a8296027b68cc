/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/report/report.h"

struct findings_counts findings_count(const struct findings *findings)
{
	struct findings_counts counts = {0};

	for (size_t i = 0; i < findings->n; i++)
		counts.of[findings->item[i].status]++;
	return counts;
}

static const struct finding *first(const struct findings *findings, enum finding_status status)
{
	for (size_t i = 0; i < findings->n; i++) {
		if (findings->item[i].status == status)
			return &findings->item[i];
	}
	return NULL;
}

const struct finding *findings_cause(const struct findings *findings)
{
	const struct finding *fail = first(findings, FINDING_FAIL);

	return fail ? fail : first(findings, FINDING_WARN);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "doctor/report/report.h"

/* A label's value: backslash, quote and line break are escaped (exposition format 0.0.4). */
static void put_label(FILE *out, const char *value)
{
	for (; *value; value++) {
		if (*value == '\\' || *value == '"')
			(void)fputc('\\', out);
		(void)fputc(*value, out);
	}
}

static const char *status_label(enum finding_status status)
{
	return status == FINDING_UNCHECKED ? "not_checkable" : finding_status_name(status);
}

/* Two series with the same labels would make the collector refuse the whole file. */
static int is_repeated(const struct findings *findings, size_t place)
{
	const struct finding *this = &findings->item[place];

	for (size_t i = 0; i < place; i++) {
		const struct finding *other = &findings->item[i];

		if (other->status == this->status && strcmp(other->id, this->id) == 0 &&
		    strcmp(other->subject, this->subject) == 0)
			return 1;
	}
	return 0;
}

int findings_print_prometheus(FILE *out, const struct doctor *doctor,
			      const struct findings *findings)
{
	const struct findings_counts counts = findings_count(findings);

	(void)doctor;
	(void)fputs("# HELP oci_rdma_doctor_finding What oci-rdma-doctor found, 1 for each.\n"
		    "# TYPE oci_rdma_doctor_finding gauge\n",
		    out);
	for (size_t i = 0; i < findings->n; i++) {
		const struct finding *finding = &findings->item[i];

		if (is_repeated(findings, i))
			continue;
		(void)fputs("oci_rdma_doctor_finding{id=\"", out);
		put_label(out, finding->id);
		(void)fputs("\",subject=\"", out);
		put_label(out, finding->subject);
		(void)fprintf(out, "\",status=\"%s\"} 1\n", status_label(finding->status));
	}
	(void)fputs("# HELP oci_rdma_doctor_findings How many findings have this status.\n"
		    "# TYPE oci_rdma_doctor_findings gauge\n",
		    out);
	for (int i = 0; i < REPORT_STATUSES; i++)
		(void)fprintf(out, "oci_rdma_doctor_findings{status=\"%s\"} %zu\n",
			      status_label((enum finding_status)i), counts.of[i]);
	return fflush(out) == 0 && !ferror(out) ? 0 : -1;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/report/findings_json.h"

#include <stdio.h>
#include <string.h>

#include "core/json/writer.h"
#include "doctor/doctor.h"
#include "doctor/report/findings_text.h"
#include "lib/finding.h"

struct report {
	const struct doctor *doctor;
	const struct findings *findings;
};

static const char *status_label(enum finding_status status)
{
	return status == FINDING_UNCHECKED ? "not_checkable" : finding_status_name(status);
}

struct value {
	const char *name;
	const char *text;
	size_t name_len;
	size_t len;
};

/* Takes the next of "state=ACTIVE rate_gbps=400" */
static bool next_value(const char **values, struct value *ret_value)
{
	size_t name_len = strcspn(*values, "=");
	size_t len = strcspn(*values + name_len, " ");

	/* The kernel's text may hold a blank or be cut. */
	if (!len)
		return false;
	*ret_value = (struct value){*values, *values + name_len + 1, name_len, len - 1};
	*values += name_len + len;
	*values += strspn(*values, " ");
	return true;
}

static void put_values(yajl_gen gen, const char *values)
{
	struct value value;

	json_put_string(gen, "values");
	yajl_gen_map_open(gen);
	while (next_value(&values, &value)) {
		yajl_gen_string(gen, (const unsigned char *)value.name, value.name_len);
		yajl_gen_string(gen, (const unsigned char *)value.text, value.len);
	}
	yajl_gen_map_close(gen);
}

static void put_findings(yajl_gen gen, const struct findings *findings)
{
	json_put_string(gen, "findings");
	yajl_gen_array_open(gen);
	for (size_t i = 0; i < findings->n; i++) {
		const struct finding *finding = &findings->item[i];

		yajl_gen_map_open(gen);
		json_put_text(gen, "id", finding->id);
		json_put_text(gen, "subject", finding->subject);
		json_put_text(gen, "status", finding_status_name(finding->status));
		json_put_text(gen, "evidence", finding->evidence);
		json_put_text(gen, "remedy", finding->remedy);
		if (finding->values[0])
			put_values(gen, finding->values);
		if (finding->seen[0]) {
			json_put_text(gen, "seen", finding->seen);
			json_put_text(gen, "check", finding->check);
		}
		yajl_gen_map_close(gen);
	}
	yajl_gen_array_close(gen);
}

static int put_report(yajl_gen gen, void *context)
{
	const struct report *report = context;
	const struct doctor *doctor = report->doctor;
	const struct target *target = &doctor->target;
	const struct findings_counts counts = findings_count(report->findings);
	const struct finding *cause = findings_cause(report->findings);

	yajl_gen_map_open(gen);
	json_put_uint64(gen, "schema", 1);
	json_put_text(gen, "version", VERSION);
	json_put_member(gen, "where",
			doctor->options.symptom      ? NULL
			: doctor->location.container ? "container"
						     : "node");
	json_put_member(gen, "where_evidence", doctor->location.evidence);
	json_put_string(gen, "target");
	yajl_gen_map_open(gen);
	json_put_member(gen, "name", target->name);
	if (target->pid)
		json_put_uint64(gen, "pid", (uint64_t)target->pid);
	else
		json_put_member(gen, "pid", NULL);
	json_put_member(gen, "container", target->id);
	json_put_member(gen, "config", target->has_spec ? target->spec_path : NULL);
	yajl_gen_map_close(gen);
	json_put_string(gen, "summary");
	yajl_gen_map_open(gen);
	for (int i = 0; i < REPORT_STATUSES; i++)
		json_put_uint64(gen, status_label((enum finding_status)i), counts.of[i]);
	json_put_member(gen, "cause", cause ? cause->id : NULL);
	yajl_gen_map_close(gen);
	put_findings(gen, report->findings);
	yajl_gen_map_close(gen);
	return 0;
}

int findings_print_json(FILE *out, const struct doctor *doctor, const struct findings *findings)
{
	struct report report = {doctor, findings};
	cleanup_arena arena = {0};
	size_t len;
	const char *text = json_write(&arena, true, put_report, &report, &len);

	return text && fwrite(text, 1, len, out) == len && fflush(out) == 0 ? 0 : -1;
}

/* Exposition format 0.0.4 escapes backslash, quote and line break. */
static void put_label(FILE *out, const char *value, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (value[i] == '\\' || value[i] == '"')
			fputc('\\', out);
		fputc(value[i], out);
	}
}

/* Collectors reject a file with two identical series. */
static bool is_repeated(const struct findings *findings, size_t place)
{
	const struct finding *this = &findings->item[place];

	for (size_t i = 0; i < place; i++) {
		const struct finding *other = &findings->item[i];

		if (other->status == this->status && strcmp(other->id, this->id) == 0 &&
		    strcmp(other->subject, this->subject) == 0)
			return true;
	}
	return false;
}

/* One line per container. values: bytes, then labels */
static void print_pinned(FILE *out, const struct findings *findings)
{
	fputs("# HELP oci_rdma_pinned_bytes Memory that the container's processes pin now, by "
	      "VmPin and VmLck.\n# TYPE oci_rdma_pinned_bytes gauge\n",
	      out);
	for (size_t i = 0; i < findings->n; i++) {
		const struct finding *finding = &findings->item[i];
		const char *values = finding->values;
		const char *comma = "";
		struct value bytes;
		struct value label;

		if (strcmp(finding->id, "pinned") != 0 || !finding->subject[0] ||
		    is_repeated(findings, i) || !next_value(&values, &bytes))
			continue;
		fputs("oci_rdma_pinned_bytes{", out);
		for (; next_value(&values, &label); comma = ",") {
			fprintf(out, "%s%.*s=\"", comma, (int)label.name_len, label.name);
			put_label(out, label.text, label.len);
			fputc('"', out);
		}
		fprintf(out, "} %.*s\n", (int)bytes.len, bytes.text);
	}
}

int findings_print_prometheus(FILE *out, const struct findings *findings)
{
	const struct findings_counts counts = findings_count(findings);

	fputs("# HELP oci_rdma_doctor_finding What oci-rdma-doctor found, 1 for each.\n# "
	      "TYPE oci_rdma_doctor_finding gauge\n",
	      out);
	for (size_t i = 0; i < findings->n; i++) {
		const struct finding *finding = &findings->item[i];

		if (is_repeated(findings, i))
			continue;
		fputs("oci_rdma_doctor_finding{id=\"", out);
		put_label(out, finding->id, strlen(finding->id));
		fputs("\",subject=\"", out);
		put_label(out, finding->subject, strlen(finding->subject));
		fprintf(out, "\",status=\"%s\"} 1\n", status_label(finding->status));
	}
	fputs("# HELP oci_rdma_doctor_findings How many findings have this status.\n# TYPE "
	      "oci_rdma_doctor_findings gauge\n",
	      out);
	for (int i = 0; i < REPORT_STATUSES; i++)
		fprintf(out, "oci_rdma_doctor_findings{status=\"%s\"} %zu\n",
			status_label((enum finding_status)i), counts.of[i]);
	print_pinned(out, findings);
	return fflush(out) == 0 && !ferror(out) ? 0 : -1;
}

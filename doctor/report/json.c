/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>
#include <yajl/yajl_gen.h>

#include "doctor/report/report.h"

static void put(yajl_gen gen, const char *text)
{
	(void)yajl_gen_string(gen, (const unsigned char *)text, strlen(text));
}

/* null for what does not apply */
static void member(yajl_gen gen, const char *name, const char *text)
{
	put(gen, name);
	if (text)
		put(gen, text);
	else
		(void)yajl_gen_null(gen);
}

static void put_target(yajl_gen gen, const struct target *target)
{
	put(gen, "target");
	(void)yajl_gen_map_open(gen);
	member(gen, "name", target->name);
	put(gen, "pid");
	if (target->pid)
		(void)yajl_gen_integer(gen, target->pid);
	else
		(void)yajl_gen_null(gen);
	member(gen, "container", target->id);
	member(gen, "config", target->has_spec ? target->spec_path : NULL);
	(void)yajl_gen_map_close(gen);
}

static void put_summary(yajl_gen gen, const struct findings *findings)
{
	static const char *const names[REPORT_STATUSES] = {
		[FINDING_OK] = "ok",
		[FINDING_WARN] = "warn",
		[FINDING_FAIL] = "fail",
		[FINDING_UNCHECKED] = "not_checkable",
	};
	const struct findings_counts counts = findings_count(findings);
	const struct finding *cause = findings_cause(findings);

	put(gen, "summary");
	(void)yajl_gen_map_open(gen);
	for (int i = 0; i < REPORT_STATUSES; i++) {
		put(gen, names[i]);
		(void)yajl_gen_integer(gen, (long long)counts.of[i]);
	}
	member(gen, "cause", cause ? cause->id : NULL);
	(void)yajl_gen_map_close(gen);
}

static void put_findings(yajl_gen gen, const struct findings *findings)
{
	put(gen, "findings");
	(void)yajl_gen_array_open(gen);
	for (size_t i = 0; i < findings->n; i++) {
		const struct finding *finding = &findings->item[i];

		(void)yajl_gen_map_open(gen);
		member(gen, "id", finding->id);
		member(gen, "subject", finding->subject);
		member(gen, "status", finding_status_name(finding->status));
		member(gen, "evidence", finding->evidence);
		member(gen, "remedy", finding->remedy);
		(void)yajl_gen_map_close(gen);
	}
	(void)yajl_gen_array_close(gen);
}

int findings_print_json(FILE *out, const struct doctor *doctor, const struct findings *findings)
{
	yajl_gen gen = yajl_gen_alloc(NULL);
	const unsigned char *text;
	size_t len;
	int status = -1;

	if (!gen)
		return -1;
	(void)yajl_gen_config(gen, yajl_gen_beautify, 1);
	(void)yajl_gen_config(gen, yajl_gen_indent_string, "  ");
	(void)yajl_gen_map_open(gen);
	put(gen, "schema");
	(void)yajl_gen_integer(gen, 1);
	member(gen, "version", VERSION);
	member(gen, "where", doctor->place.container ? "container" : "node");
	member(gen, "where_evidence", doctor->place.evidence);
	put_target(gen, &doctor->target);
	put_summary(gen, findings);
	put_findings(gen, findings);
	(void)yajl_gen_map_close(gen);
	if (yajl_gen_get_buf(gen, &text, &len) == yajl_gen_status_ok &&
	    fwrite(text, 1, len, out) == len && fflush(out) == 0)
		status = 0;
	yajl_gen_free(gen);
	return status;
}

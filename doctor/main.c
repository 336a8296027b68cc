/* SPDX-License-Identifier: Apache-2.0 */
/* oci-rdma-doctor: why is RDMA not working here? */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/command_line.h"
#include "doctor/check/check.h"
#include "doctor/doctor.h"
#include "doctor/options.h"
#include "doctor/report/report.h"
#include "doctor/runner.h"
#include "doctor/symptom/symptom.h"
#include "doctor/trial.h"

static int report(const struct doctor *doctor, const struct findings *findings)
{
	static int (*const reports[])(FILE *, const struct doctor *, const struct findings *) = {
		[REPORT_TEXT] = findings_print_text,
		[REPORT_JSON] = findings_print_json,
		[REPORT_PROMETHEUS] = findings_print_prometheus,
	};

	if (reports[doctor->options.format](stdout, doctor, findings) < 0) {
		(void)fprintf(stderr, "oci-rdma-doctor: stdout could not be written\n");
		return -1;
	}
	return 0;
}

static int explain(const char *symptom, struct findings *findings, struct err *err)
{
	if (strcmp(symptom, "-") == 0)
		return symptom_explain_fd(findings, STDIN_FILENO, "stdin", err);
	return symptom_explain(findings, symptom, strlen(symptom), err);
}

static int find(const struct doctor *doctor, struct findings *findings, struct err *err)
{
	const struct doctor_options *options = &doctor->options;

	if (options->symptom)
		return explain(options->symptom, findings, err);
	if (!options->listen && !options->connect &&
	    runner_run(doctor, all_checks, n_all_checks, findings, err) < 0)
		return -1;
	return options->verbs ? trial_run(doctor, findings, err) : 0;
}

int main(int argc, char **argv)
{
	cleanup_doctor doctor = DOCTOR_NONE;
	struct doctor_options options;
	struct findings findings;
	struct err err;
	int status = doctor_options_parse(argc, argv, &options);

	if (status >= 0)
		return status;
	(void)signal(SIGPIPE, SIG_IGN);
	if (doctor_read(&options, &doctor, &err) < 0) {
		(void)fprintf(stderr, "oci-rdma-doctor: %s\n", err.text);
		return EXIT_USAGE;
	}
	findings = (struct findings){.arena = &doctor.arena};
	if (find(&doctor, &findings, &err) < 0) {
		(void)fprintf(stderr, "oci-rdma-doctor: %s\n", err.text);
		return EXIT_USAGE;
	}
	if (report(&doctor, &findings) < 0)
		return EXIT_USAGE;
	return findings_count(&findings).of[FINDING_FAIL] ? 1 : 0;
}

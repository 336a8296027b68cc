/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/base/fs.h"
#include "core/command_line.h"
#include "doctor/check/check.h"
#include "doctor/check/check_plan.h"
#include "doctor/compare/differences.h"
#include "doctor/compare/pairs_table.h"
#include "doctor/compare/rounds.h"
#include "doctor/cuda/cuda.h"
#include "doctor/doctor.h"
#include "doctor/doctor_options.h"
#include "doctor/report/findings_html.h"
#include "doctor/report/findings_json.h"
#include "doctor/report/findings_text.h"
#include "doctor/runner.h"
#include "doctor/symptom/symptom.h"
#include "doctor/verbs/registration.h"
#include "doctor/verbs/verbs.h"

#define EXIT_UNKNOWN 3

static int print(const struct doctor *doctor, const struct findings *findings)
{
	switch (doctor->options.format) {
	case REPORT_HTML:
		return findings_print_html(stdout, doctor, findings);
	case REPORT_JSON:
		return findings_print_json(stdout, doctor, findings);
	case REPORT_PROMETHEUS:
		return findings_print_prometheus(stdout, findings);
	default:
		return findings_print_text(stdout, doctor, findings);
	}
}

/* A mistyped name would look like a faultless log. */
static int read_log(const char *symptom, struct arena *arena, struct symptoms *ret, struct err *err)
{
	bool is_word = !symptom[strcspn(symptom, " \t\n")];
	cleanup_fd fd = -1;

	if (strcmp(symptom, "-") == 0) {
		if (isatty(STDIN_FILENO))
			fprintf(stderr,
				"oci-rdma-doctor: reads a log from the terminal; end it with "
				"Ctrl-D, or: kubectl logs POD | oci-rdma-doctor --symptom\n");
		return symptoms_of_fd(arena, STDIN_FILENO, "stdin", ret, err);
	}
	fd = open(symptom, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd >= 0)
		return symptoms_of_fd(arena, fd, symptom, ret, err);
	if ((is_word && strchr(symptom, '/')) ||
	    (errno != ENOENT && errno != ENAMETOOLONG && errno != ENOTDIR))
		return err_sys(err, errno, "%s", symptom);
	if (symptoms_of_text(arena, symptom, strlen(symptom), ret, err) < 0)
		return -1;
	if (is_word && symptom[0] && !ret->n)
		return err_set(err, "%s: no such file, and no known message", symptom);
	return 0;
}

/* Logs may be foreign: check only a given target, or a container with RDMA. */
static int explain(struct doctor *doctor, struct findings *findings)
{
	bool of_target = doctor->options.pid || doctor->options.container ||
			 (doctor->location.container && (doctor->devices.n || doctor->claims.n));
	struct findings checked = {.arena = &doctor->arena, .err = findings->err};
	struct symptoms symptoms;

	if (read_log(doctor->options.symptom, &doctor->arena, &symptoms, &findings->err) < 0)
		return -1;
	if (!of_target) {
		doctor->target.name = NULL;
	} else if (symptoms.n) {
		if (runner_run(doctor, all_checks, n_all_checks, &checked) < 0)
			return -1;
		symptoms_weigh(&symptoms, &checked);
	}
	return symptoms_add_findings(&symptoms, findings);
}

/* ---- --verbs ---- */

/* for eight devices with slow firmware */
#define VERBS_SECONDS 60

static int check_verbs(const struct doctor *doctor, struct findings *findings)
{
	struct rlimit limit;
	bool exec = getrlimit(RLIMIT_MEMLOCK, &limit) == 0 &&
		    limits_of_first_are_higher(doctor, limit.rlim_cur);

	return verbs_check(findings, doctor, exec);
}

static int check_gpu_memory(const struct doctor *doctor, struct findings *findings)
{
	struct cuda_memory memory[CUDA_GPUS_MAX];
	int n = doctor->gpus.n ? cuda_allocate(findings, doctor->options.libcuda, memory) : 0;

	return n > 0 ? verbs_register_gpus(findings, doctor, memory, n) : n;
}

static int try_verbs(const struct doctor *doctor, struct findings *findings)
{
	static const struct check checks[] = {
		{"verbs_devices", "registers memory", CHECK_EVERYWHERE, VERBS_SECONDS, check_verbs},
		{"cuda_memory", "registers GPU memory", CHECK_EVERYWHERE, CUDA_SECONDS,
		 check_gpu_memory},
	};

	/* Listening may last forever: no child, no deadline. */
	return doctor->options.listen || doctor->options.connect
		       ? check_verbs(doctor, findings)
		       : runner_run(doctor, checks, 2, findings);
}

static int find_all(struct doctor *doctor, struct findings *findings)
{
	const struct doctor_options *options = &doctor->options;

	if (options->symptom)
		return explain(doctor, findings);
	if (doctor->no_openat2)
		return runner_run(doctor, &kernel_check, 1, findings);
	if (options->topology)
		return check_distance(doctor, findings);
	if (!options->listen && !options->connect &&
	    runner_run(doctor, all_checks, n_all_checks, findings) < 0)
		return -1;
	return options->verbs ? try_verbs(doctor, findings) : 0;
}

static bool has(const struct findings *findings, const char *id, enum finding_status status)
{
	for (size_t i = 0; i < findings->n; i++) {
		if (findings->item[i].status == status && strcmp(findings->item[i].id, id) == 0)
			return true;
	}
	return false;
}

/* A transfer outweighs a low limit or a down port; without one, --connect fails. */
static int exit_status(const struct doctor *doctor, const struct findings *findings)
{
	const struct findings_counts counts = findings_count(findings);

	if (has(findings, "verbs_remote", FINDING_OK))
		return has(findings, "verbs_remote", FINDING_FAIL) ||
		       has(findings, "verbs_listen", FINDING_FAIL);
	if (doctor->options.connect || counts.of[FINDING_FAIL])
		return 1;
	/* A log without known messages proves nothing. */
	return doctor->options.symptom && counts.of[FINDING_UNCHECKED] ? EXIT_UNKNOWN : 0;
}

int main(int argc, char **argv)
{
	cleanup_doctor doctor = DOCTOR_NONE;
	struct doctor_options options;
	struct findings findings = {.arena = &doctor.arena};
	int status = doctor_options_parse(argc, argv, &options);

	if (status >= 0)
		return status;
	(void)signal(SIGPIPE, SIG_IGN);
	if (options.pairs && !options.compare)
		return rounds_print(options.operands, options.n_operands, options.pairs_all);
	if (options.pairs)
		return pairs_compare(options.operands, options.n_operands, options.pairs_all,
				     options.format == REPORT_JSON);
	if (options.compare)
		return compare_reports(options.operands, options.n_operands,
				       options.format == REPORT_JSON);
	doctor.options = options;
	err_memory(&findings.err);
	if (doctor_read(&options, &doctor, &findings.err) < 0 || find_all(&doctor, &findings) < 0) {
		fprintf(stderr, "oci-rdma-doctor: %s\n", findings.err.text);
		return EXIT_USAGE;
	}
	if (print(&doctor, &findings) < 0) {
		fprintf(stderr, "oci-rdma-doctor: stdout could not be written\n");
		return EXIT_USAGE;
	}
	return exit_status(&doctor, &findings);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "hook/precreate.h"

#include <unistd.h>

#include "core/base/fs.h"
#include "core/command_line.h"
#include "core/deadline.h"
#include "core/process/process.h"
#include "core/report/log.h"
#include "hook/edit.h"
#include "hook/hook_confinement.h"

#define WHAT "config.json on stdin"

static struct fs_text unchanged_input;

struct run {
	struct container container;
	struct outcome outcome;
	struct fs_text edited;
};

static void serve_spec(struct run *run)
{
	struct container *container = &run->container;
	struct outcome *outcome = &run->outcome;
	struct err *err = &outcome->err;
	int status = container->text.len > SPEC_SIZE_MAX
			     ? err_set(err, WHAT ": larger than %d MiB", SPEC_SIZE_MAX >> 20)
			     : container_parse_spec(container, WHAT, err);

	/* podman gives the id only in the cgroup: "/libpod_parent/libpod-<id>" */
	if (status == 0 && !container->id)
		container->id = spec_cgroup_name(&container->spec);
	if (status == 0)
		status = container_find(container, outcome->options, err);
	if (status > 0)
		status = edit_config_json(container, outcome, &run->edited);
	outcome_decide(container, status, outcome);
	deadline_set_must_fail(outcome->must_fail);
	outcome_log(container, outcome);
}

/* Includes input larger than we read: the container may have no RDMA. */
static void hand_back(void)
{
	static char buffer[65536];
	ssize_t n = 0;
	int status = fs_write(STDOUT_FILENO, unchanged_input.bytes, unchanged_input.len);

	while (status == 0 && (n = read(STDIN_FILENO, buffer, sizeof(buffer))) > 0)
		status = fs_write(STDOUT_FILENO, buffer, (size_t)n);
	_exit(status < 0 || n < 0);
}

static int serve_stdin(struct run *run)
{
	struct container *container = &run->container;
	struct err *err = &run->outcome.err;
	int status;

	container->what = WHAT;
	if (fs_read_up_to(&container->arena, STDIN_FILENO, SPEC_SIZE_MAX, WHAT, &container->text,
			  err) < 0) {
		report_to_caller(log_failure(NULL, err->text, run->outcome.entry_point));
		return 1;
	}
	unchanged_input = run->edited = container->text;
	deadline_arm(hand_back);
	container->lacking = own_lacks_capabilities(UINT64_MAX);
	(void)confine(&hook_confinement, options_directory(run->outcome.options),
		      &run->outcome.unconfined);
	serve_spec(run);
	deadline_disarm();
	if (run->outcome.must_fail)
		return 1;
	if (unchanged_input.len > SPEC_SIZE_MAX)
		hand_back();
	status = fs_write(STDOUT_FILENO, run->edited.bytes, run->edited.len);
	if (status == 0)
		return 0;
	err_sys(err, -status, "cannot write the edited config.json to stdout");
	report_to_caller(log_failure(container, err->text, run->outcome.entry_point));
	return 1;
}

int precreate_run(const struct options *options)
{
	static struct run run;

	run.outcome.entry_point = "precreate";
	run.outcome.options = options;
	run.outcome.tells = true;
	run.container = CONTAINER_NONE;
	return serve_stdin(&run);
}

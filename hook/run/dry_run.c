/* SPDX-License-Identifier: Apache-2.0 */
#include "run/dry_run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "report/report.h"
#include "run/container.h"

static int make_plan(struct container *container, const struct options *options, const char *path,
		     struct err *err)
{
	cleanup_node node = NODE_NONE;
	cleanup_fd bundle = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (bundle < 0)
		return err_sys(err, errno, "bundle %s", path);
	if (container_read_spec(container, bundle, path, err) < 0 ||
	    node_open(options->sysroot, &node, err) < 0 ||
	    container_find_devices(container, &node, err) < 0 ||
	    container_read_policy(container, &node, options->config, err) < 0)
		return -1;
	return container_plan(container, &node, DETAIL_ALL, err);
}

static int print(struct container *container, enum dry_run_format format)
{
	const char *lines;

	switch (format) {
	case FORMAT_TEXT:
		return report_text(stdout, container);
	case FORMAT_JSON:
		return report_json(stdout, container);
	case FORMAT_NCCL:
		lines = plan_nccl_lines(&container->arena, &container->plan);
		return lines && fputs(lines, stdout) >= 0 ? 0 : -1;
	}
	return -1;
}

int dry_run(const struct options *options, enum dry_run_format format, const char *bundle)
{
	cleanup_container container = {0};
	struct err err;

	if (make_plan(&container, options, bundle, &err) < 0) {
		text_make_printable(err.text);
		(void)fprintf(stderr, "oci-rdma-hook: %s\n", err.text);
		return 1;
	}
	if (print(&container, format) < 0 || fflush(stdout) != 0) {
		(void)fprintf(stderr, "oci-rdma-hook: cannot write the report\n");
		return 1;
	}
	return 0;
}

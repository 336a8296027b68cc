/* SPDX-License-Identifier: Apache-2.0 */
/* containerd, by its files: handlers that run the shim */
#include <string.h>

#include "admin/engine/engine.h"
#include "admin/installation/installation.h"
#include "core/base/fs.h"
#include "core/base/names.h"
#include "doctor/check/check.h"

struct context {
	const struct doctor *doctor;
	struct findings *findings;
	struct containerd containerd;
	struct config config;
};

static int add_containerd_handler(const struct context *context,
				  const struct containerd_handler *handler)
{
	const struct containerd *containerd = &context->containerd;
	struct findings *findings = context->findings;
	struct handler_verdict verdict;

	handler_judge_containerd(findings->arena, context->doctor->node.root, containerd, handler,
				 &context->config, &verdict);
	if (verdict.fault != HANDLER_RIGHT)
		return findings_add(findings, "containerd_handler", handler->name, FINDING_FAIL,
				    "Correct the file, then run: systemctl restart containerd",
				    "%s", verdict.why.text);
	if (strcmp(containerd->default_runtime, handler->name) == 0)
		return findings_add(findings, "containerd_handler", handler->name, FINDING_WARN,
				    "Give the shim a handler of its own and a RuntimeClass",
				    "BinaryName %s (%s) belongs to the default handler: if that "
				    "file were missing, no pod of this node would start",
				    handler->binary, containerd->default_file);
	if (verdict.replaced_by)
		return findings_add(findings, "containerd_handler", handler->name, FINDING_WARN,
				    "Append the handler to that file, then: systemctl restart "
				    "containerd",
				    "%s has a table of the same plugin, which takes the place of "
				    "that of %s in containerd 1.x, or for its version: then the "
				    "handler is none",
				    verdict.replaced_by, handler->file);
	return findings_add(findings, "containerd_handler", handler->name, FINDING_OK, NULL,
			    "BinaryName %s (%s)", handler->binary, handler->file);
}

int check_containerd(const struct doctor *doctor, struct findings *findings, struct err *err)
{
	struct context context = {.doctor = doctor, .findings = findings};
	int root = doctor->node.root;
	struct err why;

	if (!tree_exists(root, CONTAINERD_CONFIG))
		return 0;
	if (containerd_read(findings->arena, root, CONTAINERD_CONFIG, &context.containerd, &why) <
	    0)
		return why.memory || findings_add(findings, "containerd_config", NULL, FINDING_FAIL,
						  "containerd config dump shows what is wrong",
						  "%s", why.text) < 0
			       ? err_memory(err)
			       : 0;
	/* A policy that cannot be read is check_policy's. */
	if (config_load(findings->arena, root, doctor->options.common.config, &context.config,
			&why) < 0)
		return 0;
	for (size_t i = 0; i < context.containerd.n_handlers; i++) {
		const struct containerd_handler *handler = &context.containerd.handler[i];

		if (names_shim(handler->binary) && add_containerd_handler(&context, handler) < 0)
			return err_memory(err);
	}
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "hook/edit.h"

#include "core/apply/spec_edit.h"
#include "core/deadline.h"
#include "core/process/memlock.h"
#include "core/process/process.h"

int edit_config_json(struct container *container, struct outcome *outcome,
		     struct fs_text *ret_edited)
{
	struct err *err = &outcome->err;
	struct rlimit64 inherited;
	int status;

	deadline_set_must_fail(outcome_if_timed_out(container, outcome));
	container->memlock_max = own_memlock_max();
	status = container_plan(container, err);
	if (status <= 0)
		return status;
	if (inherited_memlock(&inherited, err) < 0 ||
	    spec_edit(&container->arena, &container->text, &container->spec, &container->plan,
		      &inherited, ret_edited, err) < 0)
		return -1;
	outcome->changed = ret_edited->bytes != container->text.bytes;
	outcome->capabilities = true;
	outcome->nccl = container->plan.new_settings ? "env" : NULL;
	return 1;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of doctor/symptom/known, as they are: each is whole, and different from the others */
#include "suite.h"

#include "doctor/symptom/known.h"

/* A row that was forgotten, or a text that does not fit, would say nothing or half of it. */
static void has_its_texts(const struct known *known)
{
	assert_true(strlen(known->cause) > 20 && strlen(known->cause) < 450);
	assert_true(strlen(known->remedy) > 20);
	assert_true(strlen(known->remedy) + strlen(known->confirm) < 600);
	assert_ptr_equal(known_find(known->name), known);
	for (const struct message *message = known->messages; message->part[0]; message++) {
		assert_true(message->from && message->from[0]);
		for (size_t i = 0; i < PARTS_MAX && message->part[i]; i++) {
			for (const char *c = message->part[i]; *c; c++)
				assert_false(*c >= 'A' && *c <= 'Z');
		}
	}
}

UNIT_TEST("symptom: each has a cause, a remedy and a name of its own")
{
	for (size_t i = 0; i < known_count(); i++) {
		const struct known *known = known_at(i);

		assert_non_null(known->name);
		has_its_texts(known);
		assert_true((!known->completions[0].status && !known->calls[0].name) ||
			    known->from != NULL);
	}
}

/* Two rows with one cause would print it twice: they are one row, or one turns into the other. */
UNIT_TEST("symptom: a cause is that of one row")
{
	for (size_t i = 0; i < known_count(); i++) {
		for (size_t j = i + 1; j < known_count(); j++)
			assert_string_not_equal(known_at(i)->cause, known_at(j)->cause);
	}
}

UNIT_TEST("symptom: each turn leads to a row, and these alone are no failures")
{
	static const char warnings[] =
		" gdr_off gdr_unused gid_changed ib_disabled iommu_missing libcuda libibverbs "
		"no_rdma openib openib_off peermem_context plugin selinux_permissive sharp "
		"socket_bridge socket_used sys_stat vf_no_driver vm_unmap ";
	char name[64];

	for (size_t i = 0; i < known_count(); i++) {
		const struct known *known = known_at(i);

		for (const struct turn *turn = known->turns; turn->to; turn++)
			assert_true(!turn->to[0] || known_find(turn->to));
		(void)snprintf(name, sizeof(name), " %s ", known->name);
		if ((known->status == FINDING_WARN) != (strstr(warnings, name) != NULL))
			fail_msg("%s: is it a failure or a warning?", known->name);
	}
}

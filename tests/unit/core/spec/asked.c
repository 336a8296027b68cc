/* SPDX-License-Identifier: Apache-2.0 */
/* Does a hook of ours ask for the container, by its arguments? */
#include "suite.h"

#define OURS "\"path\":\"/usr/local/bin/oci-rdma-hook\""
#define HOOKS(stage, ...) "{\"hooks\":{\"" stage "\":[" __VA_ARGS__ "]}}"

static const struct asked_case {
	const char *name;
	const char *text;
	bool asked;
} asked_cases[] = {
	{"asked: by createRuntime",
	 HOOKS("createRuntime", "{" OURS ",\"args\":[\"oci-rdma-hook\",\"--ask\"]}"), true},
	{"asked: by prestart", HOOKS("prestart", "{" OURS ",\"args\":[\"x\",\"--ask\"]}"), true},
	{"asked: the arguments in front of the path",
	 HOOKS("createRuntime", "{\"args\":[\"x\",\"--ask\"]," OURS "}"), true},
	{"asked: among others' hooks",
	 HOOKS("createRuntime",
	       "{\"path\":\"/a\"},{" OURS ",\"args\":[\"--ask\"]},{\"path\":\"/b\"}"),
	 true},
	{"not asked: no hooks", "{}", false},
	{"not asked: ours does not say so",
	 HOOKS("createRuntime", "{" OURS ",\"args\":[\"oci-rdma-hook\",\"createRuntime\"]}"),
	 false},
	{"not asked: another's argument",
	 HOOKS("createRuntime", "{\"path\":\"/bin/x\",\"args\":[\"oci-rdma-hook\",\"--ask\"]}"),
	 false},
	{"not asked: another's argument beside ours",
	 HOOKS("createRuntime", "{" OURS "},{\"path\":\"/x\",\"args\":[\"--ask\"]}"), false},
	{"not asked: a name that ends in ours",
	 HOOKS("createRuntime", "{\"path\":\"/bin/my-oci-rdma-hook\",\"args\":[\"--ask\"]}"),
	 false},
	{"not asked: more than the word",
	 HOOKS("createRuntime", "{" OURS ",\"args\":[\"--asked\",\"--as\"]}"), false},
	{"not asked: the environment's word",
	 HOOKS("createRuntime", "{" OURS ",\"env\":[\"--ask\"]}"), false},
	{"not asked: a stage that is not ours",
	 HOOKS("createContainer", "{" OURS ",\"args\":[\"--ask\"]}"), false},
	{"not asked: the process' arguments and annotations",
	 "{\"process\":{\"args\":[\"--ask\"]},\"annotations\":{\"hooks\":\"--ask\"}}", false},
	{"not asked: hooks of any other shape",
	 "{\"hooks\":{\"createRuntime\":[1,null,[\"--ask\"],{\"path\":1,\"args\":\"--ask\"},"
	 "{\"path\":{},\"args\":[1,{}]}],\"prestart\":null,\"poststop\":7}}",
	 false},
	{"not asked: hooks null", "{\"hooks\":null}", false},
	{"not asked: hooks a word", "{\"hooks\":\"--ask\"}", false},
};

UNIT_ROWS(asked_cases)
{
	cleanup_arena arena = {0};
	struct spec spec;

	must_parse(&arena, row->text, &spec);
	assert_int_equal(spec.asked, row->asked);
}

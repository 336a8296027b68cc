/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "doctor/verbs/exchange.h"
#include "doctor/verbs/transfer.h"

unsigned remote_port(const struct verbs_setup *setup)
{
	return setup->options->port ? setup->options->port : VERBS_PORT;
}

void remote_tell(const struct verbs_setup *setup, const struct findings *findings)
{
	if (setup->options->found)
		setup->options->found(setup->options->context, &findings->item[findings->n - 1]);
}

int remote_found(const struct verbs_setup *setup, struct findings *findings, const char *subject,
		 const struct trouble *trouble, const struct remote_outcome *outcome)
{
	char text[TRANSFER_TEXT_SIZE];
	char back[TRANSFER_TEXT_SIZE];
	int status;

	if (trouble)
		status = findings_add(findings, "verbs_remote", subject, FINDING_FAIL,
				      verbs_setup_remedy(setup, trouble), "%s", trouble->text);
	else
		status = findings_add(findings, "verbs_remote", subject, FINDING_OK, NULL,
				      "%s; back %s; data verified on both sides%s",
				      transfer_result_text(&outcome->out, text),
				      transfer_result_text(&outcome->in, back),
				      outcome->beside ? "; others were served meanwhile" : "");
	if (status == 0)
		remote_tell(setup, findings);
	return status;
}

static int ask(const struct verbs_setup *setup, const struct verbs_device *device,
	       struct remote_outcome *ret, struct trouble *trouble)
{
	cleanup_exchange exchange = {.fd = -1};
	cleanup_endpoint endpoint = {0};
	struct session session = {.exchange = &exchange, .endpoint = &endpoint};

	if (endpoint_open(setup->verbs, device, setup->bytes, &endpoint, trouble) < 0 ||
	    exchange_connect(setup->options->connect, remote_port(setup), &exchange, trouble) < 0 ||
	    session_ask(&session, setup->options->token, trouble) < 0)
		return -1;
	ret->peer = session.peer;
	return session_run(&session, true, &ret->out, &ret->in, trouble);
}

int remote_connect(struct verbs_setup *setup)
{
	size_t tried = 0;

	for (size_t i = 0; i < setup->devices->n; i++) {
		const struct verbs_device *device = &setup->devices->item[i];
		struct remote_outcome outcome = {0};
		struct trouble trouble;
		char subject[400];
		int failed;

		if (!device->used)
			continue;
		tried++;
		verbs_setup_say(setup, "%s: transfer to %s", device->name, setup->options->connect);
		failed = ask(setup, device, &outcome, &trouble);
		(void)snprintf(subject, sizeof(subject), "%s -> %s%s%s", device->name,
			       setup->options->connect, outcome.peer.device[0] ? " " : "",
			       outcome.peer.device);
		if (remote_found(setup, setup->findings, subject, failed ? &trouble : NULL,
				 &outcome) < 0)
			return -1;
		if (failed && trouble.kind == TROUBLE_NETWORK && !outcome.peer.device[0])
			return 0; /* nobody is there for the other devices either */
	}
	if (tried)
		return 0;
	return findings_add(setup->findings, "verbs_remote", setup->options->connect,
			    FINDING_UNCHECKED, "see the verbs_open and verbs_port findings",
			    "no device with an ACTIVE port to connect from");
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/verbs/remote.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>

#include "core/base/cleanup.h"
#include "doctor/verbs/exchange.h"
#include "doctor/verbs/session.h"
#include "doctor/verbs/transfer.h"

/* A server may run for days: of so many clients the findings are kept, the rest only counted. */
#define CLIENTS_KEPT 256

static unsigned port_of(const struct verbs_setup *setup)
{
	return setup->options->port ? setup->options->port : VERBS_PORT;
}

/* Adds a finding of a transfer, and tells it at once to who wants to know. */
static int found(struct verbs_setup *setup, struct findings *findings, const char *subject,
		 const struct trouble *trouble, const struct transfer_result *out,
		 const struct transfer_result *in)
{
	char text[TRANSFER_TEXT_SIZE];
	char back[TRANSFER_TEXT_SIZE];
	int status;

	if (trouble)
		status = findings_add(findings, "verbs_remote", subject, FINDING_FAIL,
				      trouble_remedy(trouble), "%s", trouble->text);
	else
		status = findings_add(findings, "verbs_remote", subject, FINDING_OK, NULL,
				      "%s; back %s; data verified on both sides",
				      transfer_result_text(out, text),
				      transfer_result_text(in, back));
	if (status == 0 && setup->options->found)
		setup->options->found(setup->options->context, &findings->item[findings->n - 1]);
	return status;
}

/* ---- the side that asks ---- */

struct outcome {
	struct message_endpoint peer;
	struct transfer_result out;
	struct transfer_result in;
};

static int ask(const struct verbs_setup *setup, const struct verbs_device *device,
	       struct outcome *ret, struct trouble *trouble)
{
	cleanup_exchange exchange = {.fd = -1};
	cleanup_endpoint endpoint = {0};
	struct session session = {.exchange = &exchange, .endpoint = &endpoint};

	if (endpoint_open(setup->verbs, device, setup->bytes, &endpoint, trouble) < 0 ||
	    exchange_connect(setup->options->connect, port_of(setup), &exchange, trouble) < 0 ||
	    session_say_hello(&session, trouble) < 0 ||
	    session_hear_hello(&exchange, &session.peer, trouble) < 0)
		return -1;
	ret->peer = session.peer;
	return session_run(&session, true, &ret->out, &ret->in, trouble);
}

int remote_connect(struct verbs_setup *setup)
{
	size_t tried = 0;

	for (size_t i = 0; i < setup->devices->n; i++) {
		const struct verbs_device *device = &setup->devices->item[i];
		struct outcome outcome = {0};
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
		if (found(setup, setup->findings, subject, failed ? &trouble : NULL, &outcome.out,
			  &outcome.in) < 0)
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

/* ---- the side that serves ---- */

/* Ports of one rail share a subnet: of ours, the one whose GID has most in common with the peer's.
 */
static const struct verbs_device *nearest(const struct verbs_devices *devices,
					  const struct endpoint_address *peer)
{
	const struct verbs_device *best = NULL;
	unsigned best_bits = 0;

	for (size_t i = 0; i < devices->n; i++) {
		const struct verbs_port *port = devices->item[i].used;
		unsigned bits;

		if (!port || port->infiniband != peer->infiniband)
			continue;
		bits = gid_common_bits(&port->gid.gid, &peer->gid);
		if (!best || bits > best_bits) {
			best = &devices->item[i];
			best_bits = bits;
		}
	}
	return best;
}

static int serve_client(const struct verbs_setup *setup, struct exchange *exchange,
			struct outcome *ret, const struct verbs_device **ret_device,
			struct trouble *trouble)
{
	cleanup_endpoint endpoint = {0};
	struct session session = {.exchange = exchange, .endpoint = &endpoint};
	struct trouble ignored;

	if (session_hear_hello(exchange, &session.peer, trouble) < 0)
		return -1;
	ret->peer = session.peer;
	*ret_device = nearest(setup->devices, &session.peer.address);
	if (!*ret_device)
		(void)trouble_set(trouble, TROUBLE_PEER, "no ACTIVE port of its link layer here");
	else if (endpoint_open(setup->verbs, *ret_device, setup->bytes, &endpoint, trouble) == 0)
		return session_say_hello(&session, trouble) < 0
			       ? -1
			       : session_run(&session, false, &ret->out, &ret->in, trouble);
	(void)exchange_send(exchange, &ignored, "error %s", trouble->text);
	return -1;
}

struct served {
	unsigned clients;
	unsigned failed;
};

static int serve_and_tell(struct verbs_setup *setup, struct exchange *exchange,
			  struct served *served)
{
	cleanup_arena arena = {0};
	struct findings apart = {.arena = &arena};
	struct findings *findings = served->clients < CLIENTS_KEPT ? setup->findings : &apart;
	const struct verbs_device *device = NULL;
	struct outcome outcome = {0};
	struct trouble trouble;
	char subject[400];
	int failed;

	verbs_setup_say(setup, "a client: %s", exchange->peer);
	failed = serve_client(setup, exchange, &outcome, &device, &trouble);
	(void)snprintf(subject, sizeof(subject), "%s -> %s%s%s", device ? device->name : "?",
		       exchange->peer, outcome.peer.device[0] ? " " : "", outcome.peer.device);
	served->clients++;
	served->failed += failed ? 1 : 0;
	return found(setup, findings, subject, failed ? &trouble : NULL, &outcome.out, &outcome.in);
}

static int serve_all(struct verbs_setup *setup, int listener, int stop, struct served *served,
		     struct trouble *trouble)
{
	const unsigned most = setup->options->clients;

	while (!most || served->clients < most) {
		cleanup_exchange exchange = {.fd = -1};
		int accepted = exchange_accept(listener, stop, &exchange, trouble);

		if (accepted <= 0)
			return accepted;
		if (serve_and_tell(setup, &exchange, served) < 0)
			return trouble_set(trouble, TROUBLE_CALL, "out of memory");
	}
	return 0;
}

static int found_served(struct verbs_setup *setup, const struct served *served,
			const struct trouble *trouble)
{
	char subject[32];

	(void)snprintf(subject, sizeof(subject), "TCP port %u", port_of(setup));
	if (trouble)
		return findings_add(setup->findings, "verbs_listen", subject, FINDING_FAIL,
				    "choose another port, or end what has this one (ss -ltnp)",
				    "%s", trouble->text);
	return findings_add(setup->findings, "verbs_listen", subject,
			    !served->clients ? FINDING_UNCHECKED
			    : served->failed ? FINDING_FAIL
					     : FINDING_OK,
			    served->failed ? "see the verbs_remote findings" : NULL,
			    "%u client%s served, %u without success", served->clients,
			    served->clients == 1 ? "" : "s", served->failed);
}

int remote_listen(struct verbs_setup *setup)
{
	struct served served = {0};
	struct trouble trouble;
	sigset_t ends;
	sigset_t before;
	struct signalfd_siginfo taken;
	cleanup_fd stop = -1;
	cleanup_fd listener = exchange_listen(port_of(setup), &trouble);
	int status;

	if (listener < 0)
		return found_served(setup, &served, &trouble);
	/* Ended by a signal it still reports. */
	(void)sigemptyset(&ends);
	(void)sigaddset(&ends, SIGINT);
	(void)sigaddset(&ends, SIGTERM);
	(void)sigprocmask(SIG_BLOCK, &ends, &before);
	stop = signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK);
	if (stop < 0)
		(void)sigprocmask(SIG_SETMASK, &before, NULL);
	verbs_setup_say(setup, "listening on TCP port %u", port_of(setup));
	status = serve_all(setup, listener, stop, &served, &trouble);
	/* Taken, or it would end us as soon as it is let through */
	while (stop >= 0 && read(stop, &taken, sizeof(taken)) == sizeof(taken))
		;
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	return found_served(setup, &served, status < 0 ? &trouble : NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "doctor/verbs/exchange.h"
#include "doctor/verbs/transfer.h"

struct remote_outcome {
	struct message_endpoint peer;
	struct transfer_result out;
	struct transfer_result in;
	bool beside; /* the rates are shared: others were served at the same time */
};

static unsigned remote_port(const struct verbs_setup *setup)
{
	return setup->options->port ? setup->options->port : VERBS_PORT;
}

/* Tells the last of these at once. */
static void remote_tell(const struct verbs_setup *setup, const struct findings *findings)
{
	if (setup->options->found)
		setup->options->found(setup->options->context, &findings->item[findings->n - 1]);
}

/* Adds a finding of a transfer, and tells it at once to who wants to know. trouble: NULL if it
 * went well. Returns 0, or -1 without memory. */
static int remote_found(const struct verbs_setup *setup, struct findings *findings,
			const char *subject, const struct trouble *trouble,
			const struct remote_outcome *outcome)
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

/* ---- serving others ---- */

/* Findings of the side that serves others */

/* A server may run for days: of so many connections the findings are kept, the rest only counted.
 */
#define FINDINGS_KEPT 256
#define AT_ONCE 16

struct listening {
	struct verbs_setup *setup;
	pthread_mutex_t lock; /* of all that is below, and of the findings */
	unsigned clients;
	unsigned failed;
	unsigned refused;
	bool no_memory;
};

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

static int transfer(const struct verbs_setup *setup, struct exchange *exchange,
		    struct remote_outcome *outcome, const struct verbs_device *device,
		    struct trouble *trouble)
{
	cleanup_endpoint endpoint = {0};
	struct session session = {
		.exchange = exchange, .endpoint = &endpoint, .peer = outcome->peer};
	struct trouble ignored;

	if (!device)
		(void)trouble_set(trouble, TROUBLE_PEER, "no ACTIVE port of its link layer here");
	else if (endpoint_open(setup->verbs, device, setup->bytes, &endpoint, trouble) == 0)
		return session_answer(&session, trouble) < 0
			       ? -1
			       : session_run(&session, false, &outcome->out, &outcome->in, trouble);
	(void)exchange_send(exchange, &ignored, "error %s", trouble->text);
	return -1;
}

/* Where findings go: beyond those that are kept to an arena that goes with the client */
static struct findings *findings_of(struct listening *listening, struct findings *apart)
{
	struct findings *kept = listening->setup->findings;

	return listening->clients + listening->refused < FINDINGS_KEPT ? kept : apart;
}

static void serve(void *context, struct exchange *exchange, const struct message_endpoint *peer,
		  bool beside)
{
	struct listening *listening = context;
	struct verbs_setup *setup = listening->setup;
	const struct verbs_device *device = nearest(setup->devices, &peer->address);
	struct remote_outcome outcome = {.peer = *peer, .beside = beside};
	cleanup_arena arena = {0};
	struct findings apart = {.arena = &arena};
	struct trouble trouble;
	char subject[400];
	int failed;

	(void)pthread_mutex_lock(&listening->lock);
	verbs_setup_say(setup, "a client: %s", exchange->peer);
	(void)pthread_mutex_unlock(&listening->lock);
	failed = transfer(setup, exchange, &outcome, device, &trouble);
	(void)snprintf(subject, sizeof(subject), "%s -> %s %s", device ? device->name : "?",
		       exchange->peer, peer->device);
	(void)pthread_mutex_lock(&listening->lock);
	if (remote_found(setup, findings_of(listening, &apart), subject, failed ? &trouble : NULL,
			 &outcome) < 0)
		listening->no_memory = true;
	listening->clients++;
	listening->failed += failed ? 1 : 0;
	(void)pthread_mutex_unlock(&listening->lock);
}

static void refused(void *context, const char *peer, const char *why)
{
	struct listening *listening = context;
	cleanup_arena arena = {0};
	struct findings apart = {.arena = &arena};
	struct findings *findings;

	(void)pthread_mutex_lock(&listening->lock);
	findings = findings_of(listening, &apart);
	if (findings_add(findings, "verbs_refused", peer, FINDING_WARN,
			 "a client to be served has to be oci-rdma-doctor --verbs --connect of the "
			 "same version, with the same --token-file",
			 "%s", why) < 0)
		listening->no_memory = true;
	else
		remote_tell(listening->setup, findings);
	listening->refused++;
	(void)pthread_mutex_unlock(&listening->lock);
}

/* Each has two buffers and its queues pinned at once: as many as the memlock limit bears. */
static unsigned at_once(const struct verbs_setup *setup)
{
	struct rlimit limit = {.rlim_cur = RLIM_INFINITY};
	rlim_t fits;

	(void)getrlimit(RLIMIT_MEMLOCK, &limit);
	fits = limit.rlim_cur == RLIM_INFINITY ? AT_ONCE : limit.rlim_cur / (4 * setup->bytes);
	if (fits > AT_ONCE)
		return AT_ONCE;
	return fits ? (unsigned)fits : 1;
}

static int found_served(const struct listening *listening, const struct trouble *trouble)
{
	struct verbs_setup *setup = listening->setup;
	const char *address = setup->options->address;
	char subject[300];
	char refused_too[40] = "";

	(void)snprintf(subject, sizeof(subject), "%.256s%sTCP port %u", address ? address : "",
		       address ? ", " : "", remote_port(setup));
	if (listening->refused)
		(void)snprintf(refused_too, sizeof(refused_too), "; %u refused",
			       listening->refused);
	if (trouble)
		return findings_add(setup->findings, "verbs_listen", subject, FINDING_FAIL,
				    "choose another port, or end the program that uses this one "
				    "(ss -ltnp shows it)",
				    "%s", trouble->text);
	return findings_add(setup->findings, "verbs_listen", subject,
			    !listening->clients ? FINDING_UNCHECKED
			    : listening->failed ? FINDING_FAIL
						: FINDING_OK,
			    listening->failed ? "see the verbs_remote findings" : NULL,
			    "%u client%s served, %u without success%s", listening->clients,
			    listening->clients == 1 ? "" : "s", listening->failed, refused_too);
}

static int run(struct listening *listening, int listener, int stop, struct trouble *trouble)
{
	const struct verbs_options *options = listening->setup->options;
	const struct server server = {
		.token = options->token,
		.clients = options->clients,
		.at_once = at_once(listening->setup),
		.serve = serve,
		.refused = refused,
		.context = listening,
	};

	return server_run(&server, listener, stop, trouble);
}

int remote_listen(struct verbs_setup *setup)
{
	struct listening listening = {.setup = setup, .lock = PTHREAD_MUTEX_INITIALIZER};
	struct trouble trouble;
	sigset_t ends;
	sigset_t before;
	struct signalfd_siginfo taken;
	cleanup_fd stop = -1;
	cleanup_fd listener =
		exchange_listen(setup->options->address, remote_port(setup), &trouble);
	int status;

	if (listener < 0)
		return found_served(&listening, &trouble);
	/* Ended by a signal it still reports. */
	(void)sigemptyset(&ends);
	(void)sigaddset(&ends, SIGINT);
	(void)sigaddset(&ends, SIGTERM);
	(void)sigprocmask(SIG_BLOCK, &ends, &before);
	stop = signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK);
	if (stop < 0)
		(void)sigprocmask(SIG_SETMASK, &before, NULL);
	verbs_setup_say(setup, "listening on TCP port %u", remote_port(setup));
	status = run(&listening, listener, stop, &trouble);
	/* Taken, or it would end us as soon as it is let through */
	while (stop >= 0 && read(stop, &taken, sizeof(taken)) == sizeof(taken))
		;
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	if (listening.no_memory)
		return -1;
	return found_served(&listening, status < 0 ? &trouble : NULL);
}

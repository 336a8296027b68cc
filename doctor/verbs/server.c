/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "doctor/verbs/exchange.h"

struct run {
	const struct server *server;
	pthread_mutex_t lock; /* of all that is below */
	pthread_cond_t changed;
	int enough; /* an eventfd: so many clients were served as are wanted */
	bool ending;
	unsigned open;                       /* connections */
	unsigned claimed;                    /* clients, served or waiting for it */
	unsigned active;                     /* that are served now */
	unsigned finished;                   /* that were */
	int waiting[SERVER_CONNECTIONS_MAX]; /* sockets that are not served yet; -1 */
};

struct client {
	struct run *run;
	size_t place;
	struct exchange exchange;
};

/* ---- one client, in a thread of its own ---- */

static void refuse(const struct server *server, struct exchange *exchange, const char *why)
{
	struct trouble ignored;

	(void)exchange_send(exchange, &ignored, "error %s", why);
	server->refused(server->context, exchange->peer, why);
}

/* Waits for its turn. Returns NULL, or why it has none. */
static const char *claim(struct run *run, size_t place, bool *ret_beside)
{
	const struct server *server = run->server;
	const char *why = NULL;

	(void)pthread_mutex_lock(&run->lock);
	if (server->clients && run->claimed >= server->clients) {
		why = "this server serves no more clients than it was told to";
	} else {
		run->claimed++;
		while (run->active >= server->at_once && !run->ending)
			(void)pthread_cond_wait(&run->changed, &run->lock);
		if (run->ending) {
			why = "this server is ending";
		} else {
			*ret_beside = run->active++ > 0;
			run->waiting[place] = -1;
		}
	}
	(void)pthread_mutex_unlock(&run->lock);
	return why;
}

static void release(struct run *run)
{
	const uint64_t one = 1;

	(void)pthread_mutex_lock(&run->lock);
	run->active--;
	run->finished++;
	if (run->server->clients && run->finished >= run->server->clients &&
	    write(run->enough, &one, sizeof(one)) < 0)
		run->ending = true; /* an eventfd takes it */
	(void)pthread_cond_broadcast(&run->changed);
	(void)pthread_mutex_unlock(&run->lock);
}

static void attend(struct client *client)
{
	const struct server *server = client->run->server;
	struct exchange *exchange = &client->exchange;
	struct message_endpoint peer;
	struct trouble trouble;
	const char *why;
	bool beside;

	exchange_limit(exchange, server->hello_ms ? server->hello_ms : EXCHANGE_HELLO_MS);
	if (session_hear(exchange, server->token, &peer, &trouble) < 0) {
		server->refused(server->context, exchange->peer, trouble.text);
		return;
	}
	why = claim(client->run, client->place, &beside);
	exchange_limit(exchange, EXCHANGE_SESSION_MS);
	if (why) {
		refuse(server, exchange, why);
		return;
	}
	exchange->patience = EXCHANGE_LINE_MS;
	server->serve(server->context, exchange, &peer, beside);
	release(client->run);
}

static void *run_client(void *context)
{
	struct client *client = context;
	struct run *run = client->run;

	attend(client);
	(void)pthread_mutex_lock(&run->lock);
	/* A client that was served has left the place, and another may have it. */
	if (run->waiting[client->place] == client->exchange.fd)
		run->waiting[client->place] = -1;
	exchange_close(&client->exchange);
	run->open--;
	(void)pthread_cond_broadcast(&run->changed);
	(void)pthread_mutex_unlock(&run->lock);
	free(client);
	return NULL;
}

/* ---- all of them ---- */

/* A place that no connection has. NULL: all are taken, or there is no memory. */
static struct client *make_client(struct run *run, const struct exchange *exchange)
{
	struct client *client = malloc(sizeof(*client));
	size_t place = 0;
	bool taken = false;

	if (!client)
		return NULL;
	(void)pthread_mutex_lock(&run->lock);
	while (place < SERVER_CONNECTIONS_MAX && run->waiting[place] >= 0)
		place++;
	if (place < SERVER_CONNECTIONS_MAX && run->open < SERVER_CONNECTIONS_MAX) {
		taken = true;
		run->waiting[place] = exchange->fd;
		run->open++;
	}
	(void)pthread_mutex_unlock(&run->lock);
	if (!taken) {
		free(client);
		return NULL;
	}
	*client = (struct client){.run = run, .place = place, .exchange = *exchange};
	return client;
}

static bool start(struct run *run, const struct exchange *exchange)
{
	struct client *client = make_client(run, exchange);
	pthread_t thread;

	if (!client)
		return false;
	if (pthread_create(&thread, NULL, run_client, client) == 0) {
		(void)pthread_detach(thread);
		return true;
	}
	(void)pthread_mutex_lock(&run->lock);
	run->waiting[client->place] = -1;
	run->open--;
	(void)pthread_mutex_unlock(&run->lock);
	free(client);
	return false;
}

static int accept_all(struct run *run, int listener, int stop, struct trouble *trouble)
{
	for (;;) {
		struct exchange exchange = {.fd = -1};
		int accepted = exchange_accept(listener, stop, &exchange, trouble);

		if (accepted <= 0)
			return accepted;
		if (!start(run, &exchange)) {
			refuse(run->server, &exchange, "too many others are connected");
			exchange_close(&exchange);
		}
	}
}

/* On shutdown only connected clients are waited for. */
static void end(struct run *run)
{
	(void)pthread_mutex_lock(&run->lock);
	run->ending = true;
	(void)pthread_cond_broadcast(&run->changed);
	for (size_t i = 0; i < SERVER_CONNECTIONS_MAX; i++) {
		if (run->waiting[i] >= 0)
			(void)shutdown(run->waiting[i], SHUT_RD);
	}
	while (run->open)
		(void)pthread_cond_wait(&run->changed, &run->lock);
	(void)pthread_mutex_unlock(&run->lock);
}

/* Readable as soon as one of both is; -1: there is none. */
static int either(int a, int b)
{
	cleanup_fd both = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event event = {.events = EPOLLIN};

	if (both < 0 || epoll_ctl(both, EPOLL_CTL_ADD, b, &event) < 0 ||
	    (a >= 0 && epoll_ctl(both, EPOLL_CTL_ADD, a, &event) < 0))
		return -1;
	return take_fd(&both);
}

int server_run(const struct server *server, int listener, int stop, struct trouble *trouble)
{
	struct run run = {.server = server,
			  .lock = PTHREAD_MUTEX_INITIALIZER,
			  .changed = PTHREAD_COND_INITIALIZER};
	cleanup_fd enough = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	cleanup_fd stops = enough < 0 ? -1 : either(stop, enough);
	int status;

	if (stops < 0)
		return trouble_call(trouble, errno, "eventfd");
	run.enough = enough;
	for (size_t i = 0; i < SERVER_CONNECTIONS_MAX; i++)
		run.waiting[i] = -1;
	status = accept_all(&run, listener, stops, trouble);
	end(&run);
	return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "nri/nri.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/base/names.h"
#include "core/confine/confine.h"
#include "core/note/note.h"
#include "core/report/report.h"
#include "nri/missed.h"
#include "nri/report.h"
#include "nri/serve.h"
#include "nri/session.h"

#define READ_SIZE 16384
#define FINISH_MS 1000
/* Between two looks at the own file. One that is absent for so many is no file that somebody is
 * about to replace by two commands. */
#define FILE_LOOK_MS 1000
#define FILE_ABSENT_LOOKS 3
/* Between two looks at who has the socket's name */
#define SOCKET_LOOK_MS 2000

/* What a node's runtime tells of its pods and containers: 3 KiB each */
#define KNOWN_SIZE_MAX (32 * 1024 * 1024)

#define NEVER INT64_MAX

/*
 * The plugin is connected, or waits for its next attempt to connect (retry_at). Any number of them
 * are connected on a node: NRI shows each one the container as those before it have changed it
 * (containerd/nri, pkg/adaptation/result.go, since 0.4), and closes one that hangs or dies before
 * it asks the next one. So the second one finds all set that it would set, and the record of what
 * the first one has said (nri/serve.c).
 */
struct plugin {
	const struct nri_options *options;
	char socket[sizeof(((struct sockaddr_un *)0)->sun_path)];
	pid_t runtime; /* that launched us; 0: none did */

	int fd;                  /* the one connection; -1: none */
	bool hung_up;            /* the runtime has closed it: what is read yet, nobody waits for */
	bool launched;           /* it is the one that the runtime made when it launched us */
	bool connected;          /* and registered */
	struct stat socket_file; /* that was connected to */
	int64_t socket_at;
	struct session session;
	int watch; /* inotify, of where the socket will be, while there is no connection; -1 */
	int delay_ms;
	int64_t hurry_until; /* the runtime is about to listen */
	int64_t retry_at;
	int64_t file_at;
	int file_absent; /* looks that have not found it */

	struct server server;
	struct report report;
	struct buffer known; /* while the runtime tells what is there */
	bool known_lost;     /* a part of it */
	struct missed missed;
	char not_taken[SERVE_ID_SIZE]; /* a container whose grant the runtime has not read */
};

/* ---- signals: blocked but while nothing is to be done ---- */

static volatile sig_atomic_t ended;

static void on_end(int signal)
{
	(void)signal;
	ended = 1;
}

/* A child has ended: ppoll() returns, and it is waited for. */
static void on_child(int signal)
{
	(void)signal;
}

/* *ret_waiting: the mask while the plugin waits */
static void set_signals(sigset_t *ret_waiting)
{
	struct sigaction end = {.sa_handler = on_end};
	struct sigaction child = {.sa_handler = on_child};
	sigset_t blocked;

	(void)sigemptyset(&blocked);
	(void)sigaddset(&blocked, SIGTERM);
	(void)sigaddset(&blocked, SIGINT);
	(void)sigaddset(&blocked, SIGCHLD);
	(void)sigprocmask(SIG_BLOCK, &blocked, ret_waiting);
	(void)sigdelset(ret_waiting, SIGTERM);
	(void)sigdelset(ret_waiting, SIGINT);
	(void)sigdelset(ret_waiting, SIGCHLD);
	(void)sigaction(SIGTERM, &end, NULL);
	(void)sigaction(SIGINT, &end, NULL);
	(void)sigaction(SIGCHLD, &child, NULL);
	(void)signal(SIGHUP, SIG_IGN);
	(void)signal(SIGPIPE, SIG_IGN);
	/* A limit of the runtime's (RLIMIT_FSIZE) is an error of the status file or the lock, not
	 * our death. */
	(void)signal(SIGXFSZ, SIG_IGN);
}

/* ---- what the session asks ---- */

static void on_create(void *context, struct arena *arena, const struct message *pod,
		      const struct message *container, struct message *ret_response)
{
	struct plugin *plugin = context;

	/* This plugin was stopped for longer than the runtime waits. The container has begun
	 * without it: after the next Synchronize that is found. A decision now would say that it
	 * was granted. */
	if (plugin->hung_up)
		return;
	serve_container(&plugin->server, arena, pod, container, ret_response);
	report_soon(&plugin->report);
}

/* Both plugins hear of it; the first one says it, and keeps the note. */
static void on_start(void *context, struct arena *arena, const struct message *pod,
		     const struct message *container, struct message *ret_response)
{
	struct plugin *plugin = context;
	struct look_report report;

	if (plugin->hung_up || !serve_start(&plugin->server, arena, plugin->report.since, pod,
					    container, &report, ret_response))
		return;
	missed_add(&plugin->missed, &report);
	report_missed(&plugin->report, &plugin->missed.status);
}

static void be_connected(struct plugin *plugin)
{
	plugin->connected = true;
	plugin->delay_ms = LINK_RETRY_MIN_MS;
	report_connected(&plugin->report);
}

static void on_configured(void *context, const struct message_runtime *runtime)
{
	struct plugin *plugin = context;

	report_runtime(&plugin->report, runtime);
	serve_set_timeout(&plugin->server, runtime->timeout_ms);
	/* NRI 0.6, which is containerd 1.7's, synchronizes no plugin that it has launched: there is
	 * nothing more to wait for. */
	if (plugin->launched)
		be_connected(plugin);
}

/* The note says that it was granted: without one the container's limit is looked at. */
static void forget_grant(struct plugin *plugin)
{
	if (plugin->not_taken[0])
		note_remove(plugin->options->node.sysroot, plugin->not_taken);
	plugin->not_taken[0] = '\0';
}

static void on_synchronized(void *context, bool whole)
{
	struct plugin *plugin = context;

	if (!plugin->launched)
		be_connected(plugin);
	forget_grant(plugin);
	missed_look(&plugin->missed, &(struct look){
					     .options = &plugin->server.options,
					     .known = {plugin->known.bytes, plugin->known.len},
					     .whole = whole && !plugin->known_lost,
					     .since = plugin->report.since,
				     });
	buffer_free(&plugin->known);
	report_missed(&plugin->report, &plugin->missed.status);
}

/* All of it, for the child that looks at it: what is kept of it is nobody's to choose. */
static void on_known(void *context, const struct message *request)
{
	struct plugin *plugin = context;

	plugin->known.max = KNOWN_SIZE_MAX;
	plugin->known_lost |= buffer_append(&plugin->known, request->bytes, request->len) < 0;
}

static const struct session_handler handler = {
	.create = on_create,
	.start = on_start,
	.configured = on_configured,
	.known = on_known,
	.synchronized = on_synchronized,
};

/* ---- the connection ---- */

/* The socket's name appears before the runtime listens, and where a runtime has ended it may refuse
 * for a moment. */
static void hurry(struct plugin *plugin)
{
	plugin->hurry_until = clock_ms() + LINK_HURRY_MS;
	plugin->delay_ms = LINK_RETRY_MIN_MS;
	plugin->retry_at = 0;
}

static void retry_later(struct plugin *plugin, const struct err *err)
{
	report_trouble(&plugin->report, err);
	plugin->retry_at = clock_ms() + plugin->delay_ms;
	if (clock_ms() >= plugin->hurry_until)
		plugin->delay_ms = link_next_delay(plugin->delay_ms);
}

/* The child that has decided has written a note, and the runtime has not read that. It stays known
 * through connections that end before Synchronize. */
static void hang_up(struct plugin *plugin)
{
	if (plugin->session.out.len && plugin->server.granted[0])
		memcpy(plugin->not_taken, plugin->server.granted, sizeof(plugin->not_taken));
	plugin->server.granted[0] = '\0';
	session_end(&plugin->session);
	buffer_free(&plugin->known);
	plugin->known_lost = false;
	cleanup_close_fd(&plugin->fd);
	plugin->fd = -1;
	plugin->launched = false;
}

static void disconnect(struct plugin *plugin, const struct err *err)
{
	bool connected = plugin->connected;

	hang_up(plugin);
	plugin->connected = false;
	if (connected)
		hurry(plugin);
	retry_later(plugin, err);
}

static int begin_session(struct plugin *plugin, struct err *err)
{
	if (session_begin(&plugin->session, &handler, plugin, err) < 0)
		return -1;
	return link_write(plugin->fd, &plugin->session.out, err);
}

/* It watches before it tries, so that nothing is missed in between. */
static void connect_now(struct plugin *plugin)
{
	struct err err;

	/* A new runtime launches a plugin of its own. */
	if (plugin->runtime && getppid() != plugin->runtime) {
		ended = 1;
		return;
	}
	link_watch(&plugin->watch, plugin->socket);
	plugin->fd = link_connect(plugin->socket, &plugin->socket_file, &err);
	if (plugin->fd < 0) {
		retry_later(plugin, &err);
		return;
	}
	cleanup_close_fd(&plugin->watch);
	plugin->watch = -1;
	if (begin_session(plugin, &err) < 0)
		disconnect(plugin, &err);
}

/* While a container's verdict is awaited: it hangs, perhaps; the plugin does not. */
static void on_idle(void *context)
{
	struct plugin *plugin = context;

	report_tend(&plugin->report);
}

/* ---- the end of one whose file is removed ---- */

/*
 * A removed file ends the plugin. Nothing else ends one that the runtime has launched, nor one
 * whose unit was removed with its file: systemd forgets the unit when it reads its files again, and
 * leaves the process (manager_reload() in its src/core/manager.c). A replaced file changes nothing.
 */
static void look_at_file(struct plugin *plugin)
{
	char path[512];
	enum own_file file = own_file_look(OWN_FILE_LINK, path, sizeof(path));

	plugin->file_at = clock_ms() + FILE_LOOK_MS;
	plugin->file_absent = file == OWN_FILE_REMOVED ? plugin->file_absent + 1 : 0;
	if (plugin->file_absent < FILE_ABSENT_LOOKS)
		return;
	log_event(LOG_INFO, "%s was removed, so this plugin ends", path);
	ended = 1;
}

/* ---- who listens at the socket ---- */

/*
 * Two engines of a node may have the same socket in their configuration: who starts later takes its
 * name away from the other (net.Listen after os.Remove in containerd/nri, pkg/adaptation), whose
 * connections go on.
 */
static void look_at_socket(struct plugin *plugin)
{
	struct stat st;

	plugin->socket_at = clock_ms() + SOCKET_LOOK_MS;
	if (stat(plugin->socket, &st) == 0)
		report_socket(&plugin->report, st.st_dev != plugin->socket_file.st_dev ||
						       st.st_ino != plugin->socket_file.st_ino);
}

/* ---- what comes in and goes out ---- */

/* Nothing is read while an answer waits to be sent: so there is never more than one. */
static int exchange(struct plugin *plugin, short events, struct err *err)
{
	static unsigned char bytes[READ_SIZE];
	ssize_t n = 0;

	plugin->hung_up = events & POLLHUP;
	if (plugin->session.out.len)
		return link_write(plugin->fd, &plugin->session.out, err);
	if (events & (POLLIN | POLLHUP | POLLERR))
		n = link_read(plugin->fd, bytes, sizeof(bytes), err);
	if (n < 0 || (n > 0 && session_read(&plugin->session, bytes, (size_t)n, err) < 0))
		return -1;
	return link_write(plugin->fd, &plugin->session.out, err);
}

/* ---- the loop ---- */

static int64_t next_time(const struct plugin *plugin)
{
	int64_t next = report_time(&plugin->report);

	if (plugin->fd < 0 && plugin->retry_at < next)
		next = plugin->retry_at;
	if (plugin->file_at < next)
		next = plugin->file_at;
	if (missed_next(&plugin->missed) < next)
		next = missed_next(&plugin->missed);
	return next;
}

static void wait_until(struct plugin *plugin, int64_t next, const sigset_t *waiting)
{
	int64_t left = next - clock_ms();
	struct timespec timeout = {.tv_sec = left > 0 ? left / 1000 : 0,
				   .tv_nsec = left > 0 ? left % 1000 * 1000000 : 0};
	struct pollfd poll[] = {
		{.fd = plugin->fd,
		 .events = plugin->fd >= 0 && plugin->session.out.len ? POLLOUT : POLLIN},
		{.fd = plugin->missed.in, .events = POLLIN},
		{.fd = plugin->watch, .events = POLLIN},
	};
	struct err err;

	if (ppoll(poll, 3, next == NEVER ? NULL : &timeout, waiting) <= 0)
		return;
	if (poll[0].revents && exchange(plugin, poll[0].revents, &err) < 0)
		disconnect(plugin, &err);
	if (poll[2].revents && link_has_changed(plugin->watch))
		hurry(plugin);
}

static void tend(struct plugin *plugin)
{
	verdict_reap(&plugin->server.children);
	if (plugin->fd < 0 && clock_ms() >= plugin->retry_at)
		connect_now(plugin);
	if (clock_ms() >= plugin->file_at)
		look_at_file(plugin);
	if (plugin->connected && !plugin->launched && clock_ms() >= plugin->socket_at)
		look_at_socket(plugin);
	if (missed_tend(&plugin->missed))
		report_missed(&plugin->report, &plugin->missed.status);
	report_tend(&plugin->report);
}

static void serve(struct plugin *plugin, const sigset_t *waiting)
{
	while (!ended) {
		tend(plugin);
		if (!ended)
			wait_until(plugin, next_time(plugin), waiting);
	}
}

/* The answer that is on its way; who reads no more is not waited for. */
static void finish_answer(struct plugin *plugin)
{
	struct pollfd wait = {.fd = plugin->fd, .events = POLLOUT};
	int64_t end = clock_ms() + FINISH_MS;
	struct err ignored;

	while (plugin->fd >= 0 && plugin->session.out.len && clock_ms() < end &&
	       poll(&wait, 1, (int)(end - clock_ms())) > 0 &&
	       link_write(plugin->fd, &plugin->session.out, &ignored) == 0)
		;
}

/* ---- the beginning and the end ---- */

/* The descriptor that a runtime which launches us has connected (NRI_PLUGIN_SOCKET); -1: none did
 */
static int launched_socket(void)
{
	const char *text = getenv("NRI_PLUGIN_SOCKET");
	char *end = NULL;
	long fd = text ? strtol(text, &end, 10) : -1;
	struct stat st;

	return text && end != text && !*end && fd > STDERR_FILENO && fd < 1024 &&
			       fstat((int)fd, &st) == 0 && S_ISSOCK(st.st_mode)
		       ? (int)fd
		       : -1;
}

/* Where relative paths are used, the caller's directory stays. */
static const char *directory(const struct nri_options *options)
{
	const char *const paths[] = {options->socket, options->metrics};

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		if (paths[i] && paths[i][0] != '/')
			return NULL;
	}
	return options_directory(&options->node);
}

/* Confinement closes all but the standard three: the socket takes stdin's place meanwhile. */
static void confine_with(struct plugin *plugin, int launched)
{
	struct err err;

	if (launched >= 0 && dup2(launched, STDIN_FILENO) < 0)
		launched = -1;
	if (confine(&nri_confinement, directory(plugin->options), &err) < 0)
		log_event(LOG_WARNING, "not confined: %s", err.text);
	if (launched < 0)
		return;
	plugin->fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	(void)close(STDIN_FILENO);
	(void)!open("/dev/null", O_RDWR | O_CLOEXEC);
	plugin->runtime = getppid();
	plugin->launched = true;
	if (plugin->fd >= 0 && (link_take(plugin->fd, &err) < 0 || begin_session(plugin, &err) < 0))
		disconnect(plugin, &err);
}

/* At once: the runtime asks the other plugin. */
static void end(struct plugin *plugin)
{
	char path[512];

	notify("STOPPING=1");
	finish_answer(plugin);
	hang_up(plugin);
	verdict_finish(&plugin->server.children);
	forget_grant(plugin);
	missed_end(&plugin->missed);
	/* systemd may end it before the plugin has seen that its file is gone. */
	report_end(&plugin->report,
		   own_file_look(OWN_FILE_LINK, path, sizeof(path)) == OWN_FILE_REMOVED);
}

int plugin_run(const struct nri_options *options)
{
	static struct plugin plugin;
	sigset_t waiting;

	plugin = (struct plugin){
		.options = options,
		.fd = -1,
		.watch = -1,
		.delay_ms = LINK_RETRY_MIN_MS,
		.server = {.options = options->node,
			   .patience_ms = SERVE_PATIENCE_MS,
			   .children = {.not_inherited = {&plugin.fd, &plugin.watch},
					.idle = on_idle,
					.context = &plugin}},
		.report = {.sysroot = options->node.sysroot,
			   .instance = options->instance,
			   .metrics_path = options->metrics,
			   .counters = &plugin.server.counters,
			   .closed = {&plugin.fd, &plugin.watch}},
		.missed.closed = {&plugin.fd, &plugin.watch},
	};
	missed_begin(&plugin.missed, &plugin.options->node);
	(void)nri_options_socket(options, plugin.socket, sizeof(plugin.socket));
	report_begin(&plugin.report, plugin.socket);
	log_as_daemon(NRI_NAME);
	confine_with(&plugin, launched_socket());
	set_signals(&waiting);
	serve(&plugin, &waiting);
	end(&plugin);
	return 0;
}

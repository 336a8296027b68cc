/* SPDX-License-Identifier: Apache-2.0 */
#include "nri/plugin.h"

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
#include "core/base/fs.h"
#include "core/base/names.h"
#include "core/base/text.h"
#include "core/confine/confine.h"
#include "core/report/log.h"
#include "nri/clock.h"
#include "nri/confinement.h"
#include "nri/link.h"
#include "nri/notify.h"
#include "nri/serve.h"
#include "nri/session.h"
#include "nri/status.h"

/* Between two attempts to connect: each twice the last */
#define RETRY_MIN_MS 100
#define RETRY_MAX_MS 5000
/* Counters are written at most this often, and never before an answer. */
#define STATUS_DELAY_MS 1000
/* systemd holds back what is ordered behind the unit, as the kubelet, until it hears READY=1: for
 * that long only. The runtime's own patience with a plugin that registers is as long. */
#define READY_PATIENCE_MS 5000
#define READ_SIZE 16384
#define NAME_SIZE 64

#define NEVER INT64_MAX

struct plugin {
	const struct nri_options *options;
	char socket[sizeof(((struct sockaddr_un *)0)->sun_path)];
	pid_t runtime; /* that launched us; 0: none did */

	int fd;        /* the one connection; -1: none */
	bool launched; /* it is the one that the runtime made when it launched us */
	struct session session;
	int lock;      /* of the socket's directory (link_lock); -1: none */
	bool is_other; /* another plugin of ours has it: this one gives nothing */
	bool asked;    /* of a launched one: whether that is so */
	int delay_ms;
	int64_t retry_at;

	struct server server;
	struct nri_status status;
	char since[32];
	char trouble[ERR_TEXT_MAX];
	char name[NAME_SIZE];
	char version[NAME_SIZE];
	int64_t status_at;
	bool status_failed; /* which is said once */
	int64_t ready_at;   /* READY=1 is said, connected or not; NEVER: it is */
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
}

/* ---- what is told of it ---- */

static void write_status(struct plugin *plugin)
{
	struct err err;
	int status;

	plugin->status_at = NEVER;
	plugin->status.counters = plugin->server.counters;
	status = status_write(plugin->options->node.sysroot, &plugin->status, &err);
	if (status == 0 && plugin->options->metrics)
		status = status_write_metrics(plugin->options->metrics, &plugin->status, &err);
	if (status < 0 && !plugin->status_failed)
		log_event(LOG_WARNING, "cannot write the status for --check: %s", err.text);
	plugin->status_failed = status < 0;
}

static void want_status(struct plugin *plugin)
{
	if (plugin->status_at == NEVER)
		plugin->status_at = clock_ms() + STATUS_DELAY_MS;
}

/* Said once, as long as it is the same: a node without NRI is asked for ever. */
static void tell_trouble(struct plugin *plugin, const struct err *err)
{
	bool same = !plugin->status.since && strcmp(plugin->trouble, err->text) == 0;

	plugin->status.since = NULL;
	if (same)
		return;
	(void)snprintf(plugin->trouble, sizeof(plugin->trouble), "%s", err->text);
	plugin->status.trouble = plugin->trouble;
	log_event(LOG_WARNING, "not connected: %s", err->text);
	notify("STATUS=not connected: %s", err->text);
	write_status(plugin);
}

/* ---- what the session asks ---- */

/* A launched plugin is connected before the directory of the socket is there. */
static bool is_to_serve(struct plugin *plugin)
{
	if (plugin->runtime && !plugin->asked)
		plugin->is_other = !link_lock(plugin->socket, &plugin->lock);
	plugin->asked = true;
	return !plugin->is_other;
}

static void on_create(void *context, struct arena *arena, const struct message *request,
		      struct message *ret_response)
{
	struct plugin *plugin = context;

	if (!is_to_serve(plugin))
		return;
	serve_container(&plugin->server, arena, request, ret_response);
	want_status(plugin);
}

static void keep_name(char *to, const char *from)
{
	(void)snprintf(to, NAME_SIZE, "%s", from);
	text_make_printable(to);
}

/* A node without NRI is kept waiting for so long only; the plugin goes on. */
static void be_ready(struct plugin *plugin)
{
	plugin->ready_at = NEVER;
	notify("READY=1");
}

static void be_connected(struct plugin *plugin)
{
	time_t now = time(NULL);
	struct tm utc;

	if (!gmtime_r(&now, &utc) ||
	    !strftime(plugin->since, sizeof(plugin->since), "%Y-%m-%dT%H:%M:%SZ", &utc))
		plugin->since[0] = '\0';
	plugin->status.since = plugin->since;
	plugin->status.trouble = NULL;
	plugin->delay_ms = RETRY_MIN_MS;
	log_event(LOG_INFO, "connected to %s %s", plugin->name, plugin->version);
	notify("READY=1\nSTATUS=connected to %s %s", plugin->name, plugin->version);
	plugin->ready_at = NEVER;
	write_status(plugin);
}

static void on_configured(void *context, const struct message_runtime *runtime)
{
	struct plugin *plugin = context;

	keep_name(plugin->name, runtime->name);
	keep_name(plugin->version, runtime->version);
	plugin->status.runtime = plugin->name;
	plugin->status.version = plugin->version;
	serve_set_timeout(&plugin->server, runtime->timeout_ms);
	/* NRI 0.6, which is containerd 1.7's, synchronizes no plugin that it has launched: there is
	 * nothing more to wait for. */
	if (plugin->launched)
		be_connected(plugin);
}

static void on_synchronized(void *context, bool whole)
{
	struct plugin *plugin = context;

	(void)whole;
	if (!plugin->launched)
		be_connected(plugin);
}

static const struct session_handler handler = {
	.create = on_create,
	.configured = on_configured,
	.synchronized = on_synchronized,
};

/* ---- the connection ---- */

static void drop_lock(struct plugin *plugin)
{
	cleanup_close_fd(&plugin->lock);
	plugin->lock = -1;
	plugin->is_other = false;
	plugin->asked = false;
}

static void retry_later(struct plugin *plugin, const struct err *err)
{
	tell_trouble(plugin, err);
	plugin->retry_at = clock_ms() + plugin->delay_ms;
	plugin->delay_ms =
		plugin->delay_ms * 2 < RETRY_MAX_MS ? plugin->delay_ms * 2 : RETRY_MAX_MS;
}

static void disconnect(struct plugin *plugin, const struct err *err)
{
	session_end(&plugin->session);
	(void)close(plugin->fd);
	plugin->fd = -1;
	plugin->launched = false;
	drop_lock(plugin);
	retry_later(plugin, err);
}

static int begin_session(struct plugin *plugin, struct err *err)
{
	if (session_begin(&plugin->session, &handler, plugin, err) < 0)
		return -1;
	return link_write(plugin->fd, &plugin->session.out, err);
}

static void connect_again(struct plugin *plugin)
{
	struct err err;

	/* A new runtime launches a plugin of its own. */
	if (plugin->runtime && getppid() != plugin->runtime) {
		ended = 1;
		return;
	}
	if (!link_lock(plugin->socket, &plugin->lock)) {
		(void)err_set(&err, "another oci-rdma-nri already serves this node");
		retry_later(plugin, &err);
		return;
	}
	plugin->asked = true;
	plugin->fd = link_connect(plugin->socket, &err);
	if (plugin->fd < 0) {
		drop_lock(plugin);
		retry_later(plugin, &err);
	} else if (begin_session(plugin, &err) < 0) {
		disconnect(plugin, &err);
	}
}

/* Nothing is read while an answer waits to be sent: so there is never more than one. */
static int exchange(struct plugin *plugin, short events, struct err *err)
{
	static unsigned char bytes[READ_SIZE];
	ssize_t n = 0;

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
	int64_t next = plugin->fd < 0 ? plugin->retry_at : NEVER;

	if (plugin->ready_at < next)
		next = plugin->ready_at;
	return plugin->status_at < next ? plugin->status_at : next;
}

static void wait(struct plugin *plugin, const sigset_t *waiting)
{
	int64_t next = next_time(plugin);
	int64_t left = next - clock_ms();
	struct timespec timeout = {.tv_sec = left > 0 ? left / 1000 : 0,
				   .tv_nsec = left > 0 ? left % 1000 * 1000000 : 0};
	struct pollfd poll = {
		.fd = plugin->fd,
		.events = plugin->fd >= 0 && plugin->session.out.len ? POLLOUT : POLLIN,
	};
	struct err err;

	if (ppoll(&poll, 1, next == NEVER ? NULL : &timeout, waiting) > 0 &&
	    exchange(plugin, poll.revents, &err) < 0)
		disconnect(plugin, &err);
}

static void serve(struct plugin *plugin)
{
	sigset_t waiting;

	set_signals(&waiting);
	while (!ended) {
		verdict_reap(&plugin->server.children);
		if (plugin->fd < 0 && clock_ms() >= plugin->retry_at)
			connect_again(plugin);
		if (clock_ms() >= plugin->status_at)
			write_status(plugin);
		if (clock_ms() >= plugin->ready_at)
			be_ready(plugin);
		if (!ended)
			wait(plugin, &waiting);
	}
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
	confine(&nri_confinement, directory(plugin->options));
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

static void end(struct plugin *plugin)
{
	notify("STOPPING=1");
	verdict_finish(&plugin->server.children);
	if (plugin->fd >= 0) {
		session_end(&plugin->session);
		(void)close(plugin->fd);
	}
	cleanup_close_fd(&plugin->lock);
	status_remove(plugin->options->node.sysroot);
	log_event(LOG_INFO, "ended");
}

int plugin_run(const struct nri_options *options)
{
	static struct plugin plugin;

	plugin = (struct plugin){
		.options = options,
		.fd = -1,
		.lock = -1,
		.delay_ms = RETRY_MIN_MS,
		.server = {.options = options->node,
			   .patience_ms = SERVE_PATIENCE_MS,
			   .children.not_inherited = {&plugin.fd, &plugin.lock}},
		.status_at = NEVER,
		.ready_at = clock_ms() + READY_PATIENCE_MS,
	};
	(void)nri_options_socket(options, plugin.socket, sizeof(plugin.socket));
	plugin.status.pid = getpid();
	plugin.status.started = nri_status_start_of(plugin.status.pid);
	plugin.status.socket = plugin.socket;
	log_as_daemon(NRI_NAME);
	confine_with(&plugin, launched_socket());
	serve(&plugin);
	end(&plugin);
	return 0;
}

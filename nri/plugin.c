/* SPDX-License-Identifier: Apache-2.0 */
#include "nri/plugin.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <syslog.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/fs.h"
#include "core/base/names.h"
#include "core/command_line.h"
#include "core/report/log.h"
#include "core/report/outcome.h"
#include "nri/connection.h"
#include "nri/executable.h"
#include "nri/missed.h"
#include "nri/missed_check.h"
#include "nri/nri_check.h"
#include "nri/nri_confinement.h"
#include "nri/nri_options.h"
#include "nri/report.h"
#include "nri/serve.h"
#include "nri/session.h"

#define READ_SIZE 16384
#define TICK_MS 1000
/* Upgrades may remove our file before adding the new one */
#define FILE_ABSENT_TICKS 3

/* Retry fast at first: the runtime may be starting */
#define RETRY_HURRY_MS 20
#define HURRY_MS 60000
#define RETRY_MS TICK_MS

/* Since 0.4 NRI shows each plugin the earlier ones' adjustments (pkg/adaptation/result.go): a
 * second of ours finds the settings, and the record (serve.c). */
struct plugin {
	const struct nri_options *options;
	struct options node; /* with engine */
	char engine[REPORT_NAME_SIZE + sizeof(((struct sockaddr_un *)0)->sun_path)];
	char socket[sizeof(((struct sockaddr_un *)0)->sun_path)];
	pid_t runtime; /* or 0 */

	int fd; /* or -1 */
	bool hung_up;
	bool launched;
	struct session session;
	int64_t hurry_until;
	int64_t retry_at;
	int64_t tick_at;
	int file_absent; /* consecutive ticks */

	struct server server;
	struct report report;
	struct missed missed;
	struct children children;
};

/* ---- signals, blocked except in ppoll() ---- */

static volatile sig_atomic_t ended;

static void on_end(int signal)
{
	(void)signal;
	ended = 1;
}

static void set_signals(sigset_t *ret_waiting)
{
	struct sigaction end = {.sa_handler = on_end};
	sigset_t blocked;

	(void)sigemptyset(&blocked);
	(void)sigaddset(&blocked, SIGTERM);
	(void)sigaddset(&blocked, SIGINT);
	(void)sigprocmask(SIG_BLOCK, &blocked, ret_waiting);
	(void)sigdelset(ret_waiting, SIGTERM);
	(void)sigdelset(ret_waiting, SIGINT);
	(void)sigaction(SIGTERM, &end, NULL);
	(void)sigaction(SIGINT, &end, NULL);
	(void)signal(SIGCHLD, SIG_DFL); /* else waitpid() fails */
	(void)signal(SIGHUP, SIG_IGN);
	(void)signal(SIGPIPE, SIG_IGN);
}

static void on_synchronized(struct plugin *plugin)
{
	struct session *session = &plugin->session;

	if (!plugin->launched)
		report_connected(&plugin->report);
	missed_look(&plugin->missed,
		    &(struct look){.options = &plugin->node, .known = &session->known});
	arena_free(&session->known.arena);
	session->known = (struct known){0};
	plugin->report.changed = true;
}

static void on_call(struct plugin *plugin, struct arena *arena, struct call *call)
{
	switch (call->kind) {
	case CALL_CONFIGURE:
		report_runtime(&plugin->report, call->runtime);
		snprintf(plugin->engine, sizeof(plugin->engine), "%s %s", plugin->report.name,
			 plugin->socket);
		plugin->node.engine = plugin->engine;
		serve_set_timeout(&plugin->server, call->runtime->request_timeout);
		/* NRI 0.6 (containerd 1.7) does not synchronize a launched plugin */
		if (plugin->launched)
			report_connected(&plugin->report);
		break;
	case CALL_CREATE:
		/* Too late: it starts without us; the next Synchronize finds it. */
		if (!plugin->hung_up)
			serve_request(&plugin->server, arena, call);
		plugin->report.changed = true;
		break;
	case CALL_START:
		/* The first plugin logs and records it */
		if (!plugin->hung_up)
			plugin->report.status.unseen += !serve_start(&plugin->server, arena, call);
		plugin->report.changed = true;
		break;
	case CALL_SYNCHRONIZE: /* answered first */
	case CALL_OTHER:
		break;
	}
}

static int answer_requests(struct plugin *plugin, struct err *err)
{
	for (;;) {
		cleanup_arena arena = {0};
		struct call call;
		int status = session_next(&plugin->session, &arena, &call, err);

		if (status <= 0)
			return status;
		on_call(plugin, &arena, &call);
		if (session_answer(&plugin->session, &call, err) < 0)
			return -1;
		/* Message freed: the child does not inherit it */
		if (call.kind == CALL_SYNCHRONIZE)
			on_synchronized(plugin);
	}
}

/* At most one answer is pending */
static int read_and_answer(struct plugin *plugin, short events, struct err *err)
{
	static unsigned char bytes[READ_SIZE];
	ssize_t n;

	plugin->hung_up = events & POLLHUP;
	if (!plugin->session.out.len) {
		n = link_read(plugin->fd, bytes, sizeof(bytes), err);
		if (n < 0 || mux_read(&plugin->session.mux, bytes, (size_t)n, err) < 0 ||
		    answer_requests(plugin, err) < 0)
			return -1;
	}
	return link_write(plugin->fd, &plugin->session.out, err);
}

static void retry_later(struct plugin *plugin, const struct err *err)
{
	int64_t now = clock_ms();

	report_trouble(&plugin->report, err);
	plugin->retry_at = now + (now < plugin->hurry_until ? RETRY_HURRY_MS : RETRY_MS);
}

static void hang_up(struct plugin *plugin)
{
	session_end(&plugin->session);
	cleanup_close_fd(&plugin->fd);
	plugin->fd = -1;
	plugin->launched = false;
}

static void disconnect(struct plugin *plugin, const struct err *err)
{
	hang_up(plugin);
	/* Retry slowly if the runtime refused us */
	plugin->hurry_until = plugin->report.status.since ? clock_ms() + HURRY_MS : 0;
	retry_later(plugin, err);
}

static void begin_session(struct plugin *plugin)
{
	struct err err;

	if (session_begin(&plugin->session, &err) < 0 ||
	    link_write(plugin->fd, &plugin->session.out, &err) < 0)
		disconnect(plugin, &err);
}

static void connect_now(struct plugin *plugin)
{
	struct err err;

	/* A restarted runtime launches its own plugin */
	if (plugin->runtime && getppid() != plugin->runtime) {
		ended = 1;
		return;
	}
	plugin->fd = link_connect(plugin->socket, &err);
	if (plugin->fd < 0) {
		retry_later(plugin, &err);
		return;
	}
	begin_session(plugin);
}

/* Nothing else ends a launched plugin, or one whose unit is removed too: on reload systemd forgets
 * the unit but keeps the process (manager_reload(), src/core/manager.c). */
static void look_at_file(struct plugin *plugin)
{
	char path[512];
	bool removed = own_file_is_removed(OWN_FILE_LINK, path, sizeof(path));

	plugin->file_absent = removed ? plugin->file_absent + 1 : 0;
	if (plugin->file_absent < FILE_ABSENT_TICKS)
		return;
	log_event(LOG_INFO, "%s was removed, so this plugin ends", path);
	ended = 1;
}

static void tick(struct plugin *plugin)
{
	plugin->tick_at = clock_ms() + TICK_MS;
	children_reap(&plugin->children);
	look_at_file(plugin);
	plugin->report.changed |= missed_tend(&plugin->missed);
	report_tick(&plugin->report);
}

static void wait_for_more(struct plugin *plugin, const sigset_t *waiting)
{
	int64_t until = plugin->fd < 0 && plugin->retry_at < plugin->tick_at ? plugin->retry_at
									     : plugin->tick_at;
	int64_t left = until - clock_ms();
	struct timespec timeout = {.tv_sec = left > 0 ? left / 1000 : 0,
				   .tv_nsec = left > 0 ? left % 1000 * 1000000 : 0};
	enum { ENGINE, MISSED, N };
	struct pollfd poll[N] = {
		[ENGINE] = {.fd = plugin->fd, .events = plugin->session.out.len ? POLLOUT : POLLIN},
		[MISSED] = {.fd = plugin->missed.child.in, .events = POLLIN},
	};
	struct err err;

	if (ppoll(poll, N, &timeout, waiting) <= 0)
		return;
	if (poll[ENGINE].revents && read_and_answer(plugin, poll[ENGINE].revents, &err) < 0)
		disconnect(plugin, &err);
	if (poll[MISSED].revents)
		plugin->report.changed |= missed_tend(&plugin->missed);
}

static void serve(struct plugin *plugin, const sigset_t *waiting)
{
	while (!ended) {
		if (clock_ms() >= plugin->tick_at)
			tick(plugin);
		if (!ended && plugin->fd < 0 && clock_ms() >= plugin->retry_at)
			connect_now(plugin);
		if (!ended)
			wait_for_more(plugin, waiting);
	}
}

/* The launching runtime's NRI_PLUGIN_SOCKET, or -1 */
static int launched_socket(void)
{
	const char *text = getenv("NRI_PLUGIN_SOCKET");
	long fd = text ? strtol(text, NULL, 10) : -1;
	struct stat st;

	return fd > STDERR_FILENO && fd < 1024 && fstat((int)fd, &st) == 0 && S_ISSOCK(st.st_mode)
		       ? (int)fd
		       : -1;
}

static bool is_relative(const char *path)
{
	return path && path[0] != '/';
}

/* confine() closes descriptors above 2: stdin holds the socket meanwhile */
static void confine_with(struct plugin *plugin, int launched)
{
	const struct nri_options *options = plugin->options;
	struct err err;

	if (launched >= 0 && dup2(launched, STDIN_FILENO) < 0)
		launched = -1;
	/* Relative paths need the working directory */
	if (confine(&nri_confinement,
		    is_relative(options->socket) || is_relative(options->metrics)
			    ? NULL
			    : options_directory(&options->node),
		    &err) < 0)
		log_event(LOG_WARNING, "not confined: %s", err.text);
	if (launched < 0)
		return;
	plugin->fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	(void)close(STDIN_FILENO);
	(void)!open("/dev/null", O_RDWR | O_CLOEXEC);
	plugin->runtime = getppid();
	plugin->launched = true;
	if (plugin->fd >= 0)
		begin_session(plugin);
}

/* The runtime then asks the other plugin */
static void end(struct plugin *plugin)
{
	char path[512];

	hang_up(plugin);
	missed_stop(&plugin->missed);
	children_finish(&plugin->children);
	/* systemd may stop us before a tick finds our file gone */
	report_end(&plugin->report, own_file_is_removed(OWN_FILE_LINK, path, sizeof(path)));
}

int plugin_run(const struct nri_options *options)
{
	static struct plugin plugin;
	sigset_t waiting;
	struct err err;

	plugin = (struct plugin){
		.options = options,
		.node = options->node,
		.fd = -1,
		.hurry_until = clock_ms() + HURRY_MS,
		.children.closed = &plugin.fd,
		.server = {.options = &plugin.node,
			   .patience_ms = SERVE_PATIENCE_MS,
			   .answers = &plugin.report.status.answers,
			   .children = &plugin.children},
		.report = {.file = {.sysroot = options->node.sysroot,
				    .instance = options->instance,
				    .lock = -1},
			   .metrics_path = options->metrics,
			   .children = &plugin.children,
			   .ready_at = clock_ms() + READY_PATIENCE_MS},
		.missed = {.child.in = -1,
			   .unseen = &plugin.report.status.unseen,
			   .children = &plugin.children},
	};
	(void)nri_options_socket(options, plugin.socket, sizeof(plugin.socket));
	log_as_daemon(NRI_NAME);
	/* Fail the unit. Elsewhere stay: an unready pod keeps its predecessor; engines do not
	 * restart launched plugins. */
	if (getenv("NOTIFY_SOCKET") && nri_policy_check(&options->node, &err) < 0) {
		log_event(LOG_ERR, "not started, because the policy cannot be used: %s", err.text);
		return 1;
	}
	confine_with(&plugin, launched_socket());
	set_signals(&waiting);
	serve(&plugin, &waiting);
	end(&plugin);
	return 0;
}

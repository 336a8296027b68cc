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

#include "core/base/clock.h"
#include "core/base/names.h"
#include "core/confine/confine.h"
#include "core/note/note.h"
#include "core/report/report.h"
#include "nri/missed.h"
#include "nri/report.h"
#include "nri/serve.h"
#include "nri/session.h"

/* A plugin that ends waits so long until the next one is registered, as long as there is a next
 * one: on a busy node that took seven seconds. systemd and the kubelet allow it 25 s (config/nri,
 * config/kubernetes/nri). A successor whose connection fails drops the lock until it tries again.
 */
#define HAND_OVER_MS 20000
#define HAND_OVER_LOOK_MS 100
#define SUCCESSOR_ABSENT_LOOKS 20
#define READ_SIZE 16384
/* Between two looks at the file of a plugin that the runtime has launched, or at that of
 * --end-with. One that is absent for so many is no file that somebody is about to replace by two
 * commands. */
#define FILE_LOOK_MS 1000
#define FILE_ABSENT_LOOKS 3
/* Between two looks at who has the socket's name */
#define SOCKET_LOOK_MS 2000

#define NEVER INT64_MAX

/*
 * The plugin is connected, or waits for its next attempt to connect (retry_at), or waits for the
 * lock, which another plugin of ours has (waiting). It has the lock while it is connected and tries
 * to be; without a connection it lets others try. Two are in between:
 *   - A plugin that the runtime has launched is connected from the start. It takes the lock when it
 *     is asked about a container, and is silent while another one has it.
 *   - A plugin that has lost the lock, because it hung, stays connected until the other one is.
 */
struct plugin {
	const struct nri_options *options;
	char socket[sizeof(((struct sockaddr_un *)0)->sun_path)];
	pid_t runtime; /* that launched us; 0: none did */

	int fd;         /* the one connection; -1: none */
	bool hung_up;   /* the runtime has closed it: what is read yet, nobody waits for */
	bool launched;  /* it is the one that the runtime made when it launched us */
	bool connected; /* and registered */
	bool waiting;
	struct stat socket_file; /* that was connected to */
	int64_t socket_at;
	struct session session;
	struct lock lock;
	int delay_ms;
	int64_t retry_at;
	int64_t beat_at;
	int64_t file_at;
	int file_absent; /* looks that have not found it */

	struct server server;
	struct report report;
	struct synchronize synchronize; /* while the runtime tells what is there */
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

/* A number for a container's id (FNV-1a); 0: the message has none */
static uint64_t number_of(const struct message *request)
{
	cleanup_arena arena = {0};
	struct spec spec = {0};
	struct err ignored;
	uint64_t number = 14695981039346656037U;

	if (!request || message_read_container(&arena, request, &spec, &ignored) < 0 ||
	    !spec.identity.id)
		return 0;
	for (const char *at = spec.identity.id; *at; at++)
		number = (number ^ (unsigned char)*at) * 1099511628211U;
	return number;
}

/* A launched plugin is connected before the directory of the socket is there. */
static bool is_to_answer(struct plugin *plugin, const struct message *request)
{
	struct lock *lock = &plugin->lock;
	bool held = lock_is_held(lock);
	struct err ignored;

	if (plugin->launched && !held && lock_take(lock, plugin->socket, &ignored) == 1)
		lock_serve(lock);
	else if (held && lock->stage == LOCK_ASKED)
		return true; /* nearly always so: it is false only for moments */
	return lock_answers(lock, number_of(request));
}

static void on_create(void *context, struct arena *arena, const struct message *request,
		      struct message *ret_response)
{
	struct plugin *plugin = context;

	/* This plugin was stopped for longer than the runtime waits. The container has begun
	 * without it: after the next Synchronize that is found. A decision now would say that it
	 * was granted. */
	if (plugin->hung_up || !is_to_answer(plugin, request))
		return;
	serve_container(&plugin->server, arena, request, ret_response);
	report_soon(&plugin->report);
}

static void be_connected(struct plugin *plugin)
{
	plugin->connected = true;
	plugin->delay_ms = LINK_RETRY_MIN_MS;
	lock_serve(&plugin->lock);
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
	synchronize_finish(&plugin->synchronize, whole);
	missed_look(&plugin->missed, &plugin->synchronize, plugin->report.since);
	synchronize_free(&plugin->synchronize);
	report_missed(&plugin->report, &plugin->missed.status);
}

static void on_pod(void *context, const struct message *pod)
{
	synchronize_pod(&((struct plugin *)context)->synchronize, pod);
}

static void on_container(void *context, const struct message *container)
{
	synchronize_container(&((struct plugin *)context)->synchronize, container);
}

static const struct session_handler handler = {
	.create = on_create,
	.configured = on_configured,
	.pod = on_pod,
	.container = on_container,
	.synchronized = on_synchronized,
};

/* ---- the connection ---- */

static void retry_later(struct plugin *plugin, const struct err *err)
{
	lock_drop(&plugin->lock);
	report_trouble(&plugin->report, err);
	plugin->retry_at = clock_ms() + plugin->delay_ms;
	plugin->delay_ms = link_next_delay(plugin->delay_ms);
}

static void disconnect(struct plugin *plugin, const struct err *err)
{
	/* The child that has decided may write the note yet. */
	if (plugin->session.out.len)
		memcpy(plugin->not_taken, plugin->server.granted, sizeof(plugin->not_taken));
	plugin->server.granted[0] = '\0';
	session_end(&plugin->session);
	synchronize_free(&plugin->synchronize);
	(void)close(plugin->fd);
	plugin->fd = -1;
	plugin->launched = false;
	plugin->connected = false;
	plugin->lock.connected = false;
	retry_later(plugin, err);
}

static int begin_session(struct plugin *plugin, struct err *err)
{
	if (session_begin(&plugin->session, &handler, plugin, err) < 0)
		return -1;
	return link_write(plugin->fd, &plugin->session.out, err);
}

static void connect_now(struct plugin *plugin)
{
	struct err err;

	plugin->fd = link_connect(plugin->socket, &plugin->socket_file, &err);
	if (plugin->fd < 0)
		retry_later(plugin, &err);
	else if (begin_session(plugin, &err) < 0)
		disconnect(plugin, &err);
}

/* Also when the lock may be free */
static void connect_again(struct plugin *plugin)
{
	struct err err;

	plugin->waiting = false;
	/* A new runtime launches a plugin of its own. */
	if (plugin->runtime && getppid() != plugin->runtime) {
		ended = 1;
		return;
	}
	switch (lock_take(&plugin->lock, plugin->socket, &err)) {
	case 1:
		connect_now(plugin);
		break;
	case 0:
		lock_wait(&plugin->lock);
		plugin->waiting = true;
		plugin->retry_at = NEVER;
		plugin->delay_ms = LINK_RETRY_MIN_MS;
		break;
	default:
		retry_later(plugin, &err);
		break;
	}
}

/* Returns false once another plugin serves the node. */
static bool keep_lock(struct plugin *plugin)
{
	struct err ignored;

	lock_beat(&plugin->lock);
	if (lock_is_held(&plugin->lock))
		return true;
	/* Somebody has removed the file, or another plugin has taken it, because this one hung. */
	if (lock_take(&plugin->lock, plugin->socket, &ignored) == 1 && plugin->connected)
		lock_serve(&plugin->lock);
	return !lock_is_succeeded(&plugin->lock);
}

static void beat(struct plugin *plugin)
{
	struct err err;

	plugin->beat_at = clock_ms() + LOCK_BEAT_MS;
	if (plugin->waiting) {
		if (lock_watch(&plugin->lock))
			connect_again(plugin);
		else
			report_standby(&plugin->report);
	} else if (plugin->fd >= 0 && !plugin->launched && !keep_lock(plugin)) {
		(void)err_set(&err, "another oci-rdma-nri has taken over, because this one hung");
		disconnect(plugin, &err);
	} else {
		lock_beat(&plugin->lock);
	}
}

/* While a container's verdict is awaited: it hangs, perhaps; the plugin does not. */
static void on_idle(void *context)
{
	struct plugin *plugin = context;

	lock_beat(&plugin->lock);
	report_tend(&plugin->report, plugin->report.status.awaited);
}

/* ---- the end of one whose file is removed ---- */

/* False if another plugin waits for the lock, or has it. */
static bool is_needed(struct plugin *plugin)
{
	struct lock *lock = &plugin->lock;
	struct err ignored;
	int taken = -1;

	if (!plugin->connected)
		return false;
	if (plugin->launched && !lock_is_held(lock))
		taken = lock_take(lock, plugin->socket, &ignored);
	if (taken == 1)
		lock_serve(lock);
	return taken != 0 && !lock_is_awaited(lock);
}

static bool has_file(const struct plugin *plugin)
{
	return plugin->runtime || plugin->options->end_with;
}

/* path: gets the file's. --end-with names one, because systemd forgets a unit whose file is gone
 * when it reads its files again, and then nothing that is told to systemd ends the process
 * (manager_reload() in systemd's src/core/manager.c). */
static enum own_file look(const struct plugin *plugin, char *path, size_t size)
{
	const char *file = plugin->options->end_with;

	if (!file)
		return own_file_look(OWN_FILE_LINK, path, size);
	(void)snprintf(path, size, "%s", file);
	return own_file_look_at(file);
}

/*
 * Only the runtime can tell a plugin that it has launched to end, and it does not. So its file
 * tells it: a removed one ends it, and one that was replaced does so as soon as a plugin waits,
 * because the runtime starts the new version only when it is started itself.
 */
static void look_at_file(struct plugin *plugin)
{
	char path[512];
	enum own_file file = look(plugin, path, sizeof(path));

	plugin->file_at = clock_ms() + FILE_LOOK_MS;
	plugin->file_absent = file == OWN_FILE_REMOVED ? plugin->file_absent + 1 : 0;
	if (plugin->file_absent >= FILE_ABSENT_LOOKS)
		log_event(LOG_INFO, "%s was removed, so this plugin ends", path);
	else if (file == OWN_FILE_REPLACED && !is_needed(plugin))
		log_event(LOG_INFO, "%s was replaced: this plugin ends, and another one serves",
			  path);
	else
		return;
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
	if (has_file(plugin) && plugin->file_at < next)
		next = plugin->file_at;
	if (missed_next(&plugin->missed) < next)
		next = missed_next(&plugin->missed);
	/* What neither has the lock nor waits for it has nothing to say four times a second. */
	return plugin->lock.file >= 0 && plugin->beat_at < next ? plugin->beat_at : next;
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
	};
	struct err err;

	if (ppoll(poll, 2, next == NEVER ? NULL : &timeout, waiting) > 0 && poll[0].revents &&
	    exchange(plugin, poll[0].revents, &err) < 0)
		disconnect(plugin, &err);
}

static void tend(struct plugin *plugin)
{
	verdict_reap(&plugin->server.children);
	if (plugin->waiting && lock_waited(&plugin->lock))
		connect_again(plugin);
	if (plugin->lock.file >= 0 && clock_ms() >= plugin->beat_at)
		beat(plugin);
	if (plugin->fd < 0 && clock_ms() >= plugin->retry_at)
		connect_again(plugin);
	if (has_file(plugin) && clock_ms() >= plugin->file_at)
		look_at_file(plugin);
	if (plugin->connected && !plugin->launched && clock_ms() >= plugin->socket_at)
		look_at_socket(plugin);
	if (missed_tend(&plugin->missed))
		report_missed(&plugin->report, &plugin->missed.status);
	report_tend(&plugin->report, plugin->lock.ours && lock_is_awaited(&plugin->lock));
}

static void serve(struct plugin *plugin, const sigset_t *waiting)
{
	while (!ended) {
		tend(plugin);
		if (!ended)
			wait_until(plugin, next_time(plugin), waiting);
	}
}

static void answer_until(struct plugin *plugin, int64_t end, const sigset_t *waiting)
{
	while (plugin->fd >= 0 && clock_ms() < end)
		wait_until(plugin, end, waiting);
}

/* The one that waits gets the lock. Until it is about to be asked, this one answers. */
static void hand_over(struct plugin *plugin, const sigset_t *waiting)
{
	int64_t end = clock_ms() + HAND_OVER_MS;
	bool succeeded = false;
	int absent = 0;

	if (!plugin->connected || !lock_is_held(&plugin->lock) || !lock_is_awaited(&plugin->lock))
		return;
	lock_hand_over(&plugin->lock);
	while (plugin->fd >= 0 && !succeeded && absent < SUCCESSOR_ABSENT_LOOKS &&
	       clock_ms() < end) {
		answer_until(plugin, clock_ms() + HAND_OVER_LOOK_MS, waiting);
		report_leaving(&plugin->report);
		succeeded = lock_is_succeeded(&plugin->lock);
		absent = lock_has_successor(&plugin->lock) ? 0 : absent + 1;
	}
	if (plugin->fd >= 0 && !succeeded && absent < SUCCESSOR_ABSENT_LOOKS)
		log_event(LOG_WARNING,
			  "the next oci-rdma-nri is not registered after %d s: until it is, "
			  "containers get nothing, and it names them as missed; see its log",
			  HAND_OVER_MS / 1000);
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
	plugin->lock.connected = true;
	if (plugin->fd >= 0 && (link_take(plugin->fd, &err) < 0 || begin_session(plugin, &err) < 0))
		disconnect(plugin, &err);
}

static void end(struct plugin *plugin, const sigset_t *waiting)
{
	notify("STOPPING=1");
	hand_over(plugin, waiting);
	verdict_finish(&plugin->server.children);
	forget_grant(plugin);
	missed_end(&plugin->missed);
	if (plugin->fd >= 0) {
		session_end(&plugin->session);
		(void)close(plugin->fd);
	}
	lock_end(&plugin->lock);
	/* systemd may end it first, after the file is gone */
	report_end(&plugin->report,
		   plugin->options->end_with &&
			   own_file_look_at(plugin->options->end_with) == OWN_FILE_REMOVED);
}

int plugin_run(const struct nri_options *options)
{
	static struct plugin plugin;
	sigset_t waiting;

	plugin = (struct plugin){
		.options = options,
		.fd = -1,
		.lock = LOCK_NONE,
		.delay_ms = LINK_RETRY_MIN_MS,
		.server = {.options = options->node,
			   .patience_ms = SERVE_PATIENCE_MS,
			   .children = {.not_inherited = {&plugin.fd, &plugin.lock.file},
					.idle = on_idle,
					.context = &plugin}},
		.report = {.sysroot = options->node.sysroot,
			   .metrics_path = options->metrics,
			   .counters = &plugin.server.counters,
			   .closed = {&plugin.fd, &plugin.lock.file}},
		.synchronize.sysroot = options->node.sysroot,
		.missed.closed = {&plugin.fd, &plugin.lock.file},
	};
	missed_begin(&plugin.missed, &plugin.options->node);
	(void)nri_options_socket(options, plugin.socket, sizeof(plugin.socket));
	report_begin(&plugin.report, plugin.socket);
	log_as_daemon(NRI_NAME);
	confine_with(&plugin, launched_socket());
	set_signals(&waiting);
	serve(&plugin, &waiting);
	end(&plugin, &waiting);
	return 0;
}

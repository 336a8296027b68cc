/* SPDX-License-Identifier: Apache-2.0 */
#include "events/reporter.h"

#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/arena.h"
#include "core/base/cleanup.h"
#include "core/base/fs.h"
#include "core/base/text.h"
#include "core/json/document.h"

#define CONNECT_SECONDS 10L
#define SECONDS 30L
#define ANSWER_MAX (64 * 1024)
#define TOKEN_MAX (64 * 1024)
#define CA_MAX (1024 * 1024)

struct api {
	CURL *curl;
	char *base;    /* "https://10.96.0.1:443/apis/events.k8s.io/v1/namespaces/" */
	char *account; /* directory */
	const volatile sig_atomic_t *stopping;
	char answer[ANSWER_MAX];
	size_t answer_len;
	char problem[CURL_ERROR_SIZE];
};

/* ---- opened ---- */

static int find_server(struct api *api, struct err *err)
{
	const char *host = getenv("KUBERNETES_SERVICE_HOST");
	const char *port = getenv("KUBERNETES_SERVICE_PORT");
	bool v6 = host && strchr(host, ':');

	if (!host || !port)
		return err_set(err,
			       "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set: "
			       "this program runs in a pod");
	if (asprintf(&api->base, "https://%s%s%s:%s/apis/events.k8s.io/v1/namespaces/",
		     v6 ? "[" : "", host, v6 ? "]" : "", port) < 0) {
		api->base = NULL;
		return err_memory(err);
	}
	return 0;
}

/* The rest of a longer answer is not needed, and one that does not end is no answer. */
static size_t keep_answer(const char *bytes, size_t size, size_t n, void *context)
{
	struct api *api = context;
	size_t room = sizeof(api->answer) - api->answer_len;

	if (n > room)
		return 0;
	memcpy(api->answer + api->answer_len, bytes, n);
	api->answer_len += n;
	return size * n;
}

static int is_stopping(void *context, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
	const struct api *api = context;

	(void)a;
	(void)b;
	(void)c;
	(void)d;
	return *api->stopping;
}

/* No proxy, no redirection, no other protocol: the token goes to the API server alone. */
static int set_up(struct api *api, struct err *err)
{
	CURL *curl = api->curl;
	CURLcode code = curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "https");

#define SET(option, value)                                                                         \
	code = code == CURLE_OK ? curl_easy_setopt(curl, CURLOPT_##option, value) : code
	SET(PROXY, "");
	SET(FOLLOWLOCATION, 0L);
	/* Debian's libcurl also trusts what lies in /etc/ssl/certs: the cluster's CA alone counts.
	 */
	SET(CAPATH, NULL);
	SET(SSL_VERIFYPEER, 1L);
	SET(SSL_VERIFYHOST, 2L);
	SET(SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	SET(NOSIGNAL, 1L);
	SET(CONNECTTIMEOUT, CONNECT_SECONDS);
	SET(TIMEOUT, SECONDS);
	SET(WRITEFUNCTION, keep_answer);
	SET(WRITEDATA, api);
	SET(ERRORBUFFER, api->problem);
	SET(NOPROGRESS, 0L);
	SET(XFERINFOFUNCTION, is_stopping);
	SET(XFERINFODATA, api);
	SET(POST, 1L);
#undef SET
	return code == CURLE_OK ? 0 : err_set(err, "libcurl: %s", curl_easy_strerror(code));
}

void api_close(struct api *api)
{
	if (!api)
		return;
	curl_easy_cleanup(api->curl);
	free(api->base);
	free(api->account);
	free(api);
}

struct api *api_open(const char *account, const volatile sig_atomic_t *stopping, struct err *err)
{
	struct api *api = calloc(1, sizeof(*api));

	if (!api || curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
		free(api);
		(void)err_memory(err);
		return NULL;
	}
	api->stopping = stopping;
	api->account = strdup(account);
	api->curl = curl_easy_init();
	if (!api->account || !api->curl)
		(void)err_memory(err);
	else if (find_server(api, err) == 0 && set_up(api, err) == 0)
		return api;
	api_close(api);
	return NULL;
}

/* ---- the account ---- */

/* The kubelet writes both anew now and then: each request reads them. The paths are links, by which
 * it replaces all at once (pkg/volume/util/atomic_writer.go). */
static int read_account(struct api *api, struct arena *arena, const char *name, size_t max,
			struct fs_text *ret_text, struct err *err)
{
	const char *path = arena_printf(arena, "%s/%s", api->account, name);
	cleanup_fd fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;

	if (!path) {
		(void)err_memory(err);
		return -1;
	}
	if (fd < 0) {
		(void)err_sys(err, errno, "%s", path);
		return -1;
	}
	return fs_read_regular(arena, fd, max, path, ret_text, err);
}

static int set_account(struct api *api, struct arena *arena, struct curl_slist **headers,
		       struct err *err)
{
	struct fs_text token;
	struct fs_text ca;
	struct curl_blob blob = {.flags = CURL_BLOB_COPY};
	const char *header;

	if (read_account(api, arena, "token", TOKEN_MAX, &token, err) < 0 ||
	    read_account(api, arena, "ca.crt", CA_MAX, &ca, err) < 0)
		return -1;
	token.bytes[strcspn(token.bytes, "\r\n")] = '\0';
	blob.data = ca.bytes;
	blob.len = ca.len;
	header = arena_printf(arena, "Authorization: Bearer %s", token.bytes);
	if (header)
		*headers = curl_slist_append(NULL, header);
	if (!*headers || !curl_slist_append(*headers, "Content-Type: application/json") ||
	    !curl_slist_append(*headers, "Expect:") ||
	    curl_easy_setopt(api->curl, CURLOPT_CAINFO_BLOB, &blob) != CURLE_OK)
		return err_memory(err);
	return 0;
}

/* ---- the answer ---- */

/* metav1.Status: its reason is a word, its message for people. What is none has neither. */
struct status {
	const char *reason;
	const char *message;
};

static struct status read_status(const struct api *api, struct arena *arena)
{
	struct json_document doc;
	struct err ignored;
	struct status status = {0};

	if (json_parse(&doc, arena, "answer", api->answer, api->answer_len, 0, &ignored) < 0)
		return status;
	status.reason = json_string(&doc, json_get(&doc, doc.root, "reason", JSON_STRING));
	status.message = json_string(&doc, json_get(&doc, doc.root, "message", JSON_STRING));
	if (doc.failed)
		status = (struct status){0};
	return status;
}

/*
 * 403: a namespace that ends will never take it; a quota or the role may be changed. 401 is of the
 * token, which the next request reads anew; 408 and 429 say later.
 */
static enum api_answer judge(long code, const struct status *status)
{
	const char *word = status->reason ? status->reason : "";
	const char *text = status->message ? status->message : "";

	if (code == 200 || code == 201)
		return API_POSTED;
	if (code == 409 && strcmp(word, "AlreadyExists") == 0)
		return API_THERE;
	if (code == 403)
		return strstr(text, "is being terminated") ? API_REFUSED : API_LATER;
	if (code == 401 || code == 408 || code == 429 || code < 400 || code >= 500)
		return API_AWAY;
	return code == 409 ? API_LATER : API_REFUSED;
}

static enum api_answer read_answer(struct api *api, struct arena *arena, int64_t *ret_wait_ms,
				   struct err *err)
{
	struct status status = read_status(api, arena);
	curl_off_t wait = 0;
	long code = 0;

	(void)curl_easy_getinfo(api->curl, CURLINFO_RESPONSE_CODE, &code);
	(void)curl_easy_getinfo(api->curl, CURLINFO_RETRY_AFTER, &wait);
	*ret_wait_ms = wait > 0 && wait < 3600 ? (int64_t)wait * 1000 : 0;
	(void)err_set(err, "the API server answers %ld: %.400s", code,
		      status.message ? status.message : "no reason");
	return judge(code, &status);
}

/* ---- one request ---- */

static enum api_answer perform(struct api *api, struct arena *arena, struct curl_slist *headers,
			       const char *url, int64_t *ret_wait_ms, struct err *err)
{
	CURLcode code;

	if (curl_easy_setopt(api->curl, CURLOPT_URL, url) != CURLE_OK ||
	    curl_easy_setopt(api->curl, CURLOPT_HTTPHEADER, headers) != CURLE_OK) {
		(void)err_memory(err);
		return API_AWAY;
	}
	api->answer_len = 0;
	api->problem[0] = '\0';
	code = curl_easy_perform(api->curl);
	if (code == CURLE_OK)
		return read_answer(api, arena, ret_wait_ms, err);
	(void)err_set(err, "%s: %s", url,
		      api->problem[0] ? api->problem : curl_easy_strerror(code));
	return API_AWAY;
}

enum api_answer api_post(struct api *api, const char *namespace, const char *text, size_t len,
			 int64_t *ret_wait_ms, struct err *err)
{
	cleanup_arena arena = {0};
	struct curl_slist *headers = NULL;
	enum api_answer answer = API_AWAY;
	const char *url = arena_printf(&arena, "%s%s/events", api->base, namespace);

	*ret_wait_ms = 0;
	if (!url || curl_easy_setopt(api->curl, CURLOPT_POSTFIELDSIZE, (long)len) != CURLE_OK ||
	    curl_easy_setopt(api->curl, CURLOPT_POSTFIELDS, text) != CURLE_OK)
		(void)err_memory(err);
	else if (set_account(api, &arena, &headers, err) == 0)
		answer = perform(api, &arena, headers, url, ret_wait_ms, err);
	curl_slist_free_all(headers);
	return answer;
}

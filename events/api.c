/* SPDX-License-Identifier: Apache-2.0 */
#include "events/api.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/fs.h"
#include "core/json/document.h"
#include "lib/files.h"

#define ANSWER_MAX (64 * 1024)
#define ACCOUNT_FILE_MAX (1024 * 1024)
#define ACCOUNT "/var/run/secrets/kubernetes.io/serviceaccount/"

static struct {
	CURL *curl;
	char base[512]; /* "https://10.96.0.1:443/apis/events.k8s.io/v1/namespaces/" */
	int root;
	char answer[ANSWER_MAX];
	size_t answer_len;
	char problem[CURL_ERROR_SIZE];
} api;

static size_t keep_answer(const char *bytes, size_t size, size_t n, void *context)
{
	(void)context;
	if (n > sizeof(api.answer) - api.answer_len)
		return 0;
	memcpy(api.answer + api.answer_len, bytes, n);
	api.answer_len += n;
	return size * n;
}

#define SET(option, value)                                                                         \
	code = code == CURLE_OK ? curl_easy_setopt(api.curl, CURLOPT_##option, value) : code

int api_open(int root, struct err *err)
{
	const char *host = getenv("KUBERNETES_SERVICE_HOST");
	const char *port = getenv("KUBERNETES_SERVICE_PORT");
	bool v6 = host && strchr(host, ':');
	CURLcode code = curl_global_init(CURL_GLOBAL_DEFAULT);

	if (!host || !port)
		return err_set(err,
			       "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set: "
			       "this program runs in a pod");
	snprintf(api.base, sizeof(api.base), "https://%s%s%s:%s/apis/events.k8s.io/v1/namespaces/",
		 v6 ? "[" : "", host, v6 ? "]" : "", port);
	api.root = root;
	api.curl = curl_easy_init();
	if (!api.curl)
		return err_memory(err);
	/* Only the API server may get the token. By default libcurl verifies certificate and host,
	 * and follows no redirect, but Debian's trusts /etc/ssl/certs: only the cluster's CA
	 * counts. */
	SET(PROXY, "");
	SET(CAPATH, NULL);
	SET(SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	SET(WRITEFUNCTION, keep_answer);
	SET(ERRORBUFFER, api.problem);
	return code == CURLE_OK ? 0 : err_set(err, "libcurl: %s", curl_easy_strerror(code));
}

/* Not cached: the kubelet replaces both by links (pkg/volume/util/atomic_writer.go). */
static int read_account(struct arena *arena, const char *path, struct fs_text *ret_text,
			struct err *err)
{
	int status = tree_read(arena, api.root, path, ACCOUNT_FILE_MAX, ret_text);

	return status < 0 ? err_sys(err, -status, "%s", path) : 0;
}

/* Perhaps a metav1.Status */
static enum event_answer read_answer(struct arena *arena, struct err *err)
{
	const char *reason = NULL;
	const char *message = NULL;
	struct json_document doc;
	long code = 0;

	(void)curl_easy_getinfo(api.curl, CURLINFO_RESPONSE_CODE, &code);
	if (json_parse(&doc, arena, "answer", api.answer, api.answer_len, 0, err) == 0) {
		reason = json_get_string(&doc, doc.root, "reason");
		message = json_get_string(&doc, doc.root, "message");
	}
	err_set(err, "the API server answers %ld: %.400s", code, message ? message : "no reason");
	return event_judge(code, reason ? reason : "", message ? message : "");
}

enum event_answer api_post(const char *namespace, const char *text, size_t len, int64_t patience_ms,
			   struct err *err)
{
	cleanup_arena arena = {0};
	struct curl_slist type = {(char *)"Content-Type: application/json", NULL};
	struct curl_slist headers = {NULL, &type};
	const char *url = arena_printf(&arena, "%s%s/events", api.base, namespace);
	CURLcode code = CURLE_OK;
	struct fs_text token;
	struct fs_text ca;

	if (read_account(&arena, ACCOUNT "token", &token, err) < 0 ||
	    read_account(&arena, ACCOUNT "ca.crt", &ca, err) < 0)
		return EVENT_LATER;
	token.bytes[strcspn(token.bytes, "\r\n")] = '\0';
	headers.data = arena_printf(&arena, "Authorization: Bearer %s", token.bytes);
	api.answer_len = 0;
	SET(URL, url);
	SET(TIMEOUT_MS, (long)patience_ms);
	SET(HTTPHEADER, &headers);
	SET(CAINFO_BLOB, (&(struct curl_blob){ca.bytes, ca.len, CURL_BLOB_COPY}));
	SET(POSTFIELDSIZE, (long)len);
	SET(POSTFIELDS, text);
	if (!url || !headers.data)
		code = CURLE_OUT_OF_MEMORY;
	code = code == CURLE_OK ? curl_easy_perform(api.curl) : code;
	if (code == CURLE_OK)
		return read_answer(&arena, err);
	err_set(err, "%s%s/events: %s", api.base, namespace,
		api.problem[0] ? api.problem : curl_easy_strerror(code));
	return EVENT_LATER;
}

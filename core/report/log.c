/* SPDX-License-Identifier: Apache-2.0 */
#include "core/report/log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include "core/base/capability.h"
#include "core/base/cleanup.h"
#include "core/base/journal.h"
#include "core/base/text.h"
#include "core/policy/quantity.h"

#define IDENT "oci-rdma-hook"
#define FRONT "<%d>" IDENT "[%d]: "
/* A reason, a way in, and who it was */
#define FAILURE_MAX (ERR_TEXT_MAX + 640)

/* Memory is needed for what is longer than any failure only. */
static void send_line(int priority, char *line)
{
	char message[FAILURE_MAX + 64];
	cleanup_free *longer = NULL;
	int len;

	text_make_printable(line);
	len = snprintf(message, sizeof(message), FRONT "%s", LOG_DAEMON | priority, getpid(), line);
	if (len < (int)sizeof(message)) {
		journal_send(message, (size_t)len);
		return;
	}
	len = asprintf(&longer, FRONT "%s", LOG_DAEMON | priority, getpid(), line);
	if (len < 0)
		longer = NULL;
	else
		journal_send(longer, (size_t)len);
}

static const char *or_dash(const char *text)
{
	return text && text[0] ? text : "-";
}

#define IDENTITY " container=%.80s name=%.80s pod=%.253s namespace=%.80s"
#define IDENTITY_OF(c)                                                                             \
	or_dash((c)->id), or_dash((c)->spec.name), or_dash((c)->spec.pod),                         \
		or_dash((c)->spec.pod_namespace)

static void print_identity(FILE *out, const struct container *container)
{
	(void)fprintf(out, IDENTITY, IDENTITY_OF(container));
}

static void print_devices(FILE *out, const struct devices *devices)
{
	(void)fputs(" devices=", out);
	for (size_t i = 0; i < devices->n; i++)
		(void)fprintf(out, "%s%s", i ? "," : "", devices->item[i].ibdev);
	if (!devices->n)
		(void)fputc('-', out);
}

static void print_memlock(FILE *out, const struct plan *plan)
{
	if (!plan->sets_memlock)
		(void)fputs(" memlock=-", out);
	else if (plan->memlock == MEMLOCK_UNLIMITED)
		(void)fputs(" memlock=unlimited", out);
	else
		(void)fprintf(out, " memlock=%" PRIu64, plan->memlock);
}

static void print_warnings(FILE *out, const struct warnings *warnings)
{
	for (size_t i = 0; i < warnings->n; i++)
		(void)fprintf(out, "%s%s", i ? "," : " warnings=", warnings->item[i].code);
}

/* A hook cannot give capabilities: the runtime has read config.json before it runs. */
static int print_capabilities(FILE *out, struct container *container, bool given)
{
	const char *const *names =
		capability_names(&container->arena, given ? container->plan.granted : 0);

	if (!names)
		return -1;
	(void)fputs(" capabilities=", out);
	if (!*names)
		(void)fputc('-', out);
	for (size_t i = 0; names[i]; i++)
		(void)fprintf(out, "%s%s", i ? "," : "", names[i]);
	return 0;
}

void log_grant(struct container *container, const struct applied *applied, const char *way_in)
{
	cleanup_free *line = NULL;
	size_t len;
	FILE *out = open_memstream(&line, &len);
	int status;

	if (!out)
		return;
	(void)fprintf(out, "%s:", decision_name(container->plan.decision));
	print_identity(out, container);
	print_devices(out, &container->devices);
	print_memlock(out, &container->plan);
	status = print_capabilities(out, container, applied->capabilities);
	(void)fprintf(out, " nccl=%s by=%s", applied->nccl ? applied->nccl : "-", way_in);
	print_warnings(out, &container->warnings);
	/* Without memory fclose succeeds, too, but there is no line (glibc's libio/memstream.c). */
	if (fclose(out) == 0 && status == 0 && line)
		send_line(LOG_INFO, line);
}

/* NULL without memory; free(3) it. */
static char *denial_line(const struct container *container, const char *way_in)
{
	char *line = NULL;
	size_t len;
	FILE *out = open_memstream(&line, &len);

	if (!out)
		return NULL;
	(void)fputs("denied:", out);
	print_identity(out, container);
	print_devices(out, &container->devices);
	(void)fprintf(out, " by=%s reason=%s", way_in, container->plan.reason);
	(void)fclose(out);
	return line;
}

void log_denial(struct container *container, const char *way_in)
{
	cleanup_free *line = denial_line(container, way_in);

	if (line)
		send_line(LOG_WARNING, line);
	if (container->plan.fail)
		(void)fprintf(stderr, IDENT ": %s\n", line ? line : container->plan.reason);
}

/* No memory is allocated, so that "out of memory" is heard. */
static void print_failure(char *line, size_t size, const struct container *container,
			  const struct err *err, const char *way_in)
{
	size_t len = (size_t)snprintf(line, size, "%s: %s", way_in, err->text);

	if (container && len < size)
		(void)snprintf(line + len, size - len, IDENTITY, IDENTITY_OF(container));
}

void log_failure_silently(const struct container *container, const struct err *err,
			  const char *way_in)
{
	char line[FAILURE_MAX];

	print_failure(line, sizeof(line), container, err, way_in);
	send_line(LOG_ERR, line);
}

void log_failure(const struct container *container, const struct err *err, const char *way_in)
{
	char line[FAILURE_MAX];

	print_failure(line, sizeof(line), container, err, way_in);
	send_line(LOG_ERR, line);
	(void)fprintf(stderr, IDENT ": %s\n", line);
}

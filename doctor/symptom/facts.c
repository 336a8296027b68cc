/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/symptom/facts.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "host:pid:tid [0] nccl info …", whatever a collector put before it; NULL: no host, or too many */
static struct host *host_of(struct facts *facts, const char *line, unsigned long number)
{
	const char *end = strstr(line, " nccl info ");
	const char *begin;
	size_t len;

	while (end && end > line && end[-1] != '[')
		end--;
	if (!end || end < line + 2)
		return NULL;
	end -= 2; /* " [" */
	for (begin = end; begin > line && !isspace((unsigned char)begin[-1]);)
		begin--;
	len = strcspn(begin, ":");
	if (len == 0 || len >= sizeof(facts->host[0].name) || begin + len >= end)
		return NULL;
	for (size_t i = 0; i < facts->n; i++) {
		if (strlen(facts->host[i].name) == len &&
		    memcmp(facts->host[i].name, begin, len) == 0)
			return &facts->host[i];
	}
	if (facts->n == HOSTS_MAX)
		return NULL;
	memcpy(facts->host[facts->n].name, begin, len);
	facts->host[facts->n].line = number;
	return &facts->host[facts->n++];
}

/* "net/ib : using [0]mlx5_0:1/roce [1]mlx5_1:1/ib [ro]; oob …" */
static void read_hcas(struct host *host, const char *at)
{
	unsigned hcas = 0;

	for (; (at = strchr(at, '[')); at++) {
		if (!isdigit((unsigned char)at[1]))
			continue;
		hcas++;
		at += strcspn(at, " ;") - 1;
		if (strncmp(at - 4, "roce", 4) == 0 || strncmp(at - 3, "roce", 4) == 0)
			host->roce = true;
		else
			host->infiniband = true;
	}
	if (hcas > host->hcas)
		host->hcas = hcas;
}

static void read_nccl_version(struct facts *facts, const char *at, unsigned long number)
{
	char version[32];

	(void)snprintf(version, sizeof(version), "%.*s", (int)strcspn(at, " \t,"), at);
	if (!isdigit((unsigned char)version[0]))
		return;
	if (!facts->version[0][0])
		memcpy(facts->version[0], version, sizeof(version));
	else if (!facts->version[1][0] && strcmp(facts->version[0], version) != 0) {
		memcpy(facts->version[1], version, sizeof(version));
		facts->version_line = number;
	}
}

/* ibv_devinfo -v: "gid[  3]: ::ffff:10.0.0.7, roce v2"; show_gids: "mlx5_0 1 3
 * 0000:…:ffff:0a00:0007 10.0.0.7 v2 eth2" */
static void read_gid_line(struct facts *facts, const char *line, unsigned long number)
{
	const char *gid = strstr(line, "gid[");
	char digits[8];
	char address[INET_ADDRSTRLEN];
	struct in_addr ignored;
	long index = 0;

	if (gid && strstr(gid, "roce v2") && strstr(gid, ":ffff:"))
		index = strtol(gid + strlen("gid["), NULL, 10);
	else if (strstr(line, "v2") && strstr(line, ":ffff:") &&
		 sscanf(line, "%*s %*s %7s %*s %15s", digits, address) == 2 &&
		 inet_pton(AF_INET, address, &ignored) == 1)
		index = strtol(digits, NULL, 10);
	if (index <= 0 || index > INT_MAX || facts->gid_index)
		return;
	facts->gid_index = (int)index;
	facts->gid_line = number;
}

/* "max locked memory       (kbytes, -l) unlimited" of a shell, "max locked memory   unlimited …" of
 * /proc: not UCX's "please set max locked memory (ulimit -l) to 'unlimited'" */
static bool says_unlimited(const char *line)
{
	static const char name[] = "max locked memory";
	const char *at = strstr(line, name);

	if (!at)
		return false;
	at += strlen(name);
	at += strspn(at, " ");
	if (*at == '(' && strchr(at, ')'))
		at = strchr(at, ')') + 1;
	return strncmp(at + strspn(at, " "), "unlimited", strlen("unlimited")) == 0;
}

void facts_read(struct facts *facts, const char *line, unsigned long number)
{
	const char *using = strstr(line, "net/ib : using [");
	const char *version = strstr(line, "nccl version ");
	bool channel = strstr(line, " via net/ib") != NULL;
	struct host *host = using || channel ? host_of(facts, line, number) : NULL;

	if (host && using)
		read_hcas(host, using);
	if (host && channel) {
		if (strstr(line, "/gdrdma"))
			host->direct++;
		else
			host->indirect++;
	}
	if (version)
		read_nccl_version(facts, version + strlen("nccl version "), number);
	if (says_unlimited(line))
		facts->unlimited_line = number;
	read_gid_line(facts, line, number);
}

/* The first host for which how is another than for one before it; NULL: none. -1: not known */
static const struct host *differs(const struct facts *facts, int (*how)(const struct host *host),
				  const struct host **ret_first)
{
	const struct host *first = NULL;

	for (size_t i = 0; i < facts->n; i++) {
		const struct host *host = &facts->host[i];

		if (how(host) < 0)
			continue;
		*ret_first = first = first ? first : host;
		if (how(host) != how(first))
			return host;
	}
	return NULL;
}

static int directly(const struct host *host)
{
	return host->direct || host->indirect ? host->direct > 0 : -1;
}

static int hcas(const struct host *host)
{
	return host->hcas ? (int)host->hcas : -1;
}

static int link_kinds(const struct host *host)
{
	return host->hcas ? host->infiniband : -1;
}

/* The row of that name in known/facts.txt */
static size_t tell(struct symptom *ret, const char *name, unsigned long line, const char *quote,
		   ...) __attribute__((format(printf, 4, 5)));

static size_t tell(struct symptom *ret, const char *name, unsigned long line, const char *quote,
		   ...)
{
	va_list args;

	*ret = (struct symptom){.known = known_rows, .first = line, .lines = 1};
	while (strcmp(ret->known->name, name) != 0)
		ret->known++;
	va_start(args, quote);
	(void)vsnprintf(ret->quote, sizeof(ret->quote), quote, args);
	va_end(args);
	return 1;
}

size_t facts_tell(const struct facts *facts, bool beside, struct symptom *ret)
{
	const struct host *one = NULL;
	const struct host *other;
	size_t n = 0;

	other = differs(facts, directly, &one);
	if (other)
		n += tell(&ret[n], "gdr_asymmetry", other->line,
			  "%s has /GDRDMA channels, %s has none",
			  one->direct ? one->name : other->name,
			  one->direct ? other->name : one->name);
	other = differs(facts, hcas, &one);
	if (other)
		n += tell(&ret[n], "hca_count", other->line, "%s uses %u, %s uses %u", one->name,
			  one->hcas, other->name, other->hcas);
	other = differs(facts, link_kinds, &one);
	for (size_t i = 0; !other && i < facts->n; i++) {
		if (facts->host[i].infiniband && facts->host[i].roce)
			other = one = &facts->host[i];
	}
	if (other)
		n += tell(&ret[n], "mixed_links", other->line,
			  "%s and %s have both kinds between them", one->name, other->name);
	if (facts->version[1][0])
		n += tell(&ret[n], "nccl_versions", facts->version_line, "NCCL %s and %s",
			  facts->version[0], facts->version[1]);
	if (facts->gid_index && beside)
		n += tell(&ret[n], "gid_table", facts->gid_line, "index %d", facts->gid_index);
	return n;
}

void facts_exclude(const struct facts *facts, struct symptom *symptom)
{
	bool indirect = false;
	bool direct = false;

	for (size_t i = 0; i < facts->n; i++) {
		direct = direct || facts->host[i].direct;
		indirect = indirect || facts->host[i].indirect;
	}
	if (strcmp(symptom->known->name, "memlock") == 0 && facts->unlimited_line)
		symptom->proof = "the log says that max locked memory is unlimited";
	else if (strcmp(symptom->known->name, "p2p_blocked") == 0 && indirect && !direct)
		symptom->proof = "no channel of this log uses GPUDirect RDMA";
	if (symptom->proof)
		symptom->verdict = SYMPTOM_EXCLUDED;
}

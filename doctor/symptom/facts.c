/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/symptom/facts.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "doctor/symptom/line.h"

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

	/* NCCL says "2.28.9+cuda13.0", PyTorch's trailer "2.28.9" of the same. */
	(void)snprintf(version, sizeof(version), "%.*s", (int)strspn(at, "0123456789."), at);
	if (!strchr(version, '.'))
		return;
	version[strlen(version) - (version[strlen(version) - 1] == '.')] = '\0';
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

/* "max locked memory       (kbytes, -l) 64" of a shell, "Max locked memory   65536   65536   bytes"
 * of /proc, "max locked-in-memory address space 65536 65536 bytes" of prlimit, "8192" below "ulimit
 * -l": not UCX's "please set max locked memory (ulimit -l) to 'unlimited'" */
static void read_memlock(struct facts *facts, const char *line, unsigned long number)
{
	static const char *const names[] = {"max locked memory",
					    "max locked-in-memory address space"};
	static const char query[] = "ulimit -l";
	const char *asks = strstr(line, query);
	const char *at = facts->memlock.next ? line : NULL;
	char *end;

	for (size_t i = 0; !at && i < 2; i++) {
		at = strstr(line, names[i]);
		at = at ? at + strlen(names[i]) : NULL;
	}
	facts->memlock.next = asks && !asks[strlen(query) + strspn(asks + strlen(query), "'\"` ")];
	if (!at)
		return;
	at += strspn(at, " \t");
	if (strncmp(at, "(kbytes, -l) ", 13) == 0)
		at += 13;
	facts->memlock.unlimited = strncmp(at, "unlimited", strlen("unlimited")) == 0;
	facts->memlock.kib = strtoull(at, &end, 10);
	if (strstr(end, " bytes"))
		facts->memlock.kib /= 1024;
	if (facts->memlock.unlimited || (end > at && (!*end || isspace((unsigned char)*end))))
		facts->memlock.line = number;
}

/* What asks for InfiniBand or RoCE, and what says that there is none; whether one node is all */
static void read_network(struct facts *facts, const char *line, unsigned long number)
{
	static const char set[] = "nccl_ib_hca set to ";
	static const char *const near[] = {" nnodes 1 ", " via p2p", " via shm", NULL};
	static const char *const asks[] = {"nccl_ib_", "initialize any net plugin",
					   "net/ib : using [0]", "sideband", NULL};
	const char *hcas = strstr(line, set);
	const char *disabled = strstr(line, "nccl_ib_disable");

	if (disabled ? strchr(disabled, '0') != NULL : line_has(line, asks))
		facts->network.wanted = number;
	if (hcas && !facts->network.hcas[0])
		(void)snprintf(facts->network.hcas, sizeof(facts->network.hcas), "%s",
			       hcas + strlen(set));
	if (strstr(line, "net/ib : no device found") && !facts->network.missing)
		facts->network.missing = number;
	facts->network.one_node |= line_has(line, near);
	facts->network.apart |= strstr(line, " via net/") != NULL;
}

/* "      openshift.io/rail1:    1" below "    Limits:" of kubectl describe pod */
static void read_pod(struct facts *facts, const char *line, unsigned long number)
{
	static const char *const names[] = {"openshift.io/", "rdma", "/hca",     "sriov", "hostdev",
					    "mlnx",          "/efa", "mellanox", "roce",  NULL};
	size_t blanks = strspn(line, " ");
	size_t name = strcspn(line + blanks, ":");
	const char *value = line + blanks + name + (line[blanks + name] == ':');

	value += strspn(value, " ");
	facts->pod.described |= strncmp(line, "annotations:", strlen("annotations:")) == 0;
	facts->pod.asked |= strstr(line, "oci-rdma-hook.io/inject") != NULL;
	if (!*value)
		facts->pod.limits = name == strlen("limits") && facts->pod.described &&
				    strncmp(line + blanks, "limits", name) == 0;
	else if (facts->pod.limits && !facts->pod.line && *value != '0' && line_has(line, names)) {
		facts->pod.line = number;
		(void)snprintf(facts->pod.resource, sizeof(facts->pod.resource), "%.*s", (int)name,
			       line + blanks);
	}
}

bool facts_want_next(const struct facts *facts)
{
	return facts->memlock.next || facts->pod.limits || facts->ending.next ||
	       facts->ending.traceback;
}

void facts_read(struct facts *facts, const char *line, const char *text, unsigned long number)
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
	read_memlock(facts, line, number);
	read_network(facts, line, number);
	read_pod(facts, line, number);
	read_gid_line(facts, line, number);
	ending_read(&facts->ending, line, text, number);
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
	text_make_printable(ret->quote);
	return 1;
}

/* What a log says of hosts that differ */
static size_t tell_hosts(const struct facts *facts, struct symptom *ret)
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
	return n;
}

/* 1 GiB: NCCL registers more than this for its buffers alone */
static bool is_low(const struct facts *facts)
{
	return facts->memlock.line && !facts->memlock.unlimited && facts->memlock.kib < 1 << 20;
}

size_t facts_tell(const struct facts *facts, size_t causes, size_t beside, struct symptom *ret)
{
	const struct ending *ending = &facts->ending;
	size_t n = tell_hosts(facts, ret);

	if (facts->network.missing && facts->network.wanted)
		n += tell(&ret[n], "no_hca", facts->network.missing, "NET/IB : No device found%s%s",
			  facts->network.hcas[0] ? "; NCCL_IB_HCA is " : "", facts->network.hcas);
	else if (!causes && ending->kind > ENDING_NETWORK)
		n += tell(&ret[n], "program", ending->line, "rank %ld ended with %s", ending->rank,
			  ending->how);
	if (is_low(facts) && !causes)
		n += tell(&ret[n], "memlock_low", facts->memlock.line, "%llu KiB",
			  facts->memlock.kib);
	if (facts->pod.line && !facts->pod.asked)
		n += tell(&ret[n], "not_asked", facts->pod.line, "%s", facts->pod.resource);
	if (facts->gid_index && beside)
		n += tell(&ret[n], "gid_table", facts->gid_line, "index %d", facts->gid_index);
	return n;
}

bool facts_weigh(const struct facts *facts, struct symptom *symptom)
{
	const struct known *known = symptom->known;
	bool indirect = false;
	bool direct = false;

	if ((known->wanted && !facts->network.wanted) ||
	    (known->apart && facts->network.one_node && !facts->network.apart) ||
	    (facts->network.missing && facts->network.wanted &&
	     (known->apart || known->wanted || strcmp(known->name, "no_network") == 0)))
		return false; /* no_hca says it */
	for (size_t i = 0; i < facts->n; i++) {
		direct = direct || facts->host[i].direct;
		indirect = indirect || facts->host[i].indirect;
	}
	symptom->verdict = SYMPTOM_EXCLUDED;
	if (strcmp(known->name, "memlock") == 0 && facts->memlock.unlimited) {
		symptom->proof = "the log says that max locked memory is unlimited";
	} else if (strcmp(known->name, "p2p_blocked") == 0 && indirect && !direct) {
		symptom->proof = "no channel of this log uses GPUDirect RDMA";
	} else if (strcmp(known->name, "memlock") == 0 && is_low(facts)) {
		symptom->proof = "the log says that max locked memory is limited";
		symptom->verdict = SYMPTOM_CONFIRMED;
	} else {
		symptom->verdict = SYMPTOM_OPEN;
	}
	return true;
}

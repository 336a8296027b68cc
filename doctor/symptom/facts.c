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

/* ibv_devinfo -v: "gid[  3]: ::ffff:10.0.0.7, roce v2"; show_gids: "mlx5_0 1 3
 * 0000:…:ffff:0a00:0007 10.0.0.7 v2 eth2" */
static void read_gid_line(struct facts *facts, const char *line, unsigned long number)
{
	const char *gid = strstr(line, "gid[");
	char digits[8];
	char text[40];
	char address[INET_ADDRSTRLEN];
	struct in_addr ignored;
	long index = 0;

	if (gid && strstr(gid, "roce v2") && strstr(gid, ":ffff:"))
		index = strtol(gid + strlen("gid["), NULL, 10);
	else if (strstr(line, "v2") && strstr(line, ":ffff:") &&
		 sscanf(line, "%*s %*s %7s %*s %15s", digits, address) == 2 &&
		 inet_pton(AF_INET, address, &ignored) == 1)
		index = strtol(digits, NULL, 10);
	/* show_gids without an IPv4 address */
	if (sscanf(line, "%*s %*d %*d %39s v%*d", text) == 1 && strchr(text, ':')) {
		if (strncmp(text, "fe80:", 5) != 0)
			facts->gid_other = true;
		else if (!facts->gid_local)
			facts->gid_local = number;
	}
	if (index <= 0 || index > INT_MAX || facts->gid_index)
		return;
	facts->gid_index = (int)index;
	facts->gid_line = number;
}

/* Shell ("max locked memory (kbytes, -l) 64", "8192" below "ulimit -l"), /proc, prlimit ("max
 * locked-in-memory address space …"); not UCX's "please set max locked memory …" */
static void read_memlock(struct facts *facts, const char *line, unsigned long number)
{
	static const char *const names[] = {"max locked memory",
					    "max locked-in-memory address space"};
	static const char query[] = "ulimit -l";
	const char *asks = strstr(line, query);
	const char *at = facts->memlock.next ? line : NULL;
	unsigned long long kib;
	bool unlimited;
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
	unlimited = strncmp(at, "unlimited", strlen("unlimited")) == 0;
	kib = strtoull(at, &end, 10);
	kib /= strstr(end, " bytes") ? 1024 : 1;
	if (!unlimited && (end == at || (*end && !isspace((unsigned char)*end))))
		return;
	facts->memlock.unlimited = unlimited;
	facts->memlock.kib = kib;
	facts->memlock.line = number;
}

static void read_network(struct facts *facts, const char *line, unsigned long number)
{
	static const char set[] = "nccl_ib_hca set to ";
	static const char *const near[] = {" nnodes 1 ", " via p2p", " via shm", NULL};
	static const char *const enabled[] = {"disable set by environment to 0", "disable=0", NULL};
	static const char *const asks[] = {"nccl_ib_", "initialize any net plugin",
					   "net/ib : using [0]", "sideband", NULL};
	const char *hcas = strstr(line, set);

	if (strstr(line, "nccl_ib_disable") ? line_has(line, enabled) : line_has(line, asks))
		facts->network.wanted = number;
	if (hcas && !facts->network.hcas[0])
		snprintf(facts->network.hcas, sizeof(facts->network.hcas), "%s",
			 hcas + strlen(set));
	if (strstr(line, "net/ib : no device found") && !facts->network.missing)
		facts->network.missing = number;
	facts->network.one_node |= line_has(line, near);
	facts->network.apart |= strstr(line, " via net/") != NULL;
	facts->network.direct |= strstr(line, "/gdrdma") != NULL;
	facts->network.indirect |= strstr(line, " via net/ib") && !strstr(line, "/gdrdma");
}

/* kubectl describe pod: "      openshift.io/rail1:    1" below "    Limits:" */
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
		snprintf(facts->pod.resource, sizeof(facts->pod.resource), "%.*s", (int)name,
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
	read_memlock(facts, line, number);
	read_network(facts, line, number);
	read_pod(facts, line, number);
	read_gid_line(facts, line, number);
	if (strncmp(line, "0 hcas found", strlen("0 hcas found")) == 0) /* not 10 */
		facts->no_hcas = number;
	ending_read(&facts->ending, line, text, number);
}

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
	vsnprintf(ret->quote, sizeof(ret->quote), quote, args);
	va_end(args);
	text_make_printable(ret->quote);
	return 1;
}

/* NCCL's buffers alone exceed 1 GiB. */
static bool is_low(const struct facts *facts)
{
	return facts->memlock.line && !facts->memlock.unlimited && facts->memlock.kib < 1 << 20;
}

size_t facts_tell(const struct facts *facts, size_t causes, size_t beside, struct symptom *ret)
{
	const struct ending *ending = &facts->ending;
	size_t n = 0;

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
	if (facts->gid_local && !facts->gid_other)
		n += tell(&ret[n], "gid_local", facts->gid_local, "fe80:… alone");
	if (facts->no_hcas && !causes)
		n += tell(&ret[n], "no_device", facts->no_hcas, "0 HCAs found");
	if (facts->gid_index && beside)
		n += tell(&ret[n], "gid_table", facts->gid_line, "index %d", facts->gid_index);
	return n;
}

bool facts_weigh(const struct facts *facts, struct symptom *symptom)
{
	const struct known *known = symptom->known;

	if ((known->wanted && !facts->network.wanted) ||
	    (known->apart && facts->network.one_node && !facts->network.apart) ||
	    (facts->network.missing && facts->network.wanted &&
	     (known->apart || known->wanted || strcmp(known->name, "no_network") == 0)))
		return false; /* no_hca reports it */
	symptom->verdict = SYMPTOM_EXCLUDED;
	if (strcmp(known->name, "memlock") == 0 && facts->memlock.unlimited) {
		symptom->proof = "the log says that max locked memory is unlimited";
	} else if (strcmp(known->name, "p2p_blocked") == 0 && facts->network.indirect &&
		   !facts->network.direct) {
		symptom->proof = "no channel of this log uses GPUDirect RDMA";
	} else if (strcmp(known->name, "memlock") == 0 && is_low(facts)) {
		symptom->proof = "the log says that max locked memory is limited";
		symptom->verdict = SYMPTOM_CONFIRMED;
	} else {
		symptom->verdict = SYMPTOM_OPEN;
	}
	return true;
}

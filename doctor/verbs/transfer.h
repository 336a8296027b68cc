/* SPDX-License-Identifier: Apache-2.0 */
/* Transfers between devices of this machine: the devices, what is registered, and what is found. */
#ifndef OCI_RDMA_VERBS_TRANSFER_H
#define OCI_RDMA_VERBS_TRANSFER_H

#include <infiniband/verbs.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "doctor/finding.h"

/* ---- how RDMA is to be tried: what the command line says of it ---- */

#define VERBS_PORT 18516 /* TCP; nobody's by IANA, next to what ib_write_bw takes */

struct verbs_options {
	const char *device;  /* "mlx5_6" or "mlx5_6:1"; NULL: all */
	bool pair;           /* also between each pair of devices, both ways */
	bool listen;         /* serve others, in the place of transfers of our own */
	const char *connect; /* to a doctor that listens at this host; NULL: no */
	const char *address; /* listen on this one; NULL: on all */
	const char *token;   /* that both sides have to know; NULL: none */
	unsigned port;       /* TCP port of listen and connect; 0: VERBS_PORT */
	unsigned clients;    /* listen: end after so many; 0: at SIGINT or SIGTERM */
	bool exec;           /* process 1 has a higher memlock limit than this one */
	size_t bytes;        /* of a message; 0: 1 MiB. Less is taken under a low memlock limit */
	size_t register_max; /* registers up to this much; 0: 256 MiB, less than which is too little
				for NCCL */

	/* Called before what may take over a second, with a line to show; or NULL */
	void (*progress)(void *context, const char *line);
	/* Called with each finding of a transfer with another pod when it is made, as a server may
	 * run for days; it is in the list as well. Or NULL */
	void (*found)(void *context, const struct finding *finding);
	void *context; /* of both */
};

/* ---- trouble (trouble.c) ---- */

/*
 * What kept a transfer from working, and the words for it: errors of verbs say little by
 * themselves, and people have searched for days at the wrong end.
 */

enum trouble_kind {
	TROUBLE_CALL,       /* a call failed; code: errno */
	TROUBLE_COMPLETION, /* a work completion with an error; code: enum ibv_wc_status */
	TROUBLE_TIMEOUT,    /* no completion came at all */
	TROUBLE_DATA,       /* it arrived, but is not what was sent */
	TROUBLE_PEER,       /* the other side gave up, and says why */
	TROUBLE_NETWORK,    /* TCP to the other side does not work */
};

struct trouble {
	enum trouble_kind kind;
	int code;
	uint32_t vendor_err;
	char text[320]; /* the evidence: one line */
};

/* Each returns -1, so that a caller can say `return trouble_…(…)`. call: "ibv_create_qp" */
int trouble_call(struct trouble *trouble, int errnum, const char *call);
int trouble_completion(struct trouble *trouble, int status, uint32_t vendor_err);
int trouble_set(struct trouble *trouble, enum trouble_kind kind, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* One line: the cause that is most likely, and what to do about it */
const char *trouble_remedy(const struct trouble *trouble);

/* "ENOMEM", or "errno 4711" in text for one without a name */
const char *trouble_errno_name(int errnum, char text[24]);

/* Why a verbs device that is there does not open, and why a registration is refused */
const char *trouble_open_remedy(int errnum);
const char *trouble_register_remedy(int errnum);

/* ---- libibverbs (device.c) ---- */

/*
 * libibverbs, loaded at run time: the doctor must start where it is not installed.
 *
 * What <infiniband/verbs.h> does inline goes through a context's own functions (ibv_post_send,
 * ibv_post_recv, ibv_poll_cq) and is called as usual. All else is called through this table: a
 * plain call would link the library.
 */

struct verbs {
	__typeof__(ibv_get_device_list) *get_device_list;
	__typeof__(ibv_free_device_list) *free_device_list;
	__typeof__(ibv_get_device_name) *get_device_name;
	__typeof__(ibv_open_device) *open_device;
	__typeof__(ibv_close_device) *close_device;
	__typeof__(ibv_query_device) *query_device;
	__typeof__(ibv_query_port) *query_port; /* fills in what _compat_ibv_port_attr has */
	__typeof__(ibv_query_gid) *query_gid;
	__typeof__(ibv_alloc_pd) *alloc_pd;
	__typeof__(ibv_dealloc_pd) *dealloc_pd;
	__typeof__(ibv_reg_mr) *reg_mr;
	__typeof__(ibv_dereg_mr) *dereg_mr;
	__typeof__(ibv_create_cq) *create_cq;
	__typeof__(ibv_destroy_cq) *destroy_cq;
	__typeof__(ibv_create_qp) *create_qp;
	__typeof__(ibv_modify_qp) *modify_qp;
	__typeof__(ibv_destroy_qp) *destroy_qp;
	/* NULL in an older library */
	__typeof__(_ibv_query_gid_ex) *query_gid_ex;  /* rdma-core 32 */
	__typeof__(ibv_reg_dmabuf_mr) *reg_dmabuf_mr; /* rdma-core 34 */
};

/*
 * Fills in the table. -1: the library cannot be loaded here, or lacks what every release of
 * this name has. It stays loaded until the process ends, as its device drivers do.
 */
int verbs_load(struct verbs *ret_verbs, struct err *err);

/* ---- a port's GID table, and what NCCL takes of it (device.c) ---- */

/* What an empty slot has in the place of an enum ibv_gid_type */
#define GID_TYPE_NONE (-1)

struct gid_entry {
	union ibv_gid gid;
	int type; /* enum ibv_gid_type, or GID_TYPE_NONE */
};

/* Room for "::ffff:255.255.255.255" and any other */
#define GID_TEXT_SIZE INET6_ADDRSTRLEN

/* As an IPv6 address, an IPv4 one behind "::ffff:" */
const char *gid_text(const union ibv_gid *gid, char text[GID_TEXT_SIZE]);

/* "RoCE v2", "RoCE v1", "InfiniBand" */
const char *gid_type_name(int type);

bool gid_is_ipv4(const union ibv_gid *gid);

/*
 * The index that NCCL >= 2.21.5 takes by itself on an Ethernet port: ncclIbGetGidIndex in its
 * src/transport/net_ib/connect.cc, with its defaults (IPv4, any address, RoCE v2). It starts at 0
 * and may stay there, whatever is in that slot.
 */
size_t gid_nccl_index(const struct gid_entry *entries, size_t n);

/*
 * The slot to use: NCCL's, or if that is empty the first that is not; n if there is none.
 * infiniband: by the link layer; NCCL takes index 0 there.
 */
size_t gid_usable_index(const struct gid_entry *entries, size_t n, bool infiniband);

/* How many leading bits two GIDs share: ports of one rail are in one subnet. */
unsigned gid_common_bits(const union ibv_gid *a, const union ibv_gid *b);

/* ---- a device (device.c) ---- */

/* The verbs devices of this process, opened, each with the port that is used and its GID. */

struct verbs_port {
	uint8_t number;
	int query_errno; /* 0: what follows is known */
	enum ibv_port_state state;
	bool infiniband; /* its link layer; else Ethernet */
	enum ibv_mtu mtu;
	uint16_t lid;
	double rate_gbps;  /* 0: unknown */
	size_t n_gids;     /* slots of the table that were read */
	size_t nccl_index; /* what NCCL takes */
	struct gid_entry nccl_gid;
	bool has_gid; /* there is one to use: */
	size_t gid_index;
	struct gid_entry gid;
};

struct verbs_device {
	char name[64];
	int open_errno;              /* 0: it is open */
	char node[96];               /* if not: /dev/infiniband/uverbsN, and */
	int node_errno;              /* what open(2) of that says; 0: it opens */
	struct ibv_context *context; /* NULL if not */
	struct ibv_device_attr attr;
	struct verbs_port *port; /* all of them */
	size_t n_ports;
	const struct verbs_port *used; /* the first that is ACTIVE and has a GID or LID, or NULL */
};

struct verbs_devices {
	const struct verbs *verbs;
	struct verbs_device *item;
	size_t n;
};

/*
 * Opens what libibverbs lists, in its order. only: "mlx5_6" or "mlx5_6:1", or NULL for all of
 * them. -1: out of memory, or (*ret_errno != 0) the list cannot be had at all.
 */
int verbs_devices_open(const struct verbs *verbs, struct arena *arena, const char *only,
		       struct verbs_devices *ret_devices, int *ret_errno);
void verbs_devices_close(struct verbs_devices *devices);

#define cleanup_verbs_devices __attribute__((cleanup(verbs_devices_close))) struct verbs_devices

/* 256 for IBV_MTU_256 and so on */
unsigned verbs_mtu_bytes(enum ibv_mtu mtu);

/* "ACTIVE", "DOWN", … */
const char *verbs_port_state_name(enum ibv_port_state state);

/* ---- setup (setup.c) ---- */

/* What the parts of one trial of the verbs devices share, for those that find something. */

struct verbs_setup {
	const struct verbs *verbs;
	const struct verbs_options *options;
	struct findings *findings;
	struct verbs_devices *devices;
	size_t bytes; /* of a message: what fits below the memlock limit */
};

/*
 * Loads the library and opens the devices. Returns 1, 0 if there is nothing to go on with (a
 * finding says why), or -1.
 */
int verbs_setup_open(struct findings *findings, const struct verbs_options *options,
		     struct verbs *verbs, struct verbs_devices *devices);

/* What to do about a trouble, also by what is known of this process. errnum: of ibv_reg_mr */
const char *verbs_setup_remedy(const struct verbs_setup *setup, const struct trouble *trouble);
const char *verbs_setup_register_remedy(const struct verbs_setup *setup, int errnum);

/* Shows a line, if anybody looks */
void verbs_setup_say(const struct verbs_setup *setup, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* ---- registration (local.c) ---- */

/*
 * How much memory ibv_reg_mr takes, found by trying: RLIMIT_MEMLOCK says one thing, CAP_IPC_LOCK,
 * user namespaces and what is pinned already say another.
 */

/* More than this is not tried: a page of the probe must not be pinned too often. */
#define REGISTRATION_MAX ((size_t)64 << 30)

struct registration {
	size_t most;    /* the largest that passed; 0: none */
	size_t refused; /* the smallest that did not; 0: all up to the maximum passed */
	int errnum;     /* why */
};

/*
 * What the probe does its search by: attempt returns 0 or an errno, and what is larger than a
 * refused amount is refused. Doubles from page to max, then halves the gap down to a page.
 */
struct registration registration_search(int (*attempt)(void *context, size_t bytes), void *context,
					size_t page, size_t max);

/* ---- an endpoint (endpoint.c) ---- */

/* One end of an RC connection: a queue pair, its completion queue, and a buffer to write from and
 * into. */

/* Work requests that may be under way */
#define ENDPOINT_DEPTH 16

struct endpoint {
	const struct verbs *verbs;
	const struct verbs_device *device;
	const struct verbs_port *port;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	char *buffer;
	size_t bytes;
	uint32_t psn; /* that of its first packet */
};

/* What the other side has to know to reach it and to write into its buffer */
struct endpoint_address {
	uint32_t qpn;
	uint32_t psn;
	uint16_t lid;
	bool infiniband;
	enum ibv_mtu mtu;
	union ibv_gid gid;
	uint64_t buffer;
	uint32_t rkey;
	size_t bytes;
};

/*
 * On device->used, which must be there; bytes: of its buffer. -1: *trouble says why, and nothing
 * is left open. The device must stay open longer than the endpoint.
 */
int endpoint_open(const struct verbs *verbs, const struct verbs_device *device, size_t bytes,
		  struct endpoint *ret_endpoint, struct trouble *trouble);
void endpoint_close(struct endpoint *endpoint);

#define cleanup_endpoint __attribute__((cleanup(endpoint_close))) struct endpoint

struct endpoint_address endpoint_address(const struct endpoint *endpoint);

/* INIT, RTR, RTS */
int endpoint_connect(struct endpoint *endpoint, const struct endpoint_address *peer,
		     struct trouble *trouble);

/* ---- amounts as people write them (setup.c) ---- */

#define AMOUNT_SIZE 80 /* for five units */

/* "8 MiB", "8 MiB + 4 KiB", "100 bytes": exact */
const char *amount_text(uint64_t bytes, char text[AMOUNT_SIZE]);

/* The same, or "unlimited" */
const char *amount_limit(rlim_t limit, char text[AMOUNT_SIZE]);

/* "1.23 GB/s = 9.8 Gb/s", of bytes in nanoseconds: decimal, as links and NCCL count */
const char *amount_rate(double bytes_per_second, char text[AMOUNT_SIZE]);

/* "1.62 us", of nanoseconds */
const char *amount_time(uint64_t ns, char text[AMOUNT_SIZE]);

/* ---- the pattern ---- */

/*
 * Data whose every word says where it belongs and to which transfer: what was not written, was
 * written elsewhere, or is of the transfer before, is found.
 */

/* What pattern_find_error returns when all of it is right */
#define PATTERN_OK SIZE_MAX

/* What a seed gives, the same each time */
void pattern_fill(void *buffer, size_t bytes, uint64_t seed);

/* The offset of the first byte that is wrong, or PATTERN_OK. */
size_t pattern_find_error(const void *buffer, size_t bytes, uint64_t seed);

/* ---- a transfer (transfer.c) ---- */

/*
 * RDMA writes between two connected endpoints, verified and measured. Nothing here waits longer
 * than TRANSFER_PATIENCE_S for a completion.
 */

#define TRANSFER_PATIENCE_S 15

struct transfer_result {
	size_t bytes;            /* of a message */
	double bytes_per_second; /* with ENDPOINT_DEPTH messages under way */
	uint64_t median_ns;      /* of one write of 8 bytes, from its post to its completion */
	uint64_t p99_ns;
	size_t writes; /* of which these two are */
};

/*
 * A verified transfer has three parts, the first and third at the receiving end: the write carries
 * an immediate value, since the writer's completion says only that the other HCA has the data; that
 * it is in memory is the receive completion's promise.
 */
int transfer_expect(struct endpoint *to, struct trouble *trouble);
int transfer_send(struct endpoint *from, const struct endpoint_address *to, size_t bytes,
		  uint64_t seed, struct trouble *trouble);
int transfer_receive(struct endpoint *to, size_t bytes, uint64_t seed, struct trouble *trouble);

/* Bandwidth and latency of writes from one to the other, in about a second */
int transfer_measure(struct endpoint *from, const struct endpoint_address *to, size_t bytes,
		     struct transfer_result *ret_result, struct trouble *trouble);

/* All of that between two endpoints of this process, which it connects */
int transfer_between(struct endpoint *from, struct endpoint *to, struct transfer_result *ret_result,
		     struct trouble *trouble);

/* "1.2 GB/s (9.6 Gb/s), writes of 1 MiB; latency 1.62 us median, 2.01 us 99th percentile" */
#define TRANSFER_TEXT_SIZE 256
const char *transfer_result_text(const struct transfer_result *result,
				 char text[TRANSFER_TEXT_SIZE]);

/* Sorts samples; the value that percent of them do not exceed (nearest rank). n > 0 */
uint64_t transfer_percentile(uint64_t *samples, size_t n, unsigned percent);

/* ---- within one node (local.c) ---- */

/* Findings of what this machine can try by itself: registration, transfers between its ports. */

/* All return -1 without memory only. */

/* Registration with each device; sets setup->bytes */
int local_registration(struct verbs_setup *setup);

/* Transfers within each device, and between each two */
int local_loopback(struct verbs_setup *setup);
int local_pairs(struct verbs_setup *setup);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/verbs/endpoint.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/random.h>

/* 4.096 us * 2^TIMEOUT = 0.5 s, and RETRIES more: enough for software devices, bearable for users.
 * NCCL uses 20 (4.3 s) and 7, endless in rdma_rxe (rxe_comp.c). */
#define TIMEOUT 17
#define RETRIES 6
#define RNR_RETRIES 7 /* endless; our deadline ends it */
#define MIN_RNR_TIMER 12
#define HOP_LIMIT 64
#define PSN_MASK 0xffffffU

static int open_queues(struct endpoint *endpoint, struct trouble *trouble)
{
	const struct verbs *verbs = endpoint->verbs;
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC,
		.cap = {.max_send_wr = ENDPOINT_DEPTH,
			.max_recv_wr = ENDPOINT_DEPTH,
			.max_send_sge = 1,
			.max_recv_sge = 1},
	};

	endpoint->pd = verbs->alloc_pd(endpoint->device->context);
	if (!endpoint->pd)
		return trouble_call(trouble, errno, "ibv_alloc_pd");
	endpoint->cq =
		verbs->create_cq(endpoint->device->context, 2 * ENDPOINT_DEPTH, NULL, NULL, 0);
	if (!endpoint->cq)
		return trouble_call(trouble, errno, "ibv_create_cq");
	init.send_cq = endpoint->cq;
	init.recv_cq = endpoint->cq;
	endpoint->qp = verbs->create_qp(endpoint->pd, &init);
	if (!endpoint->qp)
		return trouble_call(trouble, errno, "ibv_create_qp");
	return 0;
}

static int open_buffer(struct endpoint *endpoint, struct trouble *trouble)
{
	char *buffer = mmap(NULL, endpoint->bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (buffer == MAP_FAILED)
		return trouble_call(trouble, errno, "mmap");
	endpoint->buffer = buffer;
	endpoint->mr = endpoint->verbs->reg_mr(endpoint->pd, buffer, endpoint->bytes,
					       IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	if (!endpoint->mr)
		return trouble_call(trouble, errno, "ibv_reg_mr");
	return 0;
}

int endpoint_open(const struct verbs *verbs, const struct verbs_device *device, size_t bytes,
		  struct endpoint *ret_endpoint, struct trouble *trouble)
{
	*ret_endpoint = (struct endpoint){
		.verbs = verbs, .device = device, .port = &device->port, .bytes = bytes};
	/* Random, to reject an earlier connection's late packets. */
	if (getrandom(&ret_endpoint->psn, sizeof(ret_endpoint->psn), GRND_NONBLOCK) > 0)
		ret_endpoint->psn &= PSN_MASK;
	if (open_queues(ret_endpoint, trouble) < 0 || open_buffer(ret_endpoint, trouble) < 0) {
		endpoint_close(ret_endpoint);
		return -1;
	}
	return 0;
}

/* In reverse: the kernel destroys nothing in use. */
void endpoint_close(struct endpoint *endpoint)
{
	const struct verbs *verbs = endpoint->verbs;

	if (endpoint->qp)
		(void)verbs->destroy_qp(endpoint->qp);
	if (endpoint->cq)
		(void)verbs->destroy_cq(endpoint->cq);
	if (endpoint->mr)
		(void)verbs->dereg_mr(endpoint->mr);
	if (endpoint->pd)
		(void)verbs->dealloc_pd(endpoint->pd);
	if (endpoint->buffer)
		(void)munmap(endpoint->buffer, endpoint->bytes);
	*endpoint = (struct endpoint){0};
}

struct endpoint_address endpoint_address(const struct endpoint *endpoint)
{
	return (struct endpoint_address){
		.qpn = endpoint->qp->qp_num,
		.psn = endpoint->psn,
		.lid = endpoint->port->lid,
		.infiniband = endpoint->port->infiniband,
		.mtu = (uint8_t)endpoint->port->mtu,
		.gid = endpoint->port->gid,
		.buffer = (uintptr_t)endpoint->buffer,
		.rkey = endpoint->mr->rkey,
		.bytes = endpoint->bytes,
	};
}

static int modify(struct endpoint *endpoint, struct ibv_qp_attr attr, int mask,
		  struct trouble *trouble)
{
	int error = endpoint->verbs->modify_qp(endpoint->qp, &attr, IBV_QP_STATE | mask);

	return error ? trouble_call(trouble, error, "ibv_modify_qp") : 0;
}

static int to_rtr(struct endpoint *endpoint, const struct endpoint_address *peer,
		  struct trouble *trouble)
{
	const struct verbs_port *port = endpoint->port;
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu =
			port->mtu < (enum ibv_mtu)peer->mtu ? port->mtu : (enum ibv_mtu)peer->mtu,
		.dest_qp_num = peer->qpn,
		.rq_psn = peer->psn,
		.max_dest_rd_atomic = 1,
		.min_rnr_timer = MIN_RNR_TIMER,
		.ah_attr = {.port_num = port->number},
	};

	/* Ethernet has no LIDs; within an InfiniBand subnet they suffice. */
	if (port->infiniband && peer->lid) {
		attr.ah_attr.dlid = peer->lid;
	} else {
		attr.ah_attr.is_global = 1;
		attr.ah_attr.grh = (struct ibv_global_route){
			.dgid = peer->gid,
			.sgid_index = port->gid_index,
			.hop_limit = HOP_LIMIT,
		};
	}
	return modify(endpoint, attr,
		      IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
			      IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,
		      trouble);
}

int endpoint_connect(struct endpoint *endpoint, const struct endpoint_address *peer,
		     struct trouble *trouble)
{
	const struct ibv_qp_attr init = {
		.qp_state = IBV_QPS_INIT,
		.port_num = endpoint->port->number,
		.qp_access_flags = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE,
	};
	const struct ibv_qp_attr send = {
		.qp_state = IBV_QPS_RTS,
		.timeout = TIMEOUT,
		.retry_cnt = RETRIES,
		.rnr_retry = RNR_RETRIES,
		.sq_psn = endpoint->psn,
		.max_rd_atomic = 1,
	};

	if (modify(endpoint, init, IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS, trouble) <
		    0 ||
	    to_rtr(endpoint, peer, trouble) < 0)
		return -1;
	return modify(endpoint, send,
		      IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
			      IBV_QP_MAX_QP_RD_ATOMIC,
		      trouble);
}

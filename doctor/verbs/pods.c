/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/verbs/pods.h"

#include <stdio.h>
#include <unistd.h>

#include "core/base/fs.h"
#include "doctor/verbs/remote.h"
#include "lib/finding.h"

static unsigned port_of(const struct verbs_setup *setup)
{
	return setup->doctor->options.port ? setup->doctor->options.port : REMOTE_PORT;
}

static int add_transfer(struct verbs_setup *setup, const struct verbs_device *device,
			const struct remote_peer *peer, const struct trouble *trouble,
			const struct transfer_result *out, const struct transfer_result *in)
{
	char text[TRANSFER_TEXT_SIZE];
	char back[TRANSFER_TEXT_SIZE];
	char subject[400];

	snprintf(subject, sizeof(subject), "%s -> %s%s%s", device ? device->name : "?", peer->name,
		 peer->device[0] ? " " : "", peer->device);
	if (trouble)
		return findings_add(setup->findings, "verbs_remote", subject, FINDING_FAIL,
				    trouble_remedy(trouble), "%s", trouble->text);
	if (findings_add(setup->findings, "verbs_remote", subject, FINDING_OK, NULL,
			 "%s; back %s; data verified on both sides",
			 transfer_result_text(out, text), transfer_result_text(in, back)) < 0)
		return -1;
	return findings_add_values(setup->findings, "gbps=%.6g",
				   (double)out->bytes_per_second * 8 / 1e9);
}

int pods_connect(struct verbs_setup *setup)
{
	const struct verbs_devices *devices = setup->devices;
	const char *host = setup->doctor->options.connect;
	uint32_t left = 0;

	for (size_t i = 0; i < devices->n; i++)
		left += devices->item[i].usable;
	if (!left)
		return findings_add(
			setup->findings, "verbs_remote", host, FINDING_UNCHECKED,
			"see the verbs_open finding, and those of port and gid without --connect",
			"no device with an ACTIVE port to connect from");
	for (size_t i = 0; i < devices->n; i++) {
		const struct verbs_device *device = &devices->item[i];
		struct remote_peer peer = {.fd = -1};
		cleanup_endpoint endpoint = {0};
		struct transfer_result out;
		struct transfer_result in;
		struct trouble trouble;
		cleanup_fd fd = -1;
		bool failed;

		if (!device->usable)
			continue;
		left--;
		snprintf(peer.name, sizeof(peer.name), "%s", host);
		failed = endpoint_open(setup->verbs, device, setup->bytes, &endpoint, &trouble) < 0;
		if (!failed) {
			fd = remote_connect(host, port_of(setup), &trouble);
			peer.fd = fd;
			failed = fd < 0 || remote_transfer(&peer, &endpoint, true, left, &out, &in,
							   &trouble) < 0;
		}
		if (add_transfer(setup, device, &peer, failed ? &trouble : NULL, &out, &in) < 0)
			return -1;
		if (failed && trouble.kind == TROUBLE_NETWORK && !peer.device[0])
			break; /* the others would fail too */
	}
	return 0;
}

/* Our port with the GID closest to the peer's */
static const struct verbs_device *nearest(const struct verbs_devices *devices,
					  const struct endpoint_address *peer)
{
	const struct verbs_device *best = NULL;
	unsigned best_bits = 0;

	for (size_t i = 0; i < devices->n; i++) {
		const struct verbs_port *port = &devices->item[i].port;
		unsigned bits = gid_common_bits(&port->gid, &peer->gid);

		if (!devices->item[i].usable || port->infiniband != peer->infiniband)
			continue;
		if (!best || bits > best_bits) {
			best = &devices->item[i];
			best_bits = bits;
		}
	}
	return best;
}

static int serve_peer(struct verbs_setup *setup, struct remote_peer *peer)
{
	const struct verbs_device *device = nearest(setup->devices, &peer->address);
	cleanup_endpoint endpoint = {0};
	struct transfer_result out;
	struct transfer_result in;
	struct trouble trouble;
	bool failed = true;

	if (!device)
		trouble_set(&trouble, TROUBLE_NETWORK, "no ACTIVE port of its link layer here");
	else if (endpoint_open(setup->verbs, device, setup->bytes, &endpoint, &trouble) == 0)
		failed = remote_transfer(peer, &endpoint, false, 0, &out, &in, &trouble) < 0;
	if (failed && !endpoint.qp)
		remote_refuse(peer, trouble.text);
	return add_transfer(setup, device, peer, failed ? &trouble : NULL, &out, &in);
}

int pods_listen(struct verbs_setup *setup)
{
	const char *address = setup->doctor->options.address;
	struct trouble trouble;
	char subject[32];
	cleanup_fd listener = remote_listen(address, port_of(setup), &trouble);

	snprintf(subject, sizeof(subject), "TCP port %u", port_of(setup));
	if (listener >= 0)
		fprintf(stderr, "oci-rdma-doctor: listening on %s\n", subject);
	while (listener >= 0) {
		struct remote_peer peer = {.fd = -1};
		cleanup_fd fd = -1;

		if (remote_accept(listener, &peer, &trouble) < 0)
			break;
		fd = peer.fd;
		if (remote_hear(&peer, &trouble) < 0) {
			remote_refuse(&peer, trouble.text);
			fprintf(stderr, "oci-rdma-doctor: refused: %s\n", trouble.text);
			continue;
		}
		if (serve_peer(setup, &peer) < 0)
			return -1;
		if (!peer.left)
			return 0;
	}
	return findings_add(setup->findings, "verbs_listen", subject, FINDING_FAIL,
			    "choose another port, or end the program that has it (ss -ltnp)", "%s",
			    trouble.text);
}

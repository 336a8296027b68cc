/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Transfers by real verbs with one thing wrong each: that it is noticed, and named. Runs in the
 * test VM: transfer_faults DEVICE. Prints TAP.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/arena.h"
#include "doctor/verbs/registration.h"
#include "doctor/verbs/transfer.h"

#define BYTES ((size_t)65536)

static struct verbs verbs;
static const struct verbs_device *device;
static int failed;

struct link {
	struct endpoint from;
	struct endpoint to;
	struct endpoint_address from_address; /* as the other end is told */
	struct endpoint_address to_address;
	size_t bytes;  /* of a write */
	bool corrupt;  /* the receiver's memory, behind the transfer's back */
	uint64_t seed; /* what the receiver looks for; the sender's is 1 */
};

static void make_link(struct link *link)
{
	struct trouble trouble;

	*link = (struct link){.bytes = BYTES, .seed = 1};
	if (endpoint_open(&verbs, device, BYTES, &link->from, &trouble) < 0 ||
	    endpoint_open(&verbs, device, BYTES, &link->to, &trouble) < 0)
		printf("Bail out! %s\n", trouble.text);
	link->from_address = endpoint_address(&link->from);
	link->to_address = endpoint_address(&link->to);
}

/* One verified write. Returns 0, or -1 with *trouble. */
static int write_once(struct link *link, struct trouble *trouble)
{
	if (endpoint_connect(&link->from, &link->to_address, trouble) < 0 ||
	    endpoint_connect(&link->to, &link->from_address, trouble) < 0 ||
	    transfer_expect(&link->to, trouble) < 0 ||
	    transfer_send(&link->from, &link->to_address, link->bytes, 1, trouble) < 0)
		return -1;
	if (link->corrupt)
		link->to.buffer[BYTES / 2 + 3] ^= 0x10;
	return transfer_receive(&link->to, link->bytes, link->seed, trouble);
}

static void nothing(struct link *link)
{
	(void)link;
}

static void flip_a_bit(struct link *link)
{
	link->corrupt = true;
}

static void stale_data(struct link *link)
{
	link->seed = 2;
}

static void unregistered_memory(struct link *link)
{
	static char memory[BYTES];

	link->from.buffer = memory;
}

static void wrong_remote_key(struct link *link)
{
	link->to_address.rkey ^= 0x5500;
}

static void beyond_the_buffer(struct link *link)
{
	link->to_address.buffer += 4096;
}

static void no_such_queue_pair(struct link *link)
{
	link->to_address.qpn = 0xfffffe;
}

static void no_such_host(struct link *link)
{
	link->to_address.gid.raw[15] ^= 0x40;
}

static void another_connection(struct link *link)
{
	link->from_address.psn -= 4096; /* what the receiver waits for has long been sent */
}

static const struct fault {
	const char *name;
	void (*make)(struct link *link);
	bool works;
	enum trouble_kind kind;
	const char *evidence;
	const char *remedy;
} faults[] = {
	{"nothing wrong: it works", nothing, true, 0, "", ""},
	{"one bit flipped in the receiver's memory", flip_a_bit, false, TROUBLE_DATA,
	 "wrong data from byte 32771 of 65536", "take this node out of service"},
	{"the data of another transfer", stale_data, false, TROUBLE_DATA, "wrong data from byte 0",
	 "take this node out of service"},
	{"memory that is not registered", unregistered_memory, false, TROUBLE_VERBS,
	 "local protection error (status 4, ", "NCCL_NET_GDR_LEVEL=LOC"},
	{"a wrong remote key", wrong_remote_key, false, TROUBLE_VERBS,
	 "remote access error (status 10", "on the peer's node"},
	{"a write beyond the buffer", beyond_the_buffer, false, TROUBLE_VERBS,
	 "remote access error (status 10", "on the peer's node"},
	{"no such queue pair", no_such_queue_pair, false, TROUBLE_SILENCE,
	 "transport retry counter exceeded (status 12", "an MTU that the switches let through"},
	{"no such host", no_such_host, false, TROUBLE_SILENCE,
	 "transport retry counter exceeded (status 12", "GIDs in one subnet or with a route"},
	{"packets of another connection", another_connection, false, TROUBLE_SILENCE,
	 "transport retry counter exceeded (status 12", "nothing came back"},
};

static void tell(bool good, const char *name, const struct trouble *trouble)
{
	printf("%s - a transfer with a fault: %s\n", good ? "ok" : "not ok", name);
	if (good)
		return;
	printf("#   kind %d: %s\n", (int)trouble->kind, trouble->text);
	failed = 1;
}

static void run_fault(const struct fault *fault)
{
	struct trouble trouble = {.text = "no trouble at all"};
	struct link link;
	char *buffer;
	int status;

	make_link(&link);
	buffer = link.from.buffer;
	fault->make(&link);
	status = write_once(&link, &trouble);
	link.from.buffer = buffer; /* its own, for munmap */
	endpoint_close(&link.from);
	endpoint_close(&link.to);
	if (fault->works)
		tell(status == 0, fault->name, &trouble);
	else
		tell(status < 0 && trouble.kind == fault->kind &&
			     strstr(trouble.text, fault->evidence) &&
			     strstr(trouble_remedy(&trouble), fault->remedy),
		     fault->name, &trouble);
}

/* ---- GPU memory, without a GPU: what the driver says to another descriptor ---- */

static void one_finding(const char *what, const struct findings *findings, const char *id,
			const char *part)
{
	const struct finding *finding = findings->n == 1 ? findings->item : NULL;
	bool good = finding && finding->status == FINDING_FAIL && strcmp(finding->id, id) == 0 &&
		    strcmp(finding->subject, "mlx5_1 GPU 0") == 0 &&
		    strstr(finding->evidence, part) && finding->remedy[0];

	printf("%s - GPU memory: %s\n", good ? "ok" : "not ok", what);
	if (finding && !good)
		printf("#   %s: %s\n", finding->id, finding->evidence);
	failed |= !good;
}

static void gpu_memory(const struct doctor *doctor)
{
	struct arena arena = {0};
	struct findings findings = {.arena = &arena};
	int memory = memfd_create("memory", MFD_CLOEXEC);
	struct cuda_memory gpu = {.what = "GPU 0", .dmabuf = memory, .bytes = BYTES};

	if (verbs_register_gpus(&findings, doctor, &gpu, 1) < 0)
		printf("# no memory\n");
	one_finding("a descriptor that is no dma-buf", &findings, "verbs_dmabuf",
		    "ibv_reg_dmabuf_mr: ");
	findings.n = 0;
	gpu.dmabuf = -1;
	gpu.address = (void *)4096;
	if (verbs_register_gpus(&findings, doctor, &gpu, 1) < 0)
		printf("# no memory\n");
	one_finding("an address that the kernel cannot pin", &findings, "verbs_peermem",
		    "ibv_reg_mr: Bad address (EFAULT), for 64 KiB");
	(void)close(memory);
	arena_free(&arena);
}

int main(int argc, char **argv)
{
	const struct doctor_options options = {.common = {.sysroot = "/"}, .device = argv[1]};
	cleanup_doctor doctor = DOCTOR_NONE;
	struct arena arena = {0};
	struct verbs_devices devices = {0};
	struct err err = {0};
	int error;

	(void)setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc != 2 || verbs_load(&verbs, &err) < 0 || doctor_read(&options, &doctor, &err) < 0 ||
	    verbs_devices_open(&verbs, &doctor, &arena, &devices, &error) < 0 || devices.n != 1 ||
	    !devices.item[0].usable) {
		printf("Bail out! no device to test with: %s\n", err.text);
		return 1;
	}
	device = &devices.item[0];
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		run_fault(&faults[i]);
	gpu_memory(&doctor);
	verbs_devices_close(&devices);
	arena_free(&arena);
	return failed;
}

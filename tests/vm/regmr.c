/*
 * regmr: registers 256 MiB of memory with every RDMA device that libibverbs sees, as a training
 * program does. libibverbs leaves out the devices whose /dev/infiniband/uverbsN the container
 * lacks, so these are the container's own.
 *
 * Prints what decides about it (uid, limit, capabilities) and a line per device; exits 0 if all
 * went well:
 *
 *   uid=0 memlock soft=8388608 hard=8388608 CapEff=00000000800405fb
 *   mlx5_1: reg_mr 256 MiB: ENOMEM (Cannot allocate memory)
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { MIB = 256 };

static void print_limit(const char *name, rlim_t value)
{
	if (value == RLIM_INFINITY)
		printf(" %s=unlimited", name);
	else
		printf(" %s=%llu", name, (unsigned long long)value);
}

static void print_process(void)
{
	struct rlimit limit = {0};
	char line[256], caps[32] = "?";
	FILE *status = fopen("/proc/self/status", "r");

	while (status && fgets(line, sizeof(line), status))
		if (sscanf(line, "CapEff: %31s", caps) == 1)
			break;
	if (status)
		fclose(status);
	getrlimit(RLIMIT_MEMLOCK, &limit);
	printf("uid=%u memlock", (unsigned)getuid());
	print_limit("soft", limit.rlim_cur);
	print_limit("hard", limit.rlim_max);
	printf(" CapEff=%s\n", caps);
}

/* Returns 0, or prints which call failed and returns its errno. */
static int report(struct ibv_device *device, const char *call)
{
	int error = errno;

	printf("%s: %s: %s (%s)\n", ibv_get_device_name(device), call, strerrorname_np(error),
	       strerror(error));
	return error;
}

static int register_memory(struct ibv_device *device, void *memory, size_t size)
{
	struct ibv_context *context = ibv_open_device(device);
	struct ibv_pd *pd = context ? ibv_alloc_pd(context) : NULL;
	struct ibv_mr *mr = pd ? ibv_reg_mr(pd, memory, size, IBV_ACCESS_LOCAL_WRITE) : NULL;
	int error = 0;

	if (mr)
		printf("%s: reg_mr %d MiB ok\n", ibv_get_device_name(device), MIB);
	else if (pd)
		error = report(device, "reg_mr 256 MiB");
	else
		error = report(device, context ? "alloc_pd" : "open_device");
	if (mr)
		ibv_dereg_mr(mr);
	if (pd)
		ibv_dealloc_pd(pd);
	if (context)
		ibv_close_device(context);
	return error;
}

int main(void)
{
	const size_t size = (size_t)MIB << 20;
	int count = 0, failed = 0;
	struct ibv_device **devices = ibv_get_device_list(&count);
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	print_process();
	if (memory == MAP_FAILED) {
		perror("mmap");
		return 1;
	}
	if (count == 0)
		printf("no RDMA device\n");
	for (int i = 0; i < count; i++)
		failed |= register_memory(devices[i], memory, size);
	if (devices)
		ibv_free_device_list(devices);
	return count == 0 || failed != 0;
}

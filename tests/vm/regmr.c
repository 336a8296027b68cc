/*
 * regmr: registers 256 MiB of memory with every RDMA device that libibverbs sees, as a training
 * program does. libibverbs leaves out the devices whose /dev/infiniband/uverbsN the container
 * lacks, so these are the container's own. With every VFIO group of the container it maps as much
 * for DMA, as DPDK and QEMU do.
 *
 * Prints what decides about it (uid, limit, capabilities) and a line per device; exits 0 if all
 * went well:
 *
 *   uid=0 memlock soft=8388608 hard=8388608 CapEff=00000000800405fb
 *   mlx5_1: reg_mr 256 MiB: ENOMEM (Cannot allocate memory)
 *
 * With an argument it keeps what it has registered until SIGUSR1 comes, and then stays.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <infiniband/verbs.h>
#include <linux/vfio.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
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
static int report(const char *device, const char *call)
{
	int error = errno;

	printf("%s: %s: %s (%s)\n", device, call, strerrorname_np(error), strerror(error));
	return error;
}

static bool hold;

static void on_signal(int number)
{
	(void)number;
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
		error = report(ibv_get_device_name(device), "reg_mr 256 MiB");
	else
		error = report(ibv_get_device_name(device), context ? "alloc_pd" : "open_device");
	if (mr && hold)
		pause();
	if (mr)
		ibv_dereg_mr(mr);
	if (pd)
		ibv_dealloc_pd(pd);
	if (context)
		ibv_close_device(context);
	return error;
}

/* Documentation/driver-api/vfio.rst: a group, its container, the type of the IOMMU, a mapping */
static int map_for_dma(const char *path, void *memory, size_t size)
{
	struct vfio_iommu_type1_dma_map map = {.argsz = sizeof(map),
					       .flags = VFIO_DMA_MAP_FLAG_READ,
					       .vaddr = (uintptr_t)memory,
					       .size = size};
	int group = open(path, O_RDWR | O_CLOEXEC), container, error = 0;

	if (group < 0)
		return report(path, "open");
	container = open("/dev/vfio/vfio", O_RDWR | O_CLOEXEC);
	if (container < 0)
		error = report(path, "open /dev/vfio/vfio");
	else if (ioctl(group, VFIO_GROUP_SET_CONTAINER, &container))
		error = report(path, "VFIO_GROUP_SET_CONTAINER");
	else if (ioctl(container, VFIO_SET_IOMMU, VFIO_TYPE1v2_IOMMU))
		error = report(path, "VFIO_SET_IOMMU");
	else if (ioctl(container, VFIO_IOMMU_MAP_DMA, &map))
		error = report(path, "map_dma 256 MiB");
	else
		printf("%s: map_dma %d MiB ok\n", path, MIB);
	if (container >= 0)
		close(container);
	close(group);
	return error;
}

int main(int argc, char **argv)
{
	glob_t groups = {0};
	const size_t size = (size_t)MIB << 20;
	int count = 0, failed = 0;
	struct ibv_device **devices = ibv_get_device_list(&count);
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)argv;
	hold = argc > 1;
	signal(SIGUSR1, on_signal);
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
	glob("/dev/vfio/[0-9]*", 0, NULL, &groups);
	for (size_t i = 0; i < groups.gl_pathc; i++)
		failed |= map_for_dma(groups.gl_pathv[i], memory, size);
	while (hold)
		pause();
	return failed != 0 || (count == 0 && groups.gl_pathc == 0);
}

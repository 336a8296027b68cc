/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose log it is, and what to do next with one that shows nothing known: what brings its reader
 * nearer to the cause. Of several the first counts: programs come before the layers below them,
 * and words that only an error has before those that any log of a program has.
 */
#include "doctor/symptom/known.h"

/* clang-format off */
const struct known_area known_areas[] = {
	{"NIXL does not say why: run both ends again with UCX_LOG_LEVEL=info and "
	 "NIXL_LOG_LEVEL=DEBUG and give the whole logs. UCX_TLS has to leave a transport "
	 "between the nodes (rc), and UCX_NET_DEVICES has to name the pod's HCAs; "
	 "oci-rdma-doctor --verbs tests the HCAs without NIXL",
	 {"nixl_err", "nixl_agent", "nixlbackend"}},
	{"the processes meet over TCP before any RDMA: look whether the first rank's process "
	 "runs and listens, whether its name resolves in the pods (getent hosts), and whether "
	 "its port can be reached (NetworkPolicy, firewall); GLOO_SOCKET_IFNAME and "
	 "NCCL_SOCKET_IFNAME choose the interface",
	 {"rendezvousconnectionerror", "rendezvoustimeouterror", "c10d store",
	  "client socket has", "_create_tcp_store", "gloo/transport"}},
	{"read dmesg -T on the client and on the storage server from the first error on; look "
	 "at the ports (rdma link, ibv_devinfo), ping the server's RDMA address from the "
	 "client's RDMA interface, and test these two ports with ib_write_bw. For a program "
	 "in a container (SPDK, Ceph, Ganesha) run oci-rdma-doctor --verbs there; a client in "
	 "the kernel (NVMe, NFS, Lustre) has no limits of a container",
	 {"nvmf_", "nvme_", "nvmet", "nvme nvme", "spdk_", "nvme-fabrics", "rpcrdma",
	  "xprtrdma", "svcrdma", "iblnd", "lustre", "lnet: ", "lneterror", "ptlrpc", "iser:",
	  "ib_iser", "ib_srp", "gluster", "rdmastack", "infiniband.cc", "smbdirect",
	  "smb_direct", "smbd", "ceph", "beegfs", "gpfs", "mmfs", "daos", "ganesha", "nfs:",
	  "blockstore", "mount.nfs", "-client-0:", "iscsi", "tgtd:", "ioc_libcfs", "lctl",
	  "libcfs", "jbd2", "blk_update", "i/o error, dev"}},
	{"the last words of this message are the reason, and come from the CNI plugin of the "
	 "network that stands before them. Compare that network's definition (oc get "
	 "network-attachment-definition NAME -o yaml: type, master or resourceName, ipam) "
	 "with what the pod's node has (ip -d link; ls /opt/cni/bin, or the directory in the "
	 "message), and read the node's dmesg and multus' log at that time",
	 {"failedcreatepodsandbox", "error adding container to network", "error adding pod ",
	  "failed to set up pod ", "failed to setup network for sandbox", "cmdadd", "cmddel",
	  "delegate add", "delegateadd", "delegatedel", "netplugin", "cni plugin",
	  "networkplugin cni", "sriov-cni", "rdma-cni", "ipoib-cni", "macvlan", "ipvlan",
	  "whereabouts"}},
	{"look which pod of the GPU or network operator is not ready on this node (oc get "
	 "pods -A -o wide), and read the log of the first in this order: mofed (RDMA driver), "
	 "driver (GPU), toolkit, device plugin, validator; each waits for the one before. The "
	 "node's dmesg says why a module was refused",
	 {"gpu-operator", "nvidia-operator", "nvidia-driver", "driver-daemonset",
	  "nvidia container stack", "toolkit-validation", "driver-validation",
	  "operator-validator", "nicclusterpolicy", "clusterpolicy", "network-operator",
	  "k8s-driver-manager"}},
	{"read the pod's events to their end (oc describe pod), what its node has left (oc "
	 "describe node, Allocatable), and the logs of the device plugin or DRA driver, of "
	 "the SR-IOV operator (sriov-network-config-daemon) and of multus on that node; "
	 "oci-rdma-doctor on that node examines its devices and hooks",
	 {"kubelet", "podsandbox", "pod sandbox", "failedscheduling", "nodes are available",
	  "multus", "lastsyncerror", "sriov-network", "sriovnetwork", "device plugin",
	  "device-plugin", "deviceplugin", "nodeprepareresources", "resourceclaim",
	  "resourceslice", "dranet", "k8s.io/", "openshift", "machineconfig", "admission",
	  "daemonset", "crashloopback", "containererror", "kube-system", "kubernetes",
	  "is forbidden:", "fetching devices", "nodepublish", "ib-kubernetes"}},
	{"gdscheck.py -p shows what GPUDirect Storage lacks on this node, cufile.log says "
	 "what one run met, and dmesg | grep nvidia-fs what the kernel did; without it cuFile "
	 "reads through host memory, which works but is slower",
	 {"cufio", "cufile", "nvidia-fs", "nvidia_fs", "gdsio", "nvfs"}},
	{"read this log to its first error. The usual causes are a package source that cannot "
	 "be reached, kernel headers that are not those of uname -r, Secure Boot (mokutil "
	 "--sb-state), and modules that are in use (lsmod); the node's dmesg says why a "
	 "module was refused. Then ibv_devinfo on the node has to list the HCA",
	 {"mofed", "mlnx_ofed", "mlnx-ofed", "dkms", "ofed driver", "openibd", "mlxconfig",
	  "mlxfwmanager", "mstflint", "mstconfig", "flint", "modprobe:", "insmod:", "depmod",
	  "rmmod:", "nvidia-peermem", "nv_peer_mem"}},
	{"ask the engine: podman --log-level=debug run, or journalctl -u crio (containerd, "
	 "docker) on the node, says which step failed. For a permission that is denied try "
	 "another image, then without SELinux (--security-opt label=disable; ausearch -m avc) "
	 "and as root. The container's config.json (podman inspect, crictl inspect) shows its "
	 "devices, limits and hooks; oci-rdma-doctor on the node examines engines and hooks",
	 {"oci runtime", "oci permission", "oci-runtime", "runc create", "runc run", "runc:",
	  "crun", "podman", "conmon", "docker: error", "error response from daemon",
	  "container creation", "containerd", "cri-o", "crio", "nerdctl", "singularity",
	  "apptainer", "enroot", "pyxis", "nri plugin", "devices.allow", "docker-compose",
	  "buildah", "create container", "shim task", "container create", "cgroup", "seccomp",
	  "capset", "apparmor", "selinux", "nvidia-container-cli", "qemu-system", "kata",
	  "/etc/subuid", "newuidmap", "netavark", "overlayfs", "overlay/"}},
	{"look at the fabric: ibstat (the port is Active and has an SM lid), sminfo (which "
	 "subnet manager is the master, and on which node), ibqueryerrors or ibdiagnet (links "
	 "with errors), and on the switch or cable that they name; opensm.log, and for SHARP "
	 "sharp_am.log, on the node of the master subnet manager have the reason",
	 {"sharp_", "sharpd", "sharp coll", "sharp group", "used by sm", "opensm",
	  "subnet manager", "subnet admin", "ibdiagnet", "ibqueryerrors", "smpquery",
	  "perfquery", "sminfo", "saquery", "ibnetdiscover", "ibping", "umad", "ibwarn",
	  "iblinkinfo", "mad_rpc", "port_down", "port_init", "physical state:"}},
	{"run again with NVSHMEM_DEBUG=INFO and give the whole log; oci-rdma-doctor --verbs "
	 "in the container tests the HCAs without NVSHMEM",
	 {"nvshmem"}},
	{"look first whether the other side's process lives and what its log says. Then test "
	 "the same two HCAs with ib_write_bw, with and without --use_cuda=0; oci-rdma-doctor "
	 "--verbs in the container tests the container's own",
	 {"rdma_context.cpp", "transfer_engine", "mooncake", "rdma_endpoint.cpp",
	  "worker_pool.cpp", "kvtransfererror", "kv transfer", "kvcache", "kv_transfer",
	  "decode transfer", "prefill transfer", "transfer_task.cpp", "transfer failed for"}},
	{"find the part that fails: UCX_TLS=tcp,self,sm (does it work without RDMA?), then "
	 "UCX_TLS=rc,self,sm with UCX_NET_DEVICES=mlx5_0:1 (one HCA), each with "
	 "UCX_LOG_LEVEL=info (UCC_LOG_LEVEL=info), which says the transports and the first "
	 "error; ucx_info -d shows what UCX sees, oci-rdma-doctor --verbs in the container "
	 "tests the HCAs without UCX",
	 {" ucx  ", "ucx error", "ucx warn", "ucxpy", "ucx message", "ucx://", "ucp_",
	  "libuct", "uct_ib", "ucc  ", "ucc error", "ucx fatal", "ucs_", "ucp.exceptions",
	  "ucxx", "cl_basic", "cl_hier", "tl_ucp", "ucc_"}},
	{"run again with FI_LOG_LEVEL=info (under NCCL with NCCL_DEBUG=INFO, too), and look "
	 "for the first warning of the provider that is meant; fi_info -p PROVIDER (efa, "
	 "verbs, psm3, cxi) in the container shows what libfabric sees, fi_pingpong -p "
	 "PROVIDER between two whether it works. EFA needs a security group that allows all "
	 "traffic from and to itself, outbound included",
	 {"libfabric", "net/ofi", "fi_getinfo", "ofi_init", "psm2", "psm3", "hfi_userinit",
	  "mtl_ofi", "ofi::", "ofi>", "netmod/ofi", "fi_endpoint", "fi_fabric", "fi_mr_",
	  "fi_cq_", "prov/", "mpidi_ofi", "efa_", "fi_pingpong", "fi_info", "fi_domain",
	  "fi_av_"}},
	{"CUDA failed: nvidia-smi in the container (memory, driver version, with -q the "
	 "fabric's state) and dmesg | grep -i -e xid -e nvrm on the node show the state of "
	 "GPU and driver. If they are well, run with NCCL_DEBUG=INFO, and once each with "
	 "NCCL_NVLS_ENABLE=0, NCCL_P2P_DISABLE=1 and NCCL_CUMEM_ENABLE=0: the one that helps "
	 "names the part",
	 {"cuda failure", "cuda error", "nvrm: xid", "cudaerror", "cuda_error", "cuda driver",
	  "fabric manager", "fabricmanager", "initialize nvml"}},
	{"give the logs of all ranks, from their beginning, written with NCCL_DEBUG=INFO. To "
	 "find the part that fails, run all_reduce_perf of nccl-tests on one node, then on "
	 "two, and there with NCCL_IB_DISABLE=1 (TCP instead of RDMA) and "
	 "NCCL_NET_GDR_LEVEL=LOC (without GPUDirect); compare NCCL version, NCCL_ variables "
	 "and the HCAs (NET/IB : Using) of all ranks; oci-rdma-doctor in the container "
	 "(--verbs; --listen and --connect between two) tests the network without NCCL",
	 {"nccl info", "nccl warn", "rccl"}},
	{"run again with NCCL_DEBUG=INFO and give the logs of all ranks from their first "
	 "line; then on one node alone, and on two with NCCL_IB_DISABLE=1: whether these work "
	 "says if the GPUs, RDMA or the program fails; oci-rdma-doctor --verbs in the "
	 "container tests the HCAs without NCCL",
	 {"nccl", "torch.distributed", "remnode"}},
	{"find the first error of any process; if there is none, mpirun --mca "
	 "pml_base_verbose 10 --mca btl_base_verbose 10 (Intel MPI: I_MPI_DEBUG=10) says "
	 "which transport each process takes and why it leaves out the others; ucx_info -d "
	 "and fi_info in the container show what these see; oci-rdma-doctor --verbs in the "
	 "process's container tests the HCAs without MPI. What a daemon starts has the "
	 "daemon's limits: mpirun bash -c 'ulimit -l'",
	 {"mpi_", "mpi:", "mpirun", "mpiexec", "pmix", "mca_", "/orted", "orte ", "orte_",
	  "pml framework", "btl framework", "prte", "open mpi", "mpich", "mpid_", "hydra_",
	  "mvapich", "i_mpi", "mpi startup", "mpi processes", "btl_", "pml_", "hcoll",
	  "openib", "(ucc", "tl_sharp", "component selected", "for component"}},
	{"find the first error of any process, which is often not the last one that is "
	 "printed. If it is one of communication, run again with NCCL_DEBUG=INFO and give the "
	 "logs of all ranks; oci-rdma-doctor --verbs in the container tests the HCAs without "
	 "the program",
	 {"traceback (most recent", "torchrun", "raylet", "ray::", "vllm", "sglang", "horovod",
	  "deepspeed", "megatron", "engine core", "exited with", "exitcode", "exit code",
	  "core dumped", "terminate called", "segmentation fault", "caught signal", "sigsegv",
	  "sigabrt"}},
	{"read the node's dmesg -T from the first such line on, and from boot on what the "
	 "driver and its firmware say (ethtool -i, rdma link, rdma statistic show). If the "
	 "HCA's commands fail, compare driver and firmware with the vendor's list and reset "
	 "or restart; if single operations fail, look for the program or storage client that "
	 "uses them",
	 {"mlx5_core", "mlx5_ib", "mlx4_core", "mlx4_ib", "mlx5_cmd", "mlx5_poll", "mlx4_en",
	  "bnxt_re", "bnxt_en", "irdma", "rdma_rxe", "rdmavt", "siw:", "erdma", "qedr",
	  "hns_roce", "ib_core", "ib_cm", "infiniband mlx", "infiniband roce", "ib_ipoib",
	  "efa 00", " ice 00", "i40iw", "hfi1", "aer: ", "pcieport", "ionic_", "mana_",
	  "kernel: ", "call trace:", "blocked for more than", "tainted:", "rxe_cfg",
	  "syndrome", "pci 0000:", "netdev watchdog", "tx timeout", "dmar:", "amd-vi:",
	  "soft lockup", "rtnetlink", "segfault at", "general protection"}},
	{"test one thing at a time: ibv_devinfo (the device is there, its port ACTIVE), the "
	 "GID index on both ends (show_gids), ping between the two RDMA addresses, then "
	 "ib_write_bw -d DEVICE -x INDEX on both ends; oci-rdma-doctor --verbs in the "
	 "container, and with --listen and --connect between two, does it and says which call "
	 "fails",
	 {"ib_write", "ib_send_", "ib_read_", "perftest", "rping", "pingpong", "qperf", "rdma",
	  "infiniband", "ibv_", "verbs", " roce", "/roce", "rocev", "create qp", "iwarp",
	  "failed to modify qp", "hca's", "read remote address", "server and client", "uccl",
	  "completion with error", "bad completion"}},
	{"a library does not fit or is missing in the image: ldd on the program, ldconfig -p "
	 "and pip list in the container show what is there; compare its versions with those "
	 "of the node's drivers (nvidia-smi, ofed_info -s, modinfo -F version mlx5_core)",
	 {"cannot open shared object", "cannot open dynamic library", "undefined symbol",
	  "importerror", "modulenotfounderror", "glibc_", "symbol lookup error", "version `"}},
	{"it is TCP/IP that fails here, before or beside RDMA: from the same container, "
	 "getent hosts NAME, ping, and a TCP connection to the port; on the other side ss "
	 "-ltn. Look at NetworkPolicy and firewall, and which interface the program chose",
	 {"connection refused", "connection reset", "no route to host",
	  "network is unreachable", "network is down", "name or service not known",
	  "name resolution", "could not resolve", "couldn't connect", "failed to connect",
	  "address already in use", "broken pipe", "assign requested address",
	  "unable to bind", "unable to listen", "bind failed"}},
	{"a limit or a permission: grep -i locked /proc/PID/limits of the failing process, id "
	 "and grep Cap /proc/PID/status, df /dev/shm, the pod's memory limit, and ausearch -m "
	 "avc on the node; oci-rdma-doctor in the container compares them with what RDMA needs",
	 {"permission denied", "operation not permitted", "cannot allocate memory",
	  "out of memory", "oom-kill", "oomkill", "no space left", "resource temporarily",
	  "too many open files"}},
	{"run oci-rdma-doctor in the container that wrote this log, and again with --verbs; "
	 "give more of the log, from the program's start: for NCCL one written with "
	 "NCCL_DEBUG=INFO, for UCX one with UCX_LOG_LEVEL=info, for a pod that does not start "
	 "its events (oc describe pod), for a node its dmesg -T",
	 {NULL}},
};
/* clang-format on */

const size_t n_known_areas = sizeof(known_areas) / sizeof(*known_areas);
_Static_assert(sizeof(known_areas) / sizeof(*known_areas) < 32, "a bit for each");

const char *known_next_step(unsigned areas)
{
	size_t i = 0;

	while (i < n_known_areas - 1 && !(areas & 1u << i))
		i++;
	return known_areas[i].step;
}

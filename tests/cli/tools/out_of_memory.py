"""The shim, the hook and the dry run, with each allocation failing in turn. TAP on stdout; run by out-of-memory.sh.

  out_of_memory.py HOOK NODE DIR     as system_call_faults.py; HOOK is linked to nomem.c, which makes its allocations fail
"""
import json
import os
import resource
import signal
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import system_call_faults as faults
from system_call_faults import IMAGE, MEMLOCK, Place, Suite, read


def failing(place, number, every):
    """A command's environment: its allocation of that number fails."""
    told = f"{place.dir}/told"
    if os.path.exists(told):
        os.unlink(told)
    return {"NOMEM_AT": str(number), "NOMEM_TOLD": told, **({"NOMEM_ALL": "1"} if every else {})}


def unconcerned(suite, prepare, command):
    """How many allocations there are before it is known that a container has no RDMA; one that has cannot be told before either"""
    place, number = suite.places[0], 0
    while True:
        number += 1
        prepare(place)
        command(place, failing(place, number, False))
        if not os.path.exists(f"{place.dir}/told"):
            return number - 1


# Of the proof itself: the device's path, its parent's, its place and its entry
PROOF = 4


def sweep(suite, name, one, checks, before=0, policies=("warn", "fail")):
    """
    one(place, number, every, on_error, case) runs a command and returns (full, silent); until no allocation fails any more.
    before: so many allocations may fail before the container is known to be one with RDMA
    """
    totals = []

    def work(place, task):
        every, on_error = task
        for number in range(1, 5000):
            case = f"allocation {number}{' and all behind it' if every else ''}, on_error {on_error}"
            full, silent = one(place, number, every, on_error, case)
            if not os.path.exists(f"{place.dir}/told"):
                break
            if on_error == "fail":
                checks.that("on_error fail: success or one clear line, once it is known to have RDMA", case,
                            full or not silent or number <= before + PROOF, f"known behind {before}")
        checks.that("without a failure it works", case, full)
        totals.append(number - 1)
    suite.sweep([(every, on_error) for every in (False, True) for on_error in policies], work)
    checks.report(f"{name}, {sum(totals)} times without memory")


def shim(suite, name, prepare, prepare_none, arguments, target):
    checks = suite.checks

    def one(place, number, every, on_error, case):
        prepare(place)
        result = place.run(arguments(place), on_error, env=failing(place, number, every))
        outcome = faults.Outcome(place, result, arguments(place), target)
        checks.that("no crash: the runtime is started silently, or one line says why not", case,
                    outcome.ran and outcome.silent or result.status in (1, 127) and result.err.count(b"\n") == 1, str(outcome))
        checks.that("the file is the old or the new one, whole", case, outcome.file in ("old", "new"), str(outcome))
        checks.that("no temporary file is left", case, not outcome.left, str(outcome))
        return outcome.full, not result.err
    before = unconcerned(suite, prepare_none, lambda place, env: place.run(arguments(place), "fail", env=env))
    sweep(suite, name, one, checks, before)


def hook(suite):
    checks, good = suite.checks, suite.new["image"]

    def one(place, number, every, on_error, case):
        place.fresh("rdma", image=IMAGE)
        place.begin_limited()
        result = place.run(place.hook(on_error), on_error, stdin=place.put_state(), env=failing(place, number, every))
        conf = read(f"{place.etc}/nccl.conf")
        full = result.status == 0 and conf == good and place.limit() == (MEMLOCK[1], MEMLOCK[1]) and not result.err
        checks.that("no crash, and at most one line", case, result.status in (0, 1) and result.err.count(b"\n") <= 1, str(result))
        checks.that("nccl.conf is the old or the new one, whole", case, conf in (IMAGE, good), repr(conf))
        checks.that("no temporary file is left", case, not place.temporaries())
        checks.that("a failed status says why", case, result.status == 0 or result.err, str(result))
        if on_error == "warn":
            checks.that("on_error warn: the container starts", case, result.status == 0, str(result))
        return full, not result.err

    def prepare_none(place):
        place.fresh("none")
        place.begin_limited()
    before = unconcerned(suite, prepare_none, lambda place, env: place.run(place.hook("fail"), "fail", stdin=place.put_state(), env=env))
    sweep(suite, "createRuntime", one, checks, before)


def precreate(suite):
    """It hands on the whole text, edited or as it was; or one line says why not."""
    checks, good = suite.checks, suite.new["config"]

    def run(place, on_error, env):
        return place.run(place.precreate(on_error), on_error, stdin=place.config, env=env)

    def one(place, number, every, on_error, case):
        place.fresh("rdma")
        result = run(place, on_error, failing(place, number, every))
        whole = result.status == 0 and result.out in (good, suite.text["rdma"])
        clear = result.status == 1 and result.err.count(b"\n") == 1
        checks.that("one text, whole, or one line that says why not", case, whole or clear, str(result))
        return result.status == 0 and result.out == good, not result.err
    before = unconcerned(suite, lambda place: place.fresh("none"), lambda place, env: run(place, "fail", env))
    sweep(suite, "precreate", one, checks, before)


# ---- what only reads, and says all that it finds ----

# Two virtual functions, of which one has a port without a use; one that is vfio's; and a GPU behind a translating IOMMU
MUCH = {"functions": [
    {"pci": "0000:3b:00.0", "ibdev": "mlx5_2", "netdev": "eno5np0", "numa": 0, "vfs": [
        {"pci": "0000:3b:02.5", "driver": "vfio-pci"},
        {"pci": "0000:3b:02.6", "ibdev": "mlx5_6", "netdev": "eno5v0", "ip": "10.0.103.6"}]},
    {"pci": "0000:5d:00.0", "ibdev": "mlx5_3", "numa": 1, "iommu": "DMA-FQ", "vfs": [
        {"pci": "0000:5d:00.3", "ibdev": "mlx5_7", "netdev": "eno6v0", "ports": [
            {"state": "DOWN", "phys_state": "3: Disabled", "ip": "10.0.104.7"}, {"link_layer": "InfiniBand"}]}]},
    {"pci": "0000:18:00.0", "gpu": 0, "numa": 0, "iommu": "DMA-FQ"}]}
HOST_NETWORK = {"linux": {"namespaces": [{"type": "mount"}]}}
ALLOCATED = {"allocate": [{"resource": "a/b", "devices": {"0000:3b:02.6": "mlx5_6", "0000:5d:00.3": "mlx5_9"}}],
             "devices": [["/dev/infiniband/uverbs7", 231, 199], ["/dev/vfio/1", 243, 0], ["/dev/nvidia0", 195, 0]],
             "env": ["PCIDEVICE_A_C=0000:99:00.0", "NCCL_NET_GDR_LEVEL=5"], "merge": HOST_NETWORK}
ALL = {"frameworks": {"ucx": True, "nvshmem": True, "deepep": True, "gloo": True}, "seccomp": "amend", "namespaces": ["team-*"],
       "nccl": {"socket_ifname": "rdma", "gid_index": "legacy", "gdr_level": "PHB", "extra": {"NCCL_IB_TC": "106"}}}
READERS = {
    "allocated devices": (ALLOCATED, ALL, ("text", "json", "spec", "nccl")),
    "devices without a GID": (ALLOCATED, {"nccl": {"gid_index": "legacy", "socket_ifname": "=eth0"}, "memlock": "8Mi"}, ("text",)),
    "DRA's devices": ({"dra": {"0000:3b:02.6": "mlx5_6", "0000:5d:00.3": "mlx5_7"}}, ALL, ("text",)),
    "a privileged container": ({"privileged": True, "env": ["PCIDEVICE_A_B=0000:3b:02.6,0000:5d:00.3"]}, {}, ("text",)),
    "every virtual function": ({"privileged": True}, {"privileged_scan": True}, ("text",)),
    "no device": ({}, {"on_no_device": "tcp"}, ("text",)),
    "another namespace": (ALLOCATED, {"namespaces": ["team-b"]}, ("text",)),
}


def said(suite, name, command):
    """Its text, whole, or one line that says why not"""
    checks = suite.checks
    good = suite.places[0].run(command)
    checks.that("control: it has much to say", name, good.status == 0 and good.out, str(good))

    def one(place, number, every, _, case):
        result = place.run(command, env=failing(place, number, every))
        same = (result.status, result.out, result.err) == (good.status, good.out, good.err)
        clear = result.status == 1 and result.err.count(b"\n") == 1
        checks.that("the same, whole, or one line that says why not", case, same or clear, str(result))
        return same, not result.err
    sweep(suite, name, one, checks, -PROOF, policies=("fail",))


def readers(suite):
    node, number = f"{suite.dir}/much", 0
    suite.must(sys.executable, "-IS", "tests/nodes/mknode", json.dumps(MUCH), node)
    for name, (case, config, forms) in READERS.items():
        number += 1
        policy, bundle = f"{suite.dir}/much{number}.json", f"{suite.dir}/much{number}"
        faults.write(policy, json.dumps(config).encode())
        suite.must(sys.executable, "-IS", "tests/bundles/mkbundle", json.dumps(case), bundle)
        for form in forms:
            said(suite, f"dry run, {name}, {form}", [suite.hook, "--sysroot", node, "--config", policy, "--dry-run", "--format", form, bundle])


def main():
    signal.alarm(3600)  # for a child that hangs; the whole takes seconds
    resource.setrlimit(resource.RLIMIT_MEMLOCK, MEMLOCK)
    suite = Suite(*sys.argv[1:4])
    faults.only_root(suite)
    try:
        shim(suite, "create", faults.prepare_create, faults.prepare_none, Place.create, "config")
        shim(suite, "exec", faults.prepare_exec, faults.prepare_none, Place.exec_process, "process")
        hook(suite)
        precreate(suite)
        readers(suite)
    finally:
        for place in suite.places:
            place.end()


if __name__ == "__main__":
    main()

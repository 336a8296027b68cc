#!/bin/bash
# Killed, or failed by the kernel, at each system call in turn: files stay whole, and who must start starts.
# It runs in a mount namespace of its own, in which /usr/bin/crun, the default runtime, is a harmless one and /run is empty.
cd "$(dirname "$0")/../.." || exit 1
if [ "${OWN_NAMESPACE-}" != yes ]; then
	if unshare --mount true 2>/dev/null; then OWN_NAMESPACE=yes exec unshare --mount "$0"; fi
	echo "ok - faults # skip: mount namespaces are not allowed here"
	exit 0
fi
TOOL=${TOOL:-faults}
. tests/cli/setup.bash
exec 3>&- # of tests/run: descriptors are counted here
node one
for name in rdma none; do
	device='"/dev/fuse",10,229'
	if [ $name = rdma ]; then device='"/dev/infiniband/uverbs6",231,198'; fi
	bundle "{\"devices\":[[$device]],\"merge\":{\"root\":{\"path\":\"rootfs\"}}}"
	mv "$B" "$T/$name"
done
mkdir "$T/bin" "$T/rt"
ln -s "$HOOK" "$T/bin/oci-rdma-runtime"
cp "$(realpath /bin/echo)" "$T/rt/echo"
cp "$HOOK" "$T/rt/static"
"${CC:-gcc}" -O1 -shared -fPIC -D_GNU_SOURCE -o "$T/nomem.so" tests/cli/tools/nomem.c || exit 1
mount -t tmpfs -o mode=755 run /run || exit 1
if [ ! -e /usr/bin/crun ]; then
	mkdir /run/new /run/work
	mount -t overlay -o lowerdir=/usr/bin,upperdir=/run/new,workdir=/run/work overlay /usr/bin || exit 1
	: >/usr/bin/crun
fi
mount --bind "$T/rt/echo" /usr/bin/crun || exit 1
"$PYTHON" -BIS "tests/cli/tools/$TOOL.py" "$HOOK" "$NODE" "$T" || fail "$TOOL.py: status $?"
finish

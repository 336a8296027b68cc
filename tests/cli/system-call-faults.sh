#!/bin/bash
# Killed, or failed by the kernel, at each system call in turn: files stay whole, and who must start starts.
# It runs in a mount namespace of its own, in which /usr/bin/crun, the default runtime, is a harmless one and /run is empty.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/namespace.bash "faults"
TOOL=${TOOL:-system_call_faults}
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
ln -s "$HOOK" "$T/bin/oci-rdma-runtime-crun"
# Static, as it is started some thousand times
"${CC:-gcc}" -O1 -static -x c -o "$T/rt/echo" - <<-'END' || exit 1
	#include <stdio.h>
	int main(int argc, char **argv)
	{
		for (int i = 1; i < argc; i++)
			printf("%s%c", argv[i], i + 1 < argc ? ' ' : '\n');
	}
END
empty_run
default_runtime "$T/rt/echo"
"$PYTHON" -BIS "tests/cli/tools/$TOOL.py" "$HOOK" "$NODE" "$T" || fail "$TOOL.py: status $?"
finish

#!/bin/bash
# hook.sh for the hook as distributions link it: glibc's shared library asks the kernel for more than musl does, and what the
# filter does not know kills it.
export HOOK=${BUILD:-build}/tests/oci-rdma-hook-dynamic
exec "$(dirname "$0")/hook.sh"

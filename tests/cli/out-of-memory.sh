#!/bin/bash
# Each allocation fails in turn, in every entry point. The executable is linked dynamically for that, from the same objects.
# builds: tests/oci-rdma-hook-dynamic
cd "$(dirname "$0")/../.." || exit 1
TOOL=out_of_memory HOOK=${BUILD:-build}/tests/oci-rdma-hook-dynamic exec tests/cli/system-call-faults.sh

#!/bin/bash
# Each allocation fails in turn, in every entry point, also those of the libraries: a program of the same objects, whose malloc is
# tests/cli/tools/nomem.c's.
# builds: tests/oci-rdma-hook-nomem
cd "$(dirname "$0")/../.." || exit 1
TOOL=out_of_memory HOOK=${BUILD:-build}/tests/oci-rdma-hook-nomem exec tests/cli/system-call-faults.sh

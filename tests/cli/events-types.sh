#!/bin/bash
# events.sh with one judge more: Kubernetes' own types read what was posted. It takes minutes to compile them, so `make check` runs events.sh alone.
# packages: events
# builds: oci-rdma-events tests/kubecheck
cd "$(dirname "$0")/../.." || exit 1
KUBECHECK=$(realpath "${BUILD:-build}/tests/kubecheck") exec tests/cli/events.sh

#!/bin/bash
# oci-rdma-nri connects to a runtime that has containers already: which of them were missed while it was away, by a peer that plays the runtime
# (tests/cli/tools/nri_missed.py).
cd "$(dirname "$0")/../.." || exit 1
# Its log goes to stderr where nobody listens on /dev/log.
if [ -e /dev/log ] && [ "${OWN_NAMESPACE-}" != yes ]; then
	if ! unshare --mount true 2>/dev/null; then
		echo "ok - oci-rdma-nri # skip: /dev/log is there, and mount namespaces are not allowed here"
		exit 0
	fi
	OWN_NAMESPACE=yes exec unshare --mount bash -c 'mount --bind /dev/null /dev/log && exec tests/cli/nri-missed.sh'
fi
. tests/cli/setup.bash
built NRI "${BUILD:-build}/oci-rdma-nri"
"$PYTHON" -IS tests/cli/tools/nri_missed.py "$NRI" "$T" || failed=1
finish

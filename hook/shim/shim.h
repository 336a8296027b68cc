/* SPDX-License-Identifier: Apache-2.0 */
/* Edits the spec before crun or runc reads it. */
#pragma once

/* Passes on arguments, environment, directory and descriptors unchanged. Returns only without a
 * runtime, or if an RDMA container must fail. Options: the engine's OCI_RDMA_CONFIG and
 * OCI_RDMA_SYSROOT, never the container's. */
int shim_run(int argc, char **argv);

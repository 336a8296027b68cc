/* SPDX-License-Identifier: Apache-2.0 */
/* Edits the spec before crun or runc reads it. */
#pragma once

/* Passes arguments, environment, directory and descriptors on as they came. Returns only if there
 * is no runtime, or if an RDMA container must fail. Options come from the engine's environment,
 * never the container's: OCI_RDMA_CONFIG, OCI_RDMA_SYSROOT. */
int shim_run(int argc, char **argv);

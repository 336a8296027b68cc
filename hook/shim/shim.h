/* SPDX-License-Identifier: Apache-2.0 */
/* Edits the spec before crun or runc reads it, and so reaches what no hook can: environment,
 * capabilities, and what exec starts. */
#pragma once

/* Executes the real runtime with arguments, environment, directory and descriptors as they came.
 * Returns only if there is none, or if an RDMA container must fail. Options come from the engine's
 * environment, never the container's: OCI_RDMA_CONFIG, OCI_RDMA_SYSROOT. */
int shim_run(int argc, char **argv);

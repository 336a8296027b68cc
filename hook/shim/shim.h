/* SPDX-License-Identifier: Apache-2.0 */
/*
 * oci-rdma-runtime, in front of crun or runc: the same plan, put into the process spec before the
 * runtime reads it. This reaches what no hook can: environment, capabilities, and what exec starts.
 */
#pragma once

/*
 * argv: the runtime's own command line. Ends in execv of the real runtime, with arguments,
 * environment, directory and descriptors as they came; returns an exit status only where there is
 * no runtime, or where an RDMA container could not be served and the config says to fail then.
 *
 * Options come by OCI_RDMA_CONFIG and OCI_RDMA_SYSROOT: the engine's environment, never the
 * container's.
 */
int shim_run(int argc, char **argv);

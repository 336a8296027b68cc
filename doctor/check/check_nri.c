/* SPDX-License-Identifier: Apache-2.0 */
/* check.h declares it. NRI plugin status (lib/nri_status.h), entry points */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>

#include "core/base/fs.h"
#include "core/base/names.h"
#include "doctor/check/check.h"
#include "explain/entry_points.h"
#include "lib/nri_socket.h"
#include "lib/nri_status.h"
#include "lib/records.h"

#define UNIT NRI_NAME "-a.service"
#define START                                                                                      \
	"systemctl enable --now " UNIT " " NRI_NAME "-b.service; if it runs as a DaemonSet: "      \
	"kubectl describe its pod"

static enum nri_socket socket_of(const struct doctor *doctor)
{
	cleanup_fd fd = fs_open(doctor->node.root, NRI_SOCKET, O_PATH, RESOLVE_IN_ROOT);

	return nri_socket_of(fd, doctor->node.recorded);
}

static int add_absent(const struct doctor *doctor, struct findings *findings, unsigned ways)
{
	const char *text[] = {
		[NRI_SOCKET_ABSENT] = "off, or none",
		[NRI_SOCKET_DEAD] = "off: nothing listens at its socket",
		[NRI_SOCKET_LIVE] = "on",
	};
	cleanup_fd wants =
		tree_open_dir(doctor->node.root, "etc/systemd/system/multi-user.target.wants");
	struct stat st;

	if (wants >= 0 && fstatat(wants, UNIT, &st, AT_SYMLINK_NOFOLLOW) == 0)
		return findings_add(findings, "nri", NULL, FINDING_WARN,
				    "systemctl status " UNIT "; journalctl -u " UNIT,
				    NRI_NAME " is enabled, but not running (there is no /%s)",
				    NRI_STATUS_PATH);
	if (!ways)
		return 0;
	return findings_add(findings, "nri", NULL, FINDING_OK, NULL,
			    "the engine has NRI %s (/%s), and no " NRI_NAME " runs",
			    text[socket_of(doctor)], NRI_SOCKET);
}

static int add_connected(const struct doctor *doctor, struct findings *findings,
			 const struct nri_status *status, struct err *err)
{
	size_t n[RECORD_RESULTS] = {0};
	bool all = status->n_connected == status->n_found;
	const char *which = status->n_found == 1
				    ? ""
				    : arena_printf(findings->arena, "%u of %u plugins are ",
						   status->n_connected, status->n_found);
	bool well;

	if (records_count(doctor->node.root, 0, n, err) < 0)
		return -1;
	well = all && !n[RECORD_FAILED];
	return findings_add(
		findings, "nri", NULL, well ? FINDING_OK : FINDING_WARN,
		well  ? NULL
		: all ? "oci-rdma-hook --dry-run ID, and oci-rdma-nri --check"
		      : "systemctl status 'oci-rdma-nri-*', or the DaemonSets' pods of this node",
		"%sconnected to %s %s since %s; of the containers %zu granted, %zu denied, %zu "
		"failed, %zu missed (/" RECORD_DIR ")",
		which ? which : "", status->runtime ? status->runtime : "a runtime",
		status->version ? status->version : "", status->since, n[RECORD_GRANTED],
		n[RECORD_DENIED], n[RECORD_FAILED], n[RECORD_MISSED]);
}

static int add_plugin(const struct doctor *doctor, struct findings *findings, unsigned ways,
		      struct err *err)
{
	struct nri_status status;

	if (nri_status_find(findings->arena, doctor->node.root, doctor->node.recorded, &status,
			    err) < 0)
		return err->errnum == ENOMEM
			       ? -1
			       : findings_add(findings, "nri", NULL, FINDING_UNCHECKED, NULL, "%s",
					      err->text);
	switch (status.state) {
	case NRI_ABSENT:
		return add_absent(doctor, findings, ways);
	case NRI_ENDED:
		return findings_add(findings, "nri", NULL, FINDING_WARN, START,
				    NRI_NAME " has ended unexpectedly (process %" PRId64
					     " of /%s): new containers are not served",
				    status.pid, NRI_STATUS_PATH);
	case NRI_HANGS:
		return findings_add(findings, "nri", NULL, FINDING_WARN,
				    "systemctl restart " UNIT
				    "; if it runs as a DaemonSet: kubectl delete its pod",
				    NRI_NAME " hangs: process %" PRId64
					     " has written no /%s for more than %d s, so that new "
					     "containers are not served",
				    status.pid, NRI_STATUS_PATH, NRI_STATUS_OLD_MS / 1000);
	case NRI_UNCONNECTED:
		return findings_add(
			findings, "nri", NULL, FINDING_WARN,
			socket_of(doctor) == NRI_SOCKET_LIVE
				? "journalctl -t " NRI_NAME
				: "Switch NRI on in the engine (doc/install-kubernetes.md), or "
				  "take the plugin away",
			NRI_NAME
			" is not connected: %s (/%s), so that new containers are not served",
			status.trouble ? status.trouble : "the reason is not known",
			NRI_STATUS_PATH);
	case NRI_SERVES:
		break;
	}
	return add_connected(doctor, findings, &status, err);
}

int check_nri(const struct doctor *doctor, struct findings *findings)
{
	unsigned ways;
	bool exec;

	if (ways_find(findings->arena, doctor->node.root, doctor->node.recorded, &ways,
		      &findings->err) < 0)
		return -1;
	if (add_plugin(doctor, findings, ways, &findings->err) < 0)
		return -1;
	if (!ways)
		return 0; /* hook_installed reports it */
	exec = ways & (WAY_SHIM | WAY_NRI);
	return findings_add(
		findings, "entry_points", NULL, FINDING_OK, NULL, "%s: the limit reaches %s; %s",
		ways_names(ways).text, exec ? "exec as well" : "only the main process",
		ways & WAY_SHIM        ? "the shim adds CAP_IPC_LOCK"
		: ways & WAY_PRECREATE ? "precreate adds CAP_IPC_LOCK to podman's main process"
				       : "none adds CAP_IPC_LOCK");
}

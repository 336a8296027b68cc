/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/verbs/trouble.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "doctor/symptom/symptom.h"

const char *trouble_errno_name(int errnum, char text[24])
{
	const char *name = strerrorname_np(errnum);

	if (name)
		return name;
	snprintf(text, 24, "errno %d", errnum);
	return text;
}

int trouble_set(struct trouble *trouble, enum trouble_kind kind, const char *format, ...)
{
	va_list args;

	trouble->kind = kind;
	va_start(args, format);
	vsnprintf(trouble->text, sizeof(trouble->text), format, args);
	va_end(args);
	return -1;
}

int trouble_call(struct trouble *trouble, int errnum, const char *call)
{
	char name[24];

	return trouble_set(trouble, TROUBLE_VERBS, "%s: %s (%s)", call, strerror(errnum),
			   trouble_errno_name(errnum, name));
}

const char *trouble_open_remedy(int errnum)
{
	switch (errnum) {
	case EPERM:
		return "the container's device cgroup does not allow this device file, or the "
		       "device belongs to another RDMA network namespace: let the pod request it "
		       "from its device plugin";
	case EACCES:
		return "the file's mode, SELinux or AppArmor forbids it: look at ls -lZ "
		       "/dev/infiniband and the audit log; mode 0 in a pod with hostUsers: false "
		       "comes from CRI-O with crun: use CDI or runc; infiniband_device_t means the "
		       "host's "
		       "own file, mounted into a container without root: run setsebool -P "
		       "container_use_devices 1 on the node";
	case ENOENT:
	case ENXIO:
	case ENODEV:
		return "the file in /dev has another number than the kernel's device: create the "
		       "container again, so that the device plugin gives it the current one";
	case EAGAIN: /* kernel/cgroup/rdma.c */
		return "the rdma cgroup controller refuses it: raise hca_handle in rdma.max";
	default:
		return "read what the device's driver says in the kernel log";
	}
}

const char *trouble_remedy(const struct trouble *trouble)
{
	const char *known;

	switch (trouble->kind) {
	case TROUBLE_SILENCE:
		return "nothing came back: both ends need RoCE v2 GIDs in one subnet or with a "
		       "route between them, an MTU that the switches let through, and the same PFC "
		       "and ECN settings; ping -M do from that interface tests it";
	case TROUBLE_DATA:
		return "data is corrupted between the HCA and memory: take this node out of "
		       "service; PCI (AER) and memory (MCE) errors in the kernel log confirm it";
	case TROUBLE_NETWORK:
		return "start oci-rdma-doctor --verbs --listen of the same version there first; "
		       "network policies and firewalls have to admit its TCP port";
	case TROUBLE_PEER:
		return "look at what the other side reports";
	default:
		known = symptom_fix(trouble->text);
		return known ? known : "read what the device's driver says in the kernel log";
	}
}

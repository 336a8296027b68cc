/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a message of NCCL, UCX, perftest, Kubernetes or the kernel means. Each cause that a log
 * shows becomes one finding "symptom", its subject the symptom's name: the evidence is the cause,
 * said as strongly as it is sure, and the first line that shows it; the remedy ends with the ids of
 * the findings that confirm it and the thread that it is known from. A log that explains nothing
 * that fails, but has a line like an error, gets a last one that is not checkable and has no
 * subject: what to run next. So does one without anything known, and an empty one.
 *
 * Texts may be of any size and hold anything: memory is constant, and of a line that is longer than
 * a log's lines are, pieces are looked at.
 */
#ifndef OCI_RDMA_DOCTOR_SYMPTOM_H
#define OCI_RDMA_DOCTOR_SYMPTOM_H

#include <stddef.h>

#include "core/base/err.h"
#include "doctor/finding.h"

/* One message, or lines of a log; text need not end with a NUL. Returns 0, or -1 without memory. */
int symptom_explain(struct findings *findings, const char *text, size_t len, struct err *err);

/*
 * Reads fd to its end; it stays open. what: the file as errors should name it. Returns 0, or -1 if
 * it cannot be read or there is no memory.
 */
int symptom_explain_fd(struct findings *findings, int fd, const char *what, struct err *err);

#endif

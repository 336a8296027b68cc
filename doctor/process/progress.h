/* SPDX-License-Identifier: Apache-2.0 */
/* What is done now, in one line of a terminal that the next one takes the place of */
#ifndef OCI_RDMA_DOCTOR_PROGRESS_H
#define OCI_RDMA_DOCTOR_PROGRESS_H

/* Does nothing where stderr is no terminal. */
void progress_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Removes the line, before anything else is printed */
void progress_end(void);

#endif

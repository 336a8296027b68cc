/* SPDX-License-Identifier: Apache-2.0 */
/* Writing a record, bounded (record.h) */
#pragma once

#include "core/base/err.h"
#include "core/record/record.h"

/*
 * sysroot: a path. Makes the directories, which must be root's alone. The reason becomes one line
 * of RECORD_REASON_MAX bytes; variables and annotations are left out of a file that would be longer
 * than JSON_FIELDS_SIZE_MAX. Returns 0, also if there is no room for a "nothing"; 1 if the
 * container has a record that says the same, by another entry point or of a grant, which stays;
 * -ENOENT if the sysroot has no /run; -EINVAL if the id can be no file's name, or -1, both with the
 * reason in *err.
 */
int record_write(const char *sysroot, const struct record *record, struct err *err);

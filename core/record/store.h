/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "core/base/err.h"
#include "core/record/record.h"

/* Makes the directories, which must be root's alone. Cuts the reason to a line of RECORD_REASON_MAX
 * bytes; drops variables and annotations above JSON_FIELDS_SIZE_MAX. Returns 0, even without room
 * for a "nothing"; 1 if another entry point's record, or a grant's, says the same; -ENOENT without
 * /run; -EINVAL if the id fits no file name; or -1. */
int record_write(const char *sysroot, const struct record *record, struct err *err);

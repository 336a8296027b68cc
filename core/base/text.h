/* SPDX-License-Identifier: Apache-2.0 */
/* Strict: pods can supply names */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"

/* Like strcmp(3), but mlx5_2 before mlx5_10 */
int text_compare_natural(const char *a, const char *b);

bool text_is(const char *text, const char *word);

bool text_starts_with(const char *text, const char *prefix);
bool text_ends_with(const char *text, const char *suffix);

const char *text_base_name(const char *path);

/* Builds "a, b" for a message; drops what does not fit. */
void text_add_item(char *list, size_t size, const char *item);

/* C0, DEL or UTF-8 C1: could forge lines or drive terminals */
bool text_has_control(const char *text);

/* "0000:3b:02.6", lower-case hex; 4 to 8 digits of domain */
bool text_is_pci_address(const char *text);

/* 1 to 63 of [A-Za-z0-9_.-] (IB_DEVICE_NAME_MAX 64), not "." or ".." */
bool text_is_device_name(const char *text);

/* 1 to 15 bytes without NCCL's list characters ',', '=' and '^' */
bool text_is_netdev_name(const char *text);

/* -1 if unknown; upper case only, as in OCI ("CAP_IPC_LOCK") */
int capability_number(const char *name);

/* Bit n of set is capability n; unknown ones are left out. Ended by NULL */
const char *const *capability_names(struct arena *arena, uint64_t set);

/* The first character's bytes; 0: invalid UTF-8, control, bidi */
size_t text_printable_length(const char *text);

/* Replaces bytes of such characters by '?', for one line of a log. */
void text_make_printable(char *text);

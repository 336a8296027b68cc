/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts and their parts; names as the kernel and the device plugins write them: strict, since they
 * come from pods too.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"

/* strcmp, but the longer of two numbers is the larger: mlx5_2 before mlx5_10 */
int text_compare_natural(const char *a, const char *b);

/* text may be NULL. */
bool text_is(const char *text, const char *word);

bool text_starts_with(const char *text, const char *prefix);
bool text_ends_with(const char *text, const char *suffix);

/* What follows the last '/', or all of it */
const char *text_base_name(const char *path);

/* Adds to a list as "a, b", for a message; what does not fit any more is left out. */
void text_add_item(char *list, size_t size, const char *item);

/* True if text holds a control character (C0, DEL, or C1 in UTF-8): a line break would forge a
 * line, an escape speak to the reader's terminal. */
bool text_has_control(const char *text);

/* "0000:3b:02.6": domain (4 to 8 digits), bus, device 00 to 1f, function 0 to 7, lower-case hex */
bool text_is_pci_address(const char *text);

/* A device's name: 1 to 63 of [A-Za-z0-9_.-] (IB_DEVICE_NAME_MAX is 64), and not "." or ".." */
bool text_is_device_name(const char *text);

/* A network interface's name, 1 to 15 bytes, that a list of NCCL can hold: no ',', '=' or '^' */
bool text_is_netdev_name(const char *text);

/* The number of "CAP_IPC_LOCK", or -1 for an unknown name. Upper case only, as in the OCI runtime
 * specification. */
int capability_number(const char *name);

/*
 * The known names of a set (bit n is capability n), "CAP_IPC_LOCK" and so on in the order of their
 * numbers, in the arena; behind the last stands NULL. Returns NULL without memory.
 */
const char *const *capability_names(struct arena *arena, uint64_t set);

/* Bytes of the character that text begins with; 0 for a control character, one that turns the
 * direction of writing, and what is no UTF-8 */
size_t text_printable_length(const char *text);

/* Makes text fit for one line of a log: control characters, those that turn the direction of
 * writing, and what is no UTF-8 become '?'. */
void text_make_printable(char *text);

/* SPDX-License-Identifier: Apache-2.0 */
/* Text within HTML */
#pragma once

#include <stdio.h>

/*
 * Names of devices, containers and values come from the pod's author, and an administrator opens
 * the report.
 *
 * Text or the value of an attribute in quotes of either kind. '?' stands for control characters,
 * what is no UTF-8, and characters that turn the direction of writing, with which a text reads as
 * another one.
 */
void markup_put(FILE *out, const char *text);

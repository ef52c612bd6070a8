/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

/*
 * Does the calling thread compute doubles by IEEE 754: 53 bits, rounded to
 * nearest, with subnormal operands and results? If not, *wrong is incremented,
 * and the first such thread is logged with its core. Any thread may call this.
 */
bool xh_arithmetic_is_right(_Atomic int *wrong);

/*
 * Let the calling thread, and each thread that it starts, keep subnormal
 * numbers. A library linked with -ffast-math or -Ofast turns them off when it
 * is loaded; then process 0 warns once. Only for x86-64 and 64-bit Arm;
 * elsewhere nothing happens.
 */
void xh_arithmetic_keep_subnormals(void);

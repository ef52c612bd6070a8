/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

/*
 * Does the calling thread compute in doubles as IEEE 754 has it: 53 bits,
 * rounded to nearest, with subnormal numbers as operands and results? If not,
 * *wrong is counted up, and the first one is logged with its core. Any thread.
 */
bool xh_arithmetic_is_right(_Atomic int *wrong);

/*
 * Let the calling thread, and each thread that it starts, keep subnormal
 * numbers. A library that was linked with -ffast-math or -Ofast turns them off
 * when it is loaded: if one did, process 0 warns once. On x86-64 and 64-bit
 * Arm; nothing elsewhere.
 */
void xh_arithmetic_keep_subnormals(void);

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XDG_TABLE_H
#define XDG_TABLE_H

#include <stdio.h>
#include "testing/xdgemm/rates.h"

/*
 * Print the measurements, for people and for awk: a table of the series, with
 * name and Gflop/s first; the share of the sum that all together reach; and a
 * table of what each executor did in the median run of each series.
 */
void xdg_table_print(const xdg_rates_t *rates, const xdg_executors_t *executors,
                     const xh_gemm_t *product, FILE *out);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XH_CPU_LIST_H
#define XH_CPU_LIST_H

/*
 * The numbers in a text list such as "0-3,8", as the system writes processors
 * and memory nodes, up to the first character that belongs in none.
 *
 * numbers  out  the first capacity of them, in the order of the list
 *
 * Returns how many are in it.
 */
int xh_cpu_list(const char *list, int *numbers, int capacity);

#endif

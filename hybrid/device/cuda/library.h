/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_CUDA_LIBRARY_H
#define HYB_CUDA_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Libraries that are looked for at run time, so that this plug-in loads where
 * they are not installed.
 */
enum { HYB_CUDA_WHY = 512 }; /* bytes of the longest reason, with its end */

typedef struct { /* a function of a library, and where its address goes */
    const char *name;
    size_t offset; /* bytes from the start of the table that is filled */
} hyb_cuda_symbol_t;

/*
 * Open the library called file for the rest of the process's life and fill a
 * table of function pointers.
 *
 * table_p  out  the address of each of the count symbols, at its offset
 * why_p    out  HYB_CUDA_WHY bytes: what is missing; set on failure only
 *
 * Returns whether all is there.
 */
bool hyb_cuda_library_open(const char *file, const hyb_cuda_symbol_t *symbols,
                           size_t count, void *table_p, char *why_p);

#endif

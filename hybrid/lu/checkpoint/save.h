/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_SAVE_H
#define HYB_SAVE_H

#include "hybrid/lu/checkpoint/format.h"
#include "hybrid/lu/checkpoint/store.h"
#include "hybrid/lu/factor.h"
#include "hybrid/observe/watchdog.h"

/*
 * Write this process's part of the checkpoint that header is of, and have it on
 * the disk, still without its name: as part. While nothing moves, by the
 * leader, which polls between pieces.
 *
 * buffer   in   hyb_save_buffer_bytes
 * bytes_p  out  that were written
 *
 * Returns false, and leaves no part, if it cannot be written, which is said.
 */
bool hyb_save(hyb_lu_t *lu, const hyb_store_t *store, const hyb_header_t *header,
              void *buffer, hyb_phase_t *phase, int64_t *bytes_p);

size_t hyb_save_buffer_bytes(const hyb_lu_t *lu);

/* Errno ended the checkpoint of panel first, of that suffix: say so. */
void hyb_save_failed(const hyb_store_t *store, const char *suffix, int first);

#endif

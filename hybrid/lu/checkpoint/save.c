/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/checkpoint/save.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include "hybrid/lu/checkpoint/format.h"
#include "hybrid/lu/checkpoint/store.h"
#include "hybrid/lu/state/homes.h"
#include "hybrid/lu/state/ledger.h"
#include "hybrid/lu/state/lu.h"
#include "hybrid/lu/state/place.h"
#include "hybrid/lu/state/worker.h"

/* ---- parts --------------------------------------------------------------- */

/* Is `block` a block of columns that are finished before panel `first`? Also
 * set *panel_p to its panel. */
static bool is_finished(const hyb_lu_t *lu, int first, int64_t block,
                        int *panel_p)
{
    hpl_map_t map = hpl_map_columns(lu->grid, lu->mat->nb);

    *panel_p = (int)hpl_map_block_global(&map, block);
    return block < lu->ledger.b && *panel_p < first;
}

bool hyb_part_next(const hyb_lu_t *lu, int first, hyb_part_t *p)
{
    int64_t block, end;
    int panel;

    p->column += p->columns;
    if (p->column >= lu->ledger.columns_of_ab)
        return false;
    block = hyb_ledger_block(&lu->ledger, p->column);
    end = hyb_ledger_first(&lu->ledger, block + 1);
    p->rows = is_finished(lu, first, block, &panel)
                  ? hyb_lu_rows_above(lu->grid, lu->mat, panel + 1)
                  : lu->mat->mp;
    p->columns = Mmin(hyb_piece_columns(lu->mat->mp), end - p->column);
    return true;
}

/* Move the part's rows from row `from` on. */
static void move_rows(hyb_place_t *place, const hyb_part_t *p, int64_t from,
                      int way, double *elements)
{
    if (from < p->rows)
        place->copy(
            place, from, p->column, way,
            (xh_view_t){elements + from, p->rows - from, p->columns, p->rows});
}

/* The host holds the diagonal blocks of all finished panels. */
void hyb_part_move(hyb_lu_t *lu, int first, const hyb_part_t *p, int way,
                   double *elements)
{
    int64_t block = hyb_ledger_block(&lu->ledger, p->column);
    hyb_place_t *host = &lu->homes.host;
    hyb_place_t *home = hyb_homes_memory(&lu->homes, block);
    int panel;

    move_rows(home, p, 0, way, elements);
    if (home != host && is_finished(lu, first, block, &panel))
        move_rows(host, p, hyb_lu_rows_above(lu->grid, lu->mat, panel), way,
                  elements);
}

/* ---- a file -------------------------------------------------------------- */

enum { FLUSH = 64 << 20 }; /* most bytes waiting in the system's cache */

typedef struct { /* a file that grows */
    int fd;
    int64_t at, flushed;
} stream_t;

size_t hyb_save_bytes(int64_t rows)
{
    rows = Mmax(rows, 1);
    return sizeof(hyb_piece_t) +
           (size_t)(rows * hyb_piece_columns(rows)) * sizeof(double);
}

/* Write cached bytes to the disk, as the matrix needs the memory. */
static bool flush(stream_t *s)
{
    if (fdatasync(s->fd) != 0)
        return false;
    posix_fadvise(s->fd, s->flushed, s->at - s->flushed, POSIX_FADV_DONTNEED);
    s->flushed = s->at;
    return true;
}

static bool append(stream_t *s, const void *data, size_t bytes)
{
    if (!hyb_store_write(s->fd, data, bytes, s->at))
        return false;
    s->at += (int64_t)bytes;
    return s->at - s->flushed < FLUSH || flush(s);
}

static bool append_part(stream_t *s, hyb_lu_t *lu, int first,
                        const hyb_part_t *part, hyb_piece_t *buffer)
{
    double *elements = (double *)(buffer + 1);

    hyb_part_move(lu, first, part, HYB_SAVE, elements);
    *buffer = hyb_piece_seal(part->column, elements, hyb_part_count(part));
    return append(s, buffer, hyb_piece_bytes(hyb_part_count(part)));
}

static bool write_all(stream_t *s, hyb_lu_t *lu, const hyb_header_t *header,
                      hyb_piece_t *buffer, hyb_phase_t *phase)
{
    hyb_part_t part = {.column = 0};
    bool good = append(s, header, sizeof(*header));

    while (good && hyb_part_next(lu, (int)header->first, &part)) {
        good = append_part(s, lu, (int)header->first, &part, buffer);
        hyb_phase_step(phase);
        hyb_worker_poll(lu->worker);
    }
    return good && flush(s);
}

int64_t hyb_save(hyb_lu_t *lu, const hyb_store_t *store,
                 const hyb_header_t *header, hyb_piece_t *buffer,
                 hyb_phase_t *phase)
{
    stream_t s = {
        .fd = hyb_store_open(store, HYB_STORE_PART, O_WRONLY | O_TRUNC)};
    bool good = s.fd >= 0 && write_all(&s, lu, header, buffer, phase);
    int error = errno;

    if (s.fd >= 0)
        close(s.fd);
    errno = error;
    return good ? s.at : 0;
}

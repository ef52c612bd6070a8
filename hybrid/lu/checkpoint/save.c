/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/checkpoint/save.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "base/log.h"
#include "hybrid/lu/checkpoint/parts.h"

enum { FLUSH = 64 << 20 }; /* bytes that wait in the system at most */

typedef struct { /* a file that grows */
    int fd;
    int64_t at, flushed;
} stream_t;

size_t hyb_save_buffer_bytes(const hyb_lu_t *lu)
{
    return sizeof(hyb_piece_t) + (size_t)hyb_part_most(lu) * sizeof(double);
}

void hyb_save_failed(const hyb_store_t *store, const char *suffix, int first)
{
    char path[HYB_STORE_PATH];
    int error = errno;

    hyb_store_path(store, suffix, path);
    xh_log_warning("the checkpoint of iteration %d failed: cannot write %s: "
                   "%s; the run goes on",
                   first, path, strerror(error));
}

/* So little of it stays in memory, which the matrix needs. */
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

static bool append_part(stream_t *s, const hyb_lu_t *lu, int first,
                        const hyb_part_t *part, char *buffer)
{
    double *elements = (double *)(buffer + sizeof(hyb_piece_t));
    int64_t count = part->rows * part->columns;

    hyb_part_move(lu, first, part, HYB_SAVE, elements);
    *(hyb_piece_t *)buffer = hyb_piece_seal(part->column, elements, count);
    return append(s, buffer,
                  sizeof(hyb_piece_t) + (size_t)count * sizeof(double));
}

static bool write_all(stream_t *s, hyb_lu_t *lu, const hyb_header_t *header,
                      char *buffer, hyb_phase_t *phase)
{
    int first = (int)header->first;
    hyb_part_t part = {.column = 0};
    bool good = append(s, header, sizeof(*header));

    while (good && hyb_part_next(lu, first, &part)) {
        good = append_part(s, lu, first, &part, buffer);
        hyb_phase_step(phase);
        hyb_worker_poll(lu->worker);
    }
    return good && flush(s);
}

bool hyb_save(hyb_lu_t *lu, const hyb_store_t *store, const hyb_header_t *header,
              void *buffer, hyb_phase_t *phase, int64_t *bytes_p)
{
    stream_t s = {.fd = hyb_store_open(store, "part", O_WRONLY | O_TRUNC)};
    bool good = s.fd >= 0 && write_all(&s, lu, header, buffer, phase);

    if (!good)
        hyb_save_failed(store, "part", (int)header->first);
    if (s.fd >= 0)
        close(s.fd);
    if (good)
        *bytes_p = s.at;
    else
        hyb_store_unlink(store, "part");
    return good;
}

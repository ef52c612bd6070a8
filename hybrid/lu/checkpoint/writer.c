/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/checkpoint/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/log.h"
#include "hybrid/lu/checkpoint/geometry.h"

enum { FLUSH = 64 << 20 };         /* bytes that wait in the system at most */
static const double turn = 0.0005; /* s between looks at the ledger */
static const double pulse = 0.2;   /* s between signs of life */

/* FAILING: what was begun is still being given back. */
typedef enum { IDLE, BUSY, FAILING, DONE, FAILED } state_t;

typedef struct { /* a file that grows */
    char path[HYB_STORE_PATH];
    int fd;
    int64_t at, flushed;
} stream_t;

struct hyb_writer {
    hyb_lu_t *lu;
    hyb_store_t store;
    double bandwidth; /* bytes/s; 0: no limit */
    pthread_t thread;
    pthread_mutex_t lock; /* of these two */
    pthread_cond_t change;
    bool closes;
    _Atomic int state; /* state_t */
    _Atomic bool gives_up;
    hyb_header_t header;
    hyb_boundary_t boundary;
    int final_from; /* U above this panel is in the final file already */
    stream_t final, checkpoint;
    struct hyb_copies *copies; /* on a partner's disk, or NULL */
    int alive; /* the file that says when this process was last seen: */
    double shown;
    _Atomic double zero; /* when the run would have begun, by this process's
                            own clock; NAN: it has not */
    double begun;
    int64_t written;
    char *buffer; /* a piece: its header and elements */
    double *top;  /* rows of the panel that a restart factors first */
    int64_t top_rows;
    _Atomic int top_of;          /* that panel, once they are there; else -1 */
    _Atomic bool first_is_saved; /* all of that panel */
};

/* ---- files --------------------------------------------------------------- */

static void fail_for(struct hyb_writer *w, const char *why)
{
    if (atomic_exchange(&w->state, FAILING) != FAILING)
        xh_log_warning("the checkpoint of iteration %d failed: %s; the run "
                       "goes on",
                       w->boundary.first, why);
}

static void fail(struct hyb_writer *w, const char *what, const char *path)
{
    char why[HYB_STORE_PATH + 100];

    snprintf(why, sizeof(why), "cannot %s %s: %s", what, path, strerror(errno));
    fail_for(w, why);
}

static bool is_at_work(const struct hyb_writer *w)
{
    return atomic_load(&w->state) == BUSY && !atomic_load(&w->gives_up);
}

static void show_life(struct hyb_writer *w)
{
    double now = xh_clock_read(CLOCK_REALTIME), zero = atomic_load(&w->zero);
    hyb_seen_t seen;

    if (w->alive < 0 || now < w->shown + pulse)
        return;
    if (isnan(zero))
        return;
    seen = (hyb_seen_t){now, xh_clock_wall() - zero};
    hyb_store_write(w->alive, &seen, sizeof(seen), 0);
    w->shown = now;
}

static void doze(struct hyb_writer *w, double seconds)
{
    struct timespec time = xh_clock_timespec(seconds);

    show_life(w);
    nanosleep(&time, NULL);
}

static void open_stream(struct hyb_writer *w, stream_t *s, const char *suffix,
                        int flags, int64_t from)
{
    hyb_store_path(&w->store, suffix, s->path);
    s->at = s->flushed = from;
    s->fd = hyb_store_open(s->path, O_WRONLY | O_CREAT | flags);
    if (s->fd < 0 || ftruncate(s->fd, from) != 0)
        fail(w, "write", s->path);
}

/* So little of it stays in memory, which others need. */
static void flush(struct hyb_writer *w, stream_t *s)
{
    if (fdatasync(s->fd) != 0) {
        fail(w, "write", s->path);
        return;
    }
    posix_fadvise(s->fd, s->flushed, s->at - s->flushed, POSIX_FADV_DONTNEED);
    s->flushed = s->at;
}

/* No faster than asked for. */
static void keep_pace(struct hyb_writer *w)
{
    double due =
        w->bandwidth > 0.0 ? w->begun + (double)w->written / w->bandwidth : 0.0;

    while (is_at_work(w) && xh_clock_wall() < due)
        doze(w, fmin(0.01, fmax(turn, due - xh_clock_wall())));
}

/* What was written at offset goes to the partner as well. */
static void give(struct hyb_writer *w, const stream_t *s, int64_t offset,
                 const void *data, size_t bytes)
{
    hyb_copies_give(w->copies, s == &w->final, offset, data, bytes);
}

static void append(struct hyb_writer *w, stream_t *s, const void *data,
                   size_t bytes)
{
    if (!is_at_work(w))
        return;
    if (!hyb_store_write(s->fd, data, bytes, s->at)) {
        fail(w, "write", s->path);
        return;
    }
    show_life(w);
    give(w, s, s->at, data, bytes);
    s->at += (int64_t)bytes;
    w->written += (int64_t)bytes;
    if (s->at - s->flushed >= FLUSH)
        flush(w, s);
    keep_pace(w);
}

static void close_stream(stream_t *s)
{
    if (s->fd >= 0)
        close(s->fd);
    s->fd = -1;
}

/* ---- pieces -------------------------------------------------------------- */

/* The first panel is being factored meanwhile: its top rows as they were, which
 * nobody may read in the matrix. */
static void put_top(const struct hyb_writer *w, const hyb_piece_t *p,
                    int64_t first, double *to)
{
    for (int64_t j = 0; j < p->cols; j++)
        memcpy(to + j * p->rows, w->top + (p->col + j - first) * w->top_rows,
               (size_t)w->top_rows * sizeof(double));
}

/* Rows from .. to - 1 of a block's columns, as pieces of stream s. */
static void write_rows(struct hyb_writer *w, stream_t *s, int64_t b,
                       int64_t from, int64_t to)
{
    hyb_run_t columns = hyb_ledger_columns(&w->lu->ledger, hyb_one_block(b));
    int panel = hyb_block_panel(w->lu, b);
    bool is_final = s == &w->final;
    bool has_top = panel == w->boundary.first && !is_final && w->top_rows > 0;
    double *elements = (double *)(w->buffer + sizeof(hyb_piece_t));
    hyb_piece_t p = {.row = from, .rows = to - from};
    int64_t end = columns.from + columns.count;
    int64_t width = hyb_piece_columns(p.rows);

    for (p.col = columns.from; p.rows > 0 && p.col < end; p.col += width) {
        p.cols = Mmin(width, end - p.col);
        hyb_piece_move(w->lu, &p, w->boundary.first, has_top ? w->top_rows : 0,
                       HYB_SAVE, elements);
        if (has_top)
            put_top(w, &p, columns.from, elements);
        *(hyb_piece_t *)w->buffer =
            hyb_piece_seal(p.row, p.rows, p.col, p.cols, elements);
        append(w, s, w->buffer, (size_t)hyb_piece_bytes(p.rows * p.cols));
    }
}

/* ---- block columns ------------------------------------------------------- */

/* Has block b reached its boundary, and is it as it was then? */
static bool is_ready(const struct hyb_writer *w, int64_t b)
{
    const hyb_boundary_t *boundary = &w->boundary;
    int panel = hyb_block_panel(w->lu, b);
    int64_t stage;

    if (panel < boundary->first)
        return true;
    stage = hyb_stage(hyb_boundary_of(boundary, panel));
    return hyb_ledger_reached(&w->lu->ledger, hyb_one_block(b), stage) &&
           (panel > boundary->first ||
            atomic_load(&w->top_of) == boundary->first);
}

static void write_block(struct hyb_writer *w, int64_t b)
{
    int first = w->boundary.first;
    int64_t old = hyb_lu_rows_above(w->lu, w->final_from);
    int64_t final = hyb_final_rows(w->lu, b, first);

    while (is_at_work(w) && !is_ready(w, b))
        doze(w, turn);
    if (!is_at_work(w))
        return;
    write_rows(w, &w->final, b, Mmin(old, final), final);
    write_rows(w, &w->checkpoint, b, final, hyb_saved_end(w->lu, b, first));
    if (hyb_block_panel(w->lu, b) == first)
        atomic_store(&w->first_is_saved, true);
}

static void write_blocks(struct hyb_writer *w)
{
    hyb_ledger_t *ledger = &w->lu->ledger;

    for (int64_t b = 0; b < ledger->check; b++) {
        write_block(w, b);
        hyb_ledger_hold(ledger, b, HYB_LEDGER_FREE);
    }
}

/* ---- a checkpoint -------------------------------------------------------- */

/* It gets its name: from then on it is whole, and nobody gives it up. */
static bool name_it(struct hyb_writer *w)
{
    char path[HYB_STORE_PATH];

    hyb_store_checkpoint_path(&w->store, w->boundary.first, path);
    if (hyb_store_rename(w->checkpoint.path, path) == 0 &&
        hyb_store_sync(w->store.folder))
        return true;
    fail(w, "name", path);
    hyb_store_unlink(path);
    return false;
}

/* Rows of U are on the disk before the header that counts on them. Is the
 * checkpoint whole? */
static bool finish(struct hyb_writer *w)
{
    hyb_header_t header = w->header;

    if (is_at_work(w))
        flush(w, &w->final);
    header.final_bytes = w->final.at;
    hyb_header_seal(&header);
    if (is_at_work(w) &&
        !hyb_store_write(w->checkpoint.fd, &header, sizeof(header), 0))
        fail(w, "write", w->checkpoint.path);
    if (is_at_work(w))
        flush(w, &w->checkpoint);
    if (!is_at_work(w) || !name_it(w))
        return false;
    give(w, &w->checkpoint, 0, &header, sizeof(header));
    return true;
}

/* The disk's room; older checkpoints need what they wrote. */
static void give_back(struct hyb_writer *w)
{
    hyb_store_unlink(w->checkpoint.path);
    if (w->final.fd >= 0 && ftruncate(w->final.fd, w->header.final_bytes) == 0)
        w->final.at = w->header.final_bytes;
}

static void write_checkpoint(struct hyb_writer *w)
{
    const hyb_header_t empty = {.version = 0};
    bool is_whole;

    w->begun = xh_clock_wall();
    w->written = 0;
    open_stream(w, &w->final, "final", 0, w->header.final_bytes);
    open_stream(w, &w->checkpoint, "part", O_TRUNC, 0);
    append(w, &w->checkpoint, &empty, sizeof(empty));
    write_blocks(w);
    is_whole = finish(w);
    hyb_copies_end(w->copies, is_whole);
    if (!is_whole)
        give_back(w);
    close_stream(&w->final);
    close_stream(&w->checkpoint);
    atomic_store(&w->state, is_whole ? DONE : FAILED);
}

/* ---- the thread ---------------------------------------------------------- */

static void *work(void *argument)
{
    struct hyb_writer *w = argument;

    pthread_mutex_lock(&w->lock);
    while (!w->closes) {
        struct timespec due =
            xh_clock_timespec(xh_clock_read(CLOCK_REALTIME) + pulse);

        if (atomic_load(&w->state) != BUSY)
            pthread_cond_timedwait(&w->change, &w->lock, &due);
        pthread_mutex_unlock(&w->lock);
        show_life(w);
        if (is_at_work(w))
            write_checkpoint(w);
        pthread_mutex_lock(&w->lock);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

static int open_alive(const hyb_store_t *store)
{
    char path[HYB_STORE_PATH];

    hyb_store_path(store, "alive", path);
    return hyb_store_open(path, O_WRONLY | O_CREAT);
}

static bool allocate(struct hyb_writer *w)
{
    const HPL_T_pmat *mat = w->lu->mat;
    size_t nb = (size_t)Mmin(mat->nb, mat->n);

    w->buffer = malloc((size_t)hyb_piece_bytes(hyb_piece_most(mat->mp)));
    w->top = malloc((nb * nb + 1) * sizeof(double));
    return w->buffer != NULL && w->top != NULL;
}

static void free_all(struct hyb_writer *w)
{
    if (w->alive >= 0)
        close(w->alive);
    pthread_cond_destroy(&w->change);
    pthread_mutex_destroy(&w->lock);
    free(w->buffer);
    free(w->top);
    free(w);
}

xh_status_t hyb_writer_create(hyb_lu_t *lu, const hyb_store_t *store,
                              double bandwidth, struct hyb_copies *copies,
                              struct hyb_writer **writer_p)
{
    struct hyb_writer *w = calloc(1, sizeof(*w));

    if (w == NULL)
        return XH_ERR_MEMORY;
    w->lu = lu;
    w->store = *store;
    w->bandwidth = bandwidth;
    w->copies = copies;
    w->final.fd = w->checkpoint.fd = -1;
    w->alive = open_alive(store);
    atomic_store(&w->top_of, -1);
    atomic_store(&w->zero, NAN);
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->change, NULL);
    if (!allocate(w) || pthread_create(&w->thread, NULL, work, w) != 0) {
        free_all(w);
        return XH_ERR_MEMORY;
    }
    *writer_p = w;
    return XH_OK;
}

void hyb_writer_give_up(struct hyb_writer *w)
{
    atomic_store(&w->gives_up, true);
}

void hyb_writer_destroy(struct hyb_writer *w)
{
    if (w == NULL)
        return;
    hyb_writer_give_up(w);
    pthread_mutex_lock(&w->lock);
    w->closes = true;
    pthread_cond_signal(&w->change);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
    free_all(w);
}

void hyb_writer_set_zero(struct hyb_writer *w, double zero)
{
    atomic_store(&w->zero, zero);
}

/* ---- the leader ---------------------------------------------------------- */

/* The first panel's columns are not held: they are factored, not updated. */
void hyb_writer_begin(struct hyb_writer *w, const hyb_header_t *header,
                      int final_from)
{
    hyb_lu_t *lu = w->lu;

    w->header = *header;
    w->boundary = hyb_header_boundary(header, lu->range.panels);
    w->final_from = final_from;
    hyb_copies_begin(w->copies, w->boundary.first);
    w->top_rows = 0;
    atomic_store(&w->first_is_saved, false);
    for (int64_t b = 0; b < lu->ledger.check; b++) {
        int panel = hyb_block_panel(lu, b);

        if (panel > w->boundary.first)
            hyb_ledger_hold(&lu->ledger, b,
                            hyb_stage(hyb_boundary_of(&w->boundary, panel)));
    }
    pthread_mutex_lock(&w->lock);
    atomic_store(&w->state, BUSY);
    pthread_cond_signal(&w->change);
    pthread_mutex_unlock(&w->lock);
}

bool hyb_writer_is_whole(const struct hyb_writer *w)
{
    return atomic_load(&w->state) == DONE && hyb_copies_are_whole(w->copies);
}

bool hyb_writer_has_ended(const struct hyb_writer *w)
{
    int state = atomic_load(&w->state);

    return (state == DONE || state == FAILED) &&
           hyb_copies_have_ended(w->copies);
}

int64_t hyb_writer_bytes(const struct hyb_writer *w)
{
    return w->written;
}

int64_t hyb_writer_final_bytes(const struct hyb_writer *w)
{
    return w->final.at;
}

void hyb_writer_keep_top(struct hyb_writer *w, int k, xh_view_t top)
{
    if (atomic_load(&w->state) != BUSY || w->boundary.first != k)
        return;
    w->top_rows = top.rows;
    for (int64_t j = 0; j < top.cols; j++)
        memcpy(w->top + j * top.rows, top.data + j * top.ld,
               (size_t)top.rows * sizeof(double));
    atomic_store(&w->top_of, k);
}

bool hyb_writer_has_saved_first(struct hyb_writer *w, int k)
{
    if (atomic_load(&w->state) != BUSY || w->boundary.first != k)
        return true;
    if (atomic_load(&w->top_of) != k) /* nobody else has it */
        atomic_store(&w->top_of, k);
    return atomic_load(&w->first_is_saved);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/checkpoint/disks.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/integers.h"
#include "hpl/grid/agree.h"

enum { PIECE = 4 << 20, TAG = 17 };

struct hyb_saved { /* a whole checkpoint */
    int row, column, first;
    bool is_copy;
    int disk; /* the lowest rank that sees it */
};

typedef struct hyb_saved saved_t;

hyb_store_t hyb_disks_store(const hyb_disks_t *d, int rank, bool is_copy)
{
    const HPL_T_grid *g = d->grid;
    bool by_row = g->order == HPL_ROW_MAJOR;

    return (hyb_store_t){d->folder, by_row ? rank / g->npcol : rank % g->nprow,
                         by_row ? rank % g->npcol : rank / g->nprow, is_copy};
}

/* ---- who sees what ------------------------------------------------------- */

/* A file by which others see that they see this folder. */
static void marker(const hyb_disks_t *d, int64_t run, int rank, char *path)
{
    snprintf(path, HYB_STORE_PATH, "%.3900s/xhpl-here-%llx-%d", d->folder,
             (unsigned long long)run, rank);
}

static bool put_marker(const hyb_disks_t *d, int64_t run)
{
    char path[HYB_STORE_PATH];
    int file;

    marker(d, run, d->grid->iam, path);
    file = hyb_store_open(path, O_WRONLY | O_TRUNC);
    if (file >= 0)
        close(file);
    return file >= 0;
}

static int lowest_seen(const hyb_disks_t *d, int64_t run)
{
    char path[HYB_STORE_PATH];
    int rank;

    for (rank = 0; rank < d->grid->iam; rank++) {
        marker(d, run, rank, path);
        if (hyb_store_exists(path))
            break;
    }
    return rank;
}

/* A number that no other run has. */
static int64_t name_run(MPI_Comm comm)
{
    int64_t run = (int64_t)(1e6 * xh_clock_read(CLOCK_REALTIME)) ^
                  (int64_t)getpid() << 40;

    MPI_Bcast(&run, 1, MPI_INT64_T, 0, comm);
    return run;
}

static void look(hyb_disks_t *d, int64_t run)
{
    char path[HYB_STORE_PATH];
    int lowest;

    MPI_Barrier(d->grid->all_comm);
    lowest = lowest_seen(d, run);
    MPI_Allgather(&lowest, 1, MPI_INT, d->first, 1, MPI_INT, d->grid->all_comm);
    marker(d, run, d->grid->iam, path);
    hyb_store_unlink(path);
}

/* Of those before rank: how many see the same files. */
static int count_before(const hyb_disks_t *d, int rank)
{
    int count = 0;

    for (int r = 0; r < rank; r++)
        count += d->first[r] == d->first[rank];
    return count;
}

/* Disks in order of their first ranks: on the next one, the one with the same
 * number there. */
static int partner_of(const hyb_disks_t *d, int rank)
{
    int next = d->first[rank], wanted = count_before(d, rank), size = 0;

    do
        next = (next + 1) % d->grid->nprocs;
    while (d->first[next] != next);
    for (int r = 0; r < d->grid->nprocs; r++)
        size += d->first[r] == next;
    wanted %= size;
    for (int r = next; r < d->grid->nprocs; r++)
        if (d->first[r] == next && wanted-- == 0)
            return r;
    return next;
}

static void find_partners(hyb_disks_t *d)
{
    int mine = partner_of(d, d->grid->iam);

    for (int r = 0; r < d->grid->nprocs; r++)
        d->disks += d->first[r] == r;
    MPI_Allgather(&mine, 1, MPI_INT, d->partner, 1, MPI_INT, d->grid->all_comm);
}

static xh_status_t allocate(const HPL_T_grid *grid, const char *folder,
                            hyb_disks_t *d)
{
    size_t bytes = (size_t)grid->nprocs * sizeof(int);

    *d = (hyb_disks_t){.folder = folder,
                       .grid = grid,
                       .first = malloc(bytes),
                       .partner = malloc(bytes)};
    return hpl_agree(grid->all_comm, d->first != NULL && d->partner != NULL
                                         ? XH_OK
                                         : XH_ERR_MEMORY);
}

/* ---- what is there ------------------------------------------------------- */

typedef struct { /* those that a process sees */
    int disk, count;
    saved_t *saved;
    bool is_incomplete; /* out of memory: not all are in it */
} list_t;

static void add(void *list, const hyb_store_t *s, int first)
{
    list_t *l = list;
    saved_t *longer =
        realloc(l->saved, ((size_t)l->count + 1) * sizeof(*longer));

    l->is_incomplete = l->is_incomplete || longer == NULL;
    if (longer == NULL)
        return;
    l->saved = longer;
    l->saved[l->count++] =
        (saved_t){s->row, s->column, first, s->is_copy, l->disk};
}

/* Bytes that each process gives, and where they stand. */
static int place_all(int mine, const hyb_disks_t *d, int *count, int *at)
{
    int all = 0;

    MPI_Allgather(&mine, 1, MPI_INT, count, 1, MPI_INT, d->grid->all_comm);
    for (int r = 0; r < d->grid->nprocs; r++) {
        at[r] = all;
        all += count[r];
    }
    return all;
}

/* By place, then iteration; those that are not copies first. */
static int compare(const void *a, const void *b)
{
    const saved_t *x = a, *y = b;
    const int difference[] = {x->row - y->row, x->column - y->column,
                              x->first - y->first, x->is_copy - y->is_copy,
                              x->disk - y->disk};

    for (int i = 0; i < 5; i++)
        if (difference[i] != 0)
            return difference[i];
    return 0;
}

static xh_status_t gather(hyb_disks_t *d, const list_t *mine, int *count)
{
    int *at = count + d->grid->nprocs;
    int bytes = mine->count * (int)sizeof(*mine->saved);
    int all = place_all(bytes, d, count, at);
    MPI_Comm comm = d->grid->all_comm;

    d->saved = malloc((size_t)all + 1);
    XH_TRY(hpl_agree(comm, d->saved != NULL ? XH_OK : XH_ERR_MEMORY));
    MPI_Allgatherv(mine->saved, bytes, MPI_BYTE, d->saved, count, at, MPI_BYTE,
                   comm);
    d->count = all / (int)sizeof(*mine->saved);
    qsort(d->saved, (size_t)d->count, sizeof(*d->saved), compare);
    return XH_OK;
}

/* One process lists each disk's. */
static xh_status_t list_all(hyb_disks_t *d)
{
    int *count = malloc(2 * (size_t)d->grid->nprocs * sizeof(*count));
    list_t mine = {.disk = d->grid->iam};
    xh_status_t status;

    if (d->first[d->grid->iam] == d->grid->iam)
        hyb_store_each(d->folder, add, &mine);
    status =
        hpl_agree(d->grid->all_comm,
                  count != NULL && !mine.is_incomplete ? XH_OK : XH_ERR_MEMORY);
    if (status == XH_OK)
        status = gather(d, &mine, count);
    free(count);
    free(mine.saved);
    return status;
}

xh_status_t hyb_disks_find(const HPL_T_grid *grid, const char *folder,
                           hyb_disks_t *d)
{
    int64_t run;

    XH_TRY(allocate(grid, folder, d));
    run = name_run(grid->all_comm);
    d->is_refused = !hyb_store_make(folder, d->why);
    if (!d->is_refused && !put_marker(d, run))
        snprintf(d->why, sizeof(d->why), "%s", strerror(errno));
    look(d, run);
    find_partners(d);
    return list_all(d);
}

void hyb_disks_free(hyb_disks_t *d)
{
    free(d->first);
    free(d->partner);
    free(d->saved);
    *d = (hyb_disks_t){.folder = NULL};
}

/* The newest iteration below limit of any; 0: none. */
static int newest_below(const hyb_disks_t *d, int limit)
{
    int newest = 0;

    for (int i = 0; i < d->count; i++)
        if (d->saved[i].first < limit && d->saved[i].first > newest)
            newest = d->saved[i].first;
    return newest;
}

/* Is it the one of rank before that iteration? */
static bool is_of(const hyb_disks_t *d, const saved_t *s, int rank, int first)
{
    hyb_store_t own = hyb_disks_store(d, rank, false);

    return s->row == own.row && s->column == own.column && s->first == first;
}

/* That checkpoint of rank, or the first behind it that is the same on another
 * disk, its own before copies; or NULL. */
static const saved_t *find_from(const hyb_disks_t *d, int rank, int first,
                                bool is_copy, int disk)
{
    hyb_store_t own = hyb_disks_store(d, rank, false);
    saved_t least = {own.row, own.column, first, is_copy, disk};
    int from = 0, to = d->count;

    while (from < to) {
        int middle = from + (to - from) / 2;

        if (compare(&d->saved[middle], &least) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return from < d->count && is_of(d, &d->saved[from], rank, first)
               ? &d->saved[from]
               : NULL;
}

static bool is_at(const saved_t *s, bool is_copy, int disk)
{
    return s != NULL && s->is_copy == is_copy && s->disk == disk;
}

/* Its own on its disk, or the first on any, or NULL. */
static const saved_t *find(const hyb_disks_t *d, int rank, int first)
{
    const saved_t *own = find_from(d, rank, first, false, d->first[rank]);

    return is_at(own, false, d->first[rank])
               ? own
               : find_from(d, rank, first, false, -1);
}

int hyb_disks_common(const hyb_disks_t *d, int *first_p)
{
    int count = 0, next = INT_MAX, have;

    while ((next = newest_below(d, next)) > 0 && count < HYB_STORE_MOST) {
        for (have = 0; have < d->grid->nprocs; have++)
            if (find(d, have, next) == NULL)
                break;
        if (have == d->grid->nprocs)
            first_p[count++] = next;
    }
    return count;
}

int hyb_disks_newest(const hyb_disks_t *d)
{
    int me = d->grid->iam, newest = 0;

    for (int i = 0; i < d->count; i++) {
        const saved_t *s = &d->saved[i];

        if (is_of(d, s, me, s->first) && !s->is_copy && s->disk == d->first[me])
            newest = (int)xh_larger(newest, s->first);
    }
    return newest;
}

bool hyb_disks_have_others(const hyb_disks_t *d)
{
    for (int i = 0; i < d->count; i++)
        if (d->saved[i].disk == d->first[d->grid->iam] &&
            (d->saved[i].row >= d->grid->nprow ||
             d->saved[i].column >= d->grid->npcol))
            return true;
    return false;
}

/* ---- files on their way -------------------------------------------------- */

/* From who sends to who takes, if this is not the same process. */
static void pass(const hyb_disks_t *d, int from, int to, void *data, int bytes)
{
    MPI_Comm comm = d->grid->all_comm;

    if (from == to)
        return;
    if (from == d->grid->iam)
        MPI_Send(data, bytes, MPI_BYTE, to, TAG, comm);
    else
        MPI_Recv(data, bytes, MPI_BYTE, from, TAG, comm, MPI_STATUS_IGNORE);
}

/* Of a file, -1: none. */
static int64_t bytes_of(int file)
{
    struct stat about;

    return file >= 0 && fstat(file, &about) == 0 ? about.st_size : -1;
}

static void close_file(int file)
{
    if (file >= 0)
        close(file);
}

/* All bytes of one file go to another one, their number first; either is -1
 * where it is not here. Has all that is here gone well? */
static bool move_bytes(const hyb_disks_t *d, int from, int in, int to, int out)
{
    static char buffer[PIECE];
    int64_t bytes = bytes_of(in);
    bool good;

    pass(d, from, to, &bytes, (int)sizeof(bytes));
    good = bytes >= 0 && (to != d->grid->iam || out >= 0);
    for (int64_t at = 0; at < bytes; at += PIECE) {
        size_t part = (size_t)xh_smaller(PIECE, bytes - at);

        if (from == d->grid->iam && !hyb_store_read(in, buffer, part, at)) {
            memset(buffer, 0, part); /* sums will tell */
            good = false;
        }
        pass(d, from, to, buffer, (int)part);
        good = good &&
               (to != d->grid->iam || hyb_store_write(out, buffer, part, at));
    }
    return good;
}

/* One file of rank goes from who holds it to `to`, where it has another name
 * until all of it is there. */
static void move_file(const hyb_disks_t *d, const saved_t *from, int rank,
                      int to, bool is_copy, const char *suffix)
{
    hyb_store_t source = hyb_disks_store(d, rank, from->is_copy);
    hyb_store_t target = hyb_disks_store(d, rank, is_copy);
    char path[HYB_STORE_PATH], part[HYB_STORE_PATH];
    int me = d->grid->iam, in = -1, out = -1;
    bool good;

    if (me != from->disk && me != to)
        return;
    hyb_store_path(&source, suffix, path);
    hyb_store_path(&target, "part", part);
    if (me == from->disk)
        in = hyb_store_open(path, O_RDONLY);
    if (me == to)
        out = hyb_store_open(part, O_WRONLY | O_TRUNC);
    good = move_bytes(d, from->disk, in, to, out);
    hyb_store_path(&target, suffix, path);
    if (me == to &&
        !(good && fdatasync(out) == 0 && hyb_store_rename(part, path) == 0))
        hyb_store_unlink(part);
    close_file(in);
    close_file(out);
}

static void move(const hyb_disks_t *d, const saved_t *from, int rank, int to,
                 bool is_copy)
{
    char suffix[16];

    snprintf(suffix, sizeof(suffix), "%d", from->first);
    move_file(d, from, rank, to, is_copy, "final");
    move_file(d, from, rank, to, is_copy, suffix);
}

/* All take part in the same order. */
void hyb_disks_bring(const hyb_disks_t *d, int first)
{
    for (int r = 0; r < d->grid->nprocs; r++) {
        const saved_t *from = find(d, r, first);

        if (from != NULL && (from->is_copy || from->disk != d->first[r]))
            move(d, from, r, r, false);
    }
}

static bool has_copy(const hyb_disks_t *d, int rank, int first)
{
    int disk = d->first[d->partner[rank]];

    return is_at(find_from(d, rank, first, true, disk), true, disk);
}

void hyb_disks_copy(const hyb_disks_t *d, int first)
{
    for (int r = 0; r < d->grid->nprocs && d->disks > 1; r++) {
        hyb_store_t store = hyb_disks_store(d, r, false);
        saved_t own = {store.row, store.column, first, false, r};

        if (!has_copy(d, r, first))
            move(d, &own, r, d->partner[r], true);
    }
}

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
#include "base/integers.h"
#include "base/log.h"
#include "hpl/grid/agree.h"

enum { PIECE = 4 << 20, TAG = 17 };

hyb_store_t hyb_disks_store(const hyb_disks_t *d, int rank, bool is_copy)
{
    return (hyb_store_t){d->folder, d->row[rank], d->column[rank], is_copy};
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

    marker(d, run, d->rank, path);
    file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (file >= 0)
        close(file);
    return file >= 0;
}

static int lowest_seen(const hyb_disks_t *d, int64_t run)
{
    char path[HYB_STORE_PATH];
    int rank;

    for (rank = 0; rank < d->rank; rank++) {
        marker(d, run, rank, path);
        if (access(path, F_OK) == 0)
            break;
    }
    return rank;
}

/* A number that no other run has. */
static int64_t name_run(MPI_Comm comm)
{
    int64_t run = (int64_t)(1e6 * hyb_store_now()) ^ (int64_t)getpid() << 40;

    MPI_Bcast(&run, 1, MPI_INT64_T, 0, comm);
    return run;
}

static void look(hyb_disks_t *d, int64_t run)
{
    char path[HYB_STORE_PATH];
    int lowest;

    MPI_Barrier(d->comm);
    lowest = lowest_seen(d, run);
    MPI_Allgather(&lowest, 1, MPI_INT, d->first, 1, MPI_INT, d->comm);
    marker(d, run, d->rank, path);
    unlink(path);
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
        next = (next + 1) % d->ranks;
    while (d->first[next] != next);
    for (int r = 0; r < d->ranks; r++)
        size += d->first[r] == next;
    wanted %= size;
    for (int r = next; r < d->ranks; r++)
        if (d->first[r] == next && wanted-- == 0)
            return r;
    return next;
}

static void find_partners(hyb_disks_t *d)
{
    int mine = partner_of(d, d->rank);

    for (int r = 0; r < d->ranks; r++)
        d->disks += d->first[r] == r;
    MPI_Allgather(&mine, 1, MPI_INT, d->partner, 1, MPI_INT, d->comm);
}

static xh_status_t allocate(const HPL_T_grid *grid, const char *folder,
                            hyb_disks_t *d)
{
    size_t bytes = (size_t)grid->nprocs * sizeof(int);

    *d = (hyb_disks_t){.folder = folder,
                       .comm = grid->all_comm,
                       .rank = grid->iam,
                       .ranks = grid->nprocs,
                       .first = malloc(bytes),
                       .row = malloc(bytes),
                       .column = malloc(bytes),
                       .partner = malloc(bytes)};
    return hpl_agree(d->comm, d->first != NULL && d->row != NULL &&
                                      d->column != NULL && d->partner != NULL
                                  ? XH_OK
                                  : XH_ERR_MEMORY);
}

/* ---- what is there ------------------------------------------------------- */

/* Of one process for each disk. */
static hyb_saved_t *list_mine(const hyb_disks_t *d, int *count_p)
{
    bool lists = d->first[d->rank] == d->rank;
    size_t room = lists ? hyb_store_scan(d->folder, NULL, 0) : 0, count;
    hyb_saved_t *list = malloc((room + 1) * sizeof(*list));

    if (list == NULL)
        return NULL;
    count = lists ? hyb_store_scan(d->folder, list, room) : 0;
    *count_p = (int)(count < room ? count : room);
    for (int i = 0; i < *count_p; i++)
        list[i].disk = d->rank;
    return list;
}

/* Bytes that each process gives, and where they stand. */
static int place_all(int mine, const hyb_disks_t *d, int *count, int *at)
{
    int all = 0;

    MPI_Allgather(&mine, 1, MPI_INT, count, 1, MPI_INT, d->comm);
    for (int r = 0; r < d->ranks; r++) {
        at[r] = all;
        all += count[r];
    }
    return all;
}

static xh_status_t gather(hyb_disks_t *d, const hyb_saved_t *list, int mine,
                          int *count)
{
    int *at = count + d->ranks, bytes = mine * (int)sizeof(*list);
    int all = place_all(bytes, d, count, at);

    d->saved = malloc((size_t)all + 1);
    XH_TRY(hpl_agree(d->comm, d->saved != NULL ? XH_OK : XH_ERR_MEMORY));
    MPI_Allgatherv(list, bytes, MPI_BYTE, d->saved, count, at, MPI_BYTE,
                   d->comm);
    d->count = all / (int)sizeof(*list);
    return XH_OK;
}

static xh_status_t list_all(hyb_disks_t *d)
{
    int mine = 0, *count = malloc(2 * (size_t)d->ranks * sizeof(*count));
    hyb_saved_t *list = list_mine(d, &mine);
    xh_status_t status = hpl_agree(
        d->comm, count != NULL && list != NULL ? XH_OK : XH_ERR_MEMORY);

    if (status == XH_OK)
        status = gather(d, list, mine, count);
    free(count);
    free(list);
    return status;
}

xh_status_t hyb_disks_find(const HPL_T_grid *grid, const char *folder,
                           hyb_disks_t *d)
{
    int64_t run;

    XH_TRY(allocate(grid, folder, d));
    MPI_Allgather(&grid->myrow, 1, MPI_INT, d->row, 1, MPI_INT, d->comm);
    MPI_Allgather(&grid->mycol, 1, MPI_INT, d->column, 1, MPI_INT, d->comm);
    run = name_run(d->comm);
    if (!hyb_store_make(folder) || !put_marker(d, run))
        d->error = errno;
    look(d, run);
    find_partners(d);
    return list_all(d);
}

void hyb_disks_free(hyb_disks_t *d)
{
    free(d->first);
    free(d->row);
    free(d->column);
    free(d->partner);
    free(d->saved);
    *d = (hyb_disks_t){.rank = 0};
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
static bool is_of(const hyb_disks_t *d, const hyb_saved_t *s, int rank,
                  int first)
{
    return s->row == d->row[rank] && s->column == d->column[rank] &&
           s->first == first;
}

/* That checkpoint of rank: its own on its disk, or the first that is found, or
 * NULL. */
static const hyb_saved_t *find(const hyb_disks_t *d, int rank, int first)
{
    const hyb_saved_t *found = NULL;

    for (int i = 0; i < d->count; i++) {
        const hyb_saved_t *s = &d->saved[i];

        if (!is_of(d, s, rank, first))
            continue;
        if (!s->is_copy && s->disk == d->first[rank])
            return s;
        if (found == NULL)
            found = s;
    }
    return found;
}

int hyb_disks_common(const hyb_disks_t *d, int *first_p)
{
    int count = 0, next = INT_MAX, have;

    while ((next = newest_below(d, next)) > 0 && count < HYB_STORE_MOST) {
        for (have = 0; have < d->ranks; have++)
            if (find(d, have, next) == NULL)
                break;
        if (have == d->ranks)
            first_p[count++] = next;
    }
    return count;
}

/* ---- files on their way -------------------------------------------------- */

/* A file's bytes are sent, their number first, or are written. */
static void send_file(const char *path, int to, MPI_Comm comm, char *buffer)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat about;
    int64_t bytes = file >= 0 && fstat(file, &about) == 0 ? about.st_size : -1;

    MPI_Send(&bytes, 1, MPI_INT64_T, to, TAG, comm);
    for (int64_t at = 0; at < bytes; at += PIECE) {
        int part = (int)xh_smaller(PIECE, bytes - at);

        if (!hyb_store_read(file, buffer, (size_t)part, at))
            memset(buffer, 0, (size_t)part); /* sums will tell */
        MPI_Send(buffer, part, MPI_BYTE, to, TAG, comm);
    }
    if (file >= 0)
        close(file);
}

/* A file has another name until all of it is there. */
static int open_part(const hyb_store_t *store, char *part_path)
{
    hyb_store_path(store, "part", part_path);
    return open(part_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

static void close_part(int file, bool is_whole, const char *part_path,
                       const char *path)
{
    if (!(is_whole && fdatasync(file) == 0 && rename(part_path, path) == 0))
        unlink(part_path);
    if (file >= 0)
        close(file);
}

static void receive_file(const hyb_store_t *store, const char *path, int from,
                         MPI_Comm comm, char *buffer)
{
    char part_path[HYB_STORE_PATH];
    int file = open_part(store, part_path);
    int64_t bytes;
    bool good;

    MPI_Recv(&bytes, 1, MPI_INT64_T, from, TAG, comm, MPI_STATUS_IGNORE);
    good = file >= 0 && bytes >= 0;
    for (int64_t at = 0; at < bytes; at += PIECE) {
        int part = (int)xh_smaller(PIECE, bytes - at);

        MPI_Recv(buffer, part, MPI_BYTE, from, TAG, comm, MPI_STATUS_IGNORE);
        good = good && hyb_store_write(file, buffer, (size_t)part, at);
    }
    close_part(file, good, part_path, path);
}

/* The same on one disk. */
static void copy_file(const hyb_store_t *store, const char *from,
                      const char *path, char *buffer)
{
    char part_path[HYB_STORE_PATH];
    int source = open(from, O_RDONLY | O_CLOEXEC);
    int file = open_part(store, part_path);
    struct stat about;
    bool good = source >= 0 && fstat(source, &about) == 0 && file >= 0;

    for (int64_t at = 0; good && at < about.st_size; at += PIECE) {
        size_t part = (size_t)xh_smaller(PIECE, about.st_size - at);

        good = hyb_store_read(source, buffer, part, at) &&
               hyb_store_write(file, buffer, part, at);
    }
    close_part(file, good, part_path, path);
    if (source >= 0)
        close(source);
}

typedef struct {
    const hyb_disks_t *disks;
    char *buffer;
} mover_t;

/* One file of rank goes from who holds it to `to`. */
static void move_file(const mover_t *m, const hyb_saved_t *from, int rank,
                      int to, bool is_copy, const char *suffix)
{
    const hyb_disks_t *d = m->disks;
    hyb_store_t source = hyb_disks_store(d, rank, from->is_copy);
    hyb_store_t target = hyb_disks_store(d, rank, is_copy);
    char path[HYB_STORE_PATH], there[HYB_STORE_PATH];

    hyb_store_path(&source, suffix, path);
    hyb_store_path(&target, suffix, there);
    if (from->disk == d->rank && to == d->rank)
        copy_file(&target, path, there, m->buffer);
    else if (from->disk == d->rank)
        send_file(path, to, d->comm, m->buffer);
    else if (to == d->rank)
        receive_file(&target, there, from->disk, d->comm, m->buffer);
}

static void move(const mover_t *m, const hyb_saved_t *from, int rank, int to,
                 bool is_copy)
{
    char suffix[16];

    snprintf(suffix, sizeof(suffix), "%d", from->first);
    move_file(m, from, rank, to, is_copy, "final");
    move_file(m, from, rank, to, is_copy, suffix);
}

/* All take part in the same order. */
void hyb_disks_bring(const hyb_disks_t *d, int first)
{
    mover_t m = {d, malloc(PIECE)};

    for (int r = 0; r < d->ranks && m.buffer != NULL; r++) {
        const hyb_saved_t *from = find(d, r, first);

        if (from != NULL && (from->is_copy || from->disk != d->first[r]))
            move(&m, from, r, r, false);
    }
    free(m.buffer);
}

static bool has_copy(const hyb_disks_t *d, int rank, int first)
{
    for (int i = 0; i < d->count; i++) {
        const hyb_saved_t *s = &d->saved[i];

        if (is_of(d, s, rank, first) && s->is_copy &&
            s->disk == d->first[d->partner[rank]])
            return true;
    }
    return false;
}

void hyb_disks_copy(const hyb_disks_t *d, int first)
{
    mover_t m = {d, malloc(PIECE)};

    for (int r = 0; r < d->ranks && m.buffer != NULL && d->disks > 1; r++) {
        hyb_saved_t own = {d->row[r], d->column[r], first, r, false};

        if (!has_copy(d, r, first))
            move(&m, &own, r, d->partner[r], true);
    }
    free(m.buffer);
}

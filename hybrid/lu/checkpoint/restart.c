/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/checkpoint/restart.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/log.h"
#include "base/settings.h"
#include "hpl/grid/agree.h"
#include "hybrid/lu/checkpoint/checkpoint.h"
#include "hybrid/lu/checkpoint/format.h"
#include "hybrid/lu/checkpoint/moments.h"
#include "hybrid/lu/checkpoint/save.h"
#include "hybrid/lu/checkpoint/store.h"
#include "hybrid/lu/state/groups.h"
#include "hybrid/lu/state/ledger.h"
#include "hybrid/lu/state/lu.h"
#include "hybrid/lu/state/place.h"
#include "hybrid/lu/state/worker.h"
#include "hybrid/lu/system/generate.h"

typedef struct { /* the checkpoint that is tried */
    hyb_lu_t *lu;
    const hyb_store_t *store;
    int first;
    int fd;
    hyb_header_t header;
    char why[300]; /* what is wrong with it */
} reader_t;

/* ---- what it must be ----------------------------------------------------- */

hyb_header_t hyb_restart_header(const hyb_lu_t *lu)
{
    const HPL_T_grid *grid = lu->grid;
    const HPL_T_palg *a = lu->algo;
    hyb_header_t h = {.n = lu->mat->n,
                      .nb = lu->mat->nb,
                      .nprow = grid->nprow,
                      .npcol = grid->npcol,
                      .myrow = grid->myrow,
                      .mycol = grid->mycol,
                      .dealing = hyb_header_dealing(grid->deal),
                      .rounding = {a->pfact, a->rfact, a->nbmin, a->nbdiv}};

    snprintf(h.kernel, sizeof(h.kernel), "%s",
             lu->resources.by_blas ? "blas" : lu->resources.kernel->name);
    return h;
}

/* ---- this process's file ------------------------------------------------- */

static bool is_bad(reader_t *r, const char *what)
{
    char path[HYB_STORE_TEXT];

    hyb_store_path(r->store, r->first, path);
    snprintf(r->why, sizeof(r->why), "%.200s: %.80s", path, what);
    return false;
}

static bool read_header(reader_t *r)
{
    hyb_header_t wanted = hyb_restart_header(r->lu);
    const char *fault;
    char text[80];

    r->fd = hyb_store_open(r->store, r->first, O_RDONLY);
    if (r->fd < 0)
        return is_bad(r, strerror(errno));
    if (!hyb_store_read(r->fd, &r->header, sizeof(r->header), 0))
        return is_bad(r, "it ends too early");
    fault = hyb_header_fault(&r->header);
    if (fault != NULL)
        return is_bad(r, fault);
    wanted.seed = r->header.seed; /* seen when the matrix is to be generated */
    if (hyb_header_differs(&r->header, &wanted, text, sizeof(text)))
        return is_bad(r, text);
    return (r->header.first == r->first && r->first < r->lu->range.panels) ||
           is_bad(r, "it is that of another iteration");
}

/* All parts, to where they live. */
static bool read_parts(reader_t *r, hyb_piece_t *buffer)
{
    double *elements = (double *)(buffer + 1);
    int64_t at = sizeof(r->header);
    hyb_part_t part = {.column = 0};

    while (hyb_part_next(r->lu, r->first, &part)) {
        size_t bytes = hyb_piece_bytes(hyb_part_count(&part));

        if (!hyb_store_read(r->fd, buffer, bytes, at))
            return is_bad(r, "it ends too early");
        if (!hyb_piece_holds(buffer, part.column, elements,
                             hyb_part_count(&part)))
            return is_bad(r, "it is damaged");
        hyb_part_move(r->lu, r->first, &part, HYB_RESTORE, elements);
        at += (int64_t)bytes;
    }
    return true;
}

/* ---- agreeing ------------------------------------------------------------ */

/* Can each process use its file, and were all written by the same start of the
 * run? */
static bool all_can(const reader_t *r, bool mine)
{
    int64_t restarts = mine ? r->header.restarts : 0;
    int64_t of[] = {!mine, restarts, -restarts};

    MPI_Allreduce(MPI_IN_PLACE, of, 3, MPI_INT64_T, MPI_MAX,
                  r->lu->grid->all_comm);
    if (!mine || (of[0] == 0 && of[1] != -of[2] && r->lu->grid->iam == 0))
        xh_log_warning("--restart: the checkpoint of iteration %d cannot be "
                       "used: %s",
                       r->first,
                       mine ? "its parts were written before a restart and "
                              "after it"
                            : r->why);
    return of[0] == 0 && of[1] == -of[2];
}

/* The file of rank that is tried. */
static bool sees(const reader_t *r, int rank)
{
    const HPL_T_grid *g = r->lu->grid;
    bool by_row = g->order == HPL_ROW_MAJOR;
    hyb_store_t of = *r->store;

    of.row = by_row ? rank / g->npcol : rank % g->nprow;
    of.column = by_row ? rank % g->npcol : rank / g->nprow;
    return hyb_store_exists(&of, r->first);
}

/* Processes that do not see their files learn who does. */
static void say_where(const reader_t *r)
{
    const HPL_T_grid *g = r->lu->grid;
    char host[MPI_MAX_PROCESSOR_NAME] = "";
    int length;

    for (int rank = 0; rank < g->nprocs; rank++) {
        bool is_here = sees(r, rank);
        int of[] = {is_here ? g->iam : INT_MAX, /* the first who sees it */
                    rank == g->iam && is_here ? 0 : 1};

        MPI_Allreduce(MPI_IN_PLACE, of, 2, MPI_INT, MPI_MIN, g->all_comm);
        if (of[0] == INT_MAX || of[1] == 0)
            continue;
        MPI_Get_processor_name(host, &length);
        MPI_Bcast(host, sizeof(host), MPI_CHAR, of[0], g->all_comm);
        if (rank == g->iam)
            xh_log_warning("--restart: the checkpoint of iteration %d of rank "
                           "%d is on %s, where rank %d runs",
                           r->first, rank, host, of[0]);
    }
}

static bool read_checkpoint(reader_t *r, hyb_piece_t *buffer)
{
    bool good = all_can(r, read_header(r));

    if (good)
        good = all_can(r, read_parts(r, buffer));
    else
        say_where(r);
    if (r->fd >= 0)
        close(r->fd);
    return good;
}

/* From the newest one of any process on. */
static bool read_newest(reader_t *r, hyb_piece_t *buffer)
{
    int next = INT_MAX;

    do {
        next = hyb_store_newest_of_any(r->store, next);
        MPI_Allreduce(MPI_IN_PLACE, &next, 1, MPI_INT, MPI_MAX,
                      r->lu->grid->all_comm);
        r->first = next;
    } while (next > 0 && !read_checkpoint(r, buffer));
    return next > 0;
}

/* ---- going on ------------------------------------------------------------ */

/* All columns have met the panels before the first one, or before their own. */
static void set_stages(hyb_lu_t *lu, int first)
{
    hpl_map_t map = hpl_map_columns(lu->grid, lu->mat->nb);

    for (int64_t b = 0; b < lu->ledger.blocks; b++) {
        int panel = b < lu->ledger.b ? hpl_map_block_global(&map, b) : first;
        int64_t stage = hyb_stage(Mmin(panel, first));

        hyb_ledger_queue_all(&lu->ledger, hyb_one_block(b), stage);
        hyb_ledger_complete_all(&lu->ledger, hyb_one_block(b), stage);
    }
}

static void resume(hyb_lu_t *lu, const hyb_header_t *header)
{
    lu->range.first = (int)header->first;
    hyb_groups_cut(&lu->groups, lu->range.first);
    lu->mat->info = (int)header->info;
    set_stages(lu, lu->range.first);
    for (int i = 0; i < hyb_team_size(lu->resources.team); i++)
        atomic_store(&lu->worker[i].iteration, lu->range.first);
    atomic_store(&lu->ledger.opened, lu->range.first);
}

static void say(const reader_t *r)
{
    hyb_header_t now = hyb_restart_header(r->lu);

    if (r->lu->grid->iam > 0)
        return;
    xh_log_info("restarts with iteration %d of %d from %s", r->first,
                r->lu->range.panels, r->store->folder);
    if (hyb_header_rounds_otherwise(&r->header, &now))
        xh_log_warning("--restart: other kernels or another PFACT, NBMIN, "
                       "NDIV or RFACT than before: last bits may differ");
}

/* When any process was last seen. */
static hyb_seen_t last_seen(const reader_t *r)
{
    hyb_seen_t of = hyb_moments_last_seen(r->store);
    double seen[2] = {fmax(of.moment, r->header.moment),
                      fmax(of.elapsed, r->header.elapsed)};

    MPI_Allreduce(MPI_IN_PLACE, seen, 2, MPI_DOUBLE, MPI_MAX,
                  r->lu->grid->all_comm);
    return (hyb_seen_t){seen[0], seen[1]};
}

/* There is no whole checkpoint: had any process noted that the results were
 * written? What was left to remove then goes. */
static xh_status_t begin_anew(const reader_t *r)
{
    const HPL_T_grid *grid = r->lu->grid;
    const char *folder = r->store->folder;
    xh_status_t done =
        hyb_store_exists(r->store, HYB_STORE_DONE) ? XH_ERR_INPUT : XH_OK;

    if (hpl_agree(grid->all_comm, done) != XH_OK) {
        if (grid->iam == 0)
            xh_log_warning("--restart: the run in %s has ended, and its "
                           "results were written: it begins anew",
                           folder);
        hyb_checkpoint_clear(grid->all_comm, true);
        return XH_OK;
    }
    if (grid->iam == 0)
        xh_log_error("--restart: %s holds no checkpoint that all processes of "
                     "this grid can read",
                     folder);
    return XH_ERR_INPUT;
}

xh_status_t hyb_restart_load(hyb_lu_t *lu, hyb_piece_t *buffer,
                             hyb_header_t *header_p, hyb_seen_t *seen_p)
{
    const char *folder = xh_settings_text("restart");
    reader_t r = {.lu = lu, .store = &hyb_store_restart};
    bool good;

    if (folder[0] == '\0')
        return XH_OK;
    good = hyb_store_begin(folder, lu->grid->myrow, lu->grid->mycol,
                           &hyb_store_restart, r.why);
    if (!good)
        xh_log_error("--restart: the folder %s cannot be used: %s", folder,
                     r.why);
    XH_TRY(hpl_agree(lu->grid->all_comm, good ? XH_OK : XH_ERR_INPUT));
    hyb_generate_touch_homes(lu);
    if (!read_newest(&r, buffer))
        return begin_anew(&r);
    *header_p = r.header;
    *seen_p = last_seen(&r);
    resume(lu, &r.header);
    say(&r);
    return XH_OK;
}

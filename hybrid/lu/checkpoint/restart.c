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

typedef struct { /* reads one checkpoint */
    hyb_lu_t *lu;
    const hyb_store_t *store;
    int first;
    int fd;
    hyb_header_t header;
    char why[300]; /* why the checkpoint cannot be used */
} reader_t;

/* ---- the expected header ------------------------------------------------- */

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
    wanted.seed = r->header.seed; /* checked at generation */
    if (hyb_header_differs(&r->header, &wanted, text, sizeof(text)))
        return is_bad(r, text);
    return (r->header.first == r->first && r->first < r->lu->range.panels) ||
           is_bad(r, "it is that of another iteration");
}

/* Read all parts to their homes. */
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

/* ---- agreement ----------------------------------------------------------- */

/* Can each process use its file, and were all files written between the same
 * two restarts? */
static bool all_can(const reader_t *r, bool mine)
{
    int64_t restarts = mine ? r->header.restarts : 0;
    int64_t most[] = {!mine, restarts, -restarts};

    MPI_Allreduce(MPI_IN_PLACE, most, 3, MPI_INT64_T, MPI_MAX,
                  r->lu->grid->all_comm);
    if (!mine || (most[0] == 0 && most[1] != -most[2] && r->lu->grid->iam == 0))
        xh_log_warning("--restart: the checkpoint of iteration %d cannot be "
                       "used: %s",
                       r->first,
                       mine ? "some processes wrote their part before a "
                              "restart, others after it"
                            : r->why);
    return most[0] == 0 && most[1] == -most[2];
}

/* Can this process see the file of `rank`? */
static bool sees_file(const reader_t *r, int rank)
{
    const HPL_T_grid *g = r->lu->grid;
    bool by_row = g->order == HPL_ROW_MAJOR;
    hyb_store_t store = *r->store;

    store.row = by_row ? rank / g->npcol : rank % g->nprow;
    store.column = by_row ? rank % g->npcol : rank / g->nprow;
    return hyb_store_exists(&store, r->first);
}

/* Warn processes that do not see their own files which process sees them. */
static void log_locations(const reader_t *r)
{
    const HPL_T_grid *g = r->lu->grid;
    char host[MPI_MAX_PROCESSOR_NAME] = "";
    int length;

    for (int rank = 0; rank < g->nprocs; rank++) {
        bool is_visible = sees_file(r, rank);
        int least[] = {is_visible ? g->iam
                                  : INT_MAX, /* first process that sees it */
                       rank == g->iam && is_visible ? 0 : 1};

        MPI_Allreduce(MPI_IN_PLACE, least, 2, MPI_INT, MPI_MIN, g->all_comm);
        if (least[0] == INT_MAX || least[1] == 0)
            continue;
        MPI_Get_processor_name(host, &length);
        MPI_Bcast(host, sizeof(host), MPI_CHAR, least[0], g->all_comm);
        if (rank == g->iam)
            xh_log_warning("--restart: the checkpoint of iteration %d of rank "
                           "%d is on %s, where rank %d runs",
                           r->first, rank, host, least[0]);
    }
}

static bool read_checkpoint(reader_t *r, hyb_piece_t *buffer)
{
    bool good = all_can(r, read_header(r));

    if (good)
        good = all_can(r, read_parts(r, buffer));
    else
        log_locations(r);
    if (r->fd >= 0)
        close(r->fd);
    return good;
}

/* Read the newest usable checkpoint, beginning with the newest of any process.
 */
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

/* ---- restart ------------------------------------------------------------- */

/* Set the stage of each block column: the panels before `first` have been
 * applied to it, or those before its own panel. */
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

static void log_restart(const reader_t *r)
{
    hyb_header_t now = hyb_restart_header(r->lu);

    if (r->lu->grid->iam > 0)
        return;
    xh_log_info("restarts with iteration %d of %d from %s", r->first,
                r->lu->range.panels, r->store->folder);
    if (hyb_header_rounds_otherwise(&r->header, &now))
        xh_log_warning(
            "--restart: the kernel, PFACT, NBMIN, NDIV or RFACT differs from "
            "the earlier run; the last bits of the result may differ");
}

/* Return the last sign of life of any process. */
static hyb_life_sign_t last_sign(const reader_t *r)
{
    hyb_life_sign_t own = hyb_moments_last_sign(r->store);
    double latest[2] = {fmax(own.moment, r->header.moment),
                        fmax(own.elapsed, r->header.elapsed)};

    MPI_Allreduce(MPI_IN_PLACE, latest, 2, MPI_DOUBLE, MPI_MAX,
                  r->lu->grid->all_comm);
    return (hyb_life_sign_t){latest[0], latest[1]};
}

/* Call this if there is no usable checkpoint. If a process has marked that the
 * results were written, remove what is left of the run; otherwise fail. */
static xh_status_t begin_anew(const reader_t *r)
{
    const HPL_T_grid *grid = r->lu->grid;
    const char *folder = r->store->folder;
    xh_status_t done =
        hyb_store_exists(r->store, HYB_STORE_DONE) ? XH_ERR_INPUT : XH_OK;

    if (hpl_agree(grid->all_comm, done) != XH_OK) {
        if (grid->iam == 0)
            xh_log_warning("--restart: the run in %s ended and wrote its "
                           "results; this run starts from the beginning",
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
                             hyb_header_t *header_p, hyb_life_sign_t *sign_p)
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
    *sign_p = last_sign(&r);
    resume(lu, &r.header);
    log_restart(&r);
    return XH_OK;
}

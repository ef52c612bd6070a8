/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/checkpoint/restart.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/log.h"
#include "base/settings.h"
#include "hpl/grid/agree.h"
#include "hybrid/lu/checkpoint/geometry.h"
#include "hybrid/lu/generate.h"

typedef struct { /* what is read */
    hyb_lu_t *lu;
    hyb_store_t store;
    double *buffer;      /* elements of a piece */
    int64_t room;        /* elements */
    hyb_header_t header; /* of the checkpoint that is tried */
    char why[200];       /* what is wrong with it */
    hyb_disks_t disks;
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
             lu->means.by_blas ? "blas" : lu->means.kernel->name);
    return h;
}

/* ---- files --------------------------------------------------------------- */

static bool is_bad(reader_t *r, const char *path, const char *what)
{
    snprintf(r->why, sizeof(r->why), "%.100s: %.80s", path, what);
    return false;
}

/* It lies within one block's columns. */
static bool is_of_one_block(const reader_t *r, const hyb_piece_t *p)
{
    const hyb_ledger_t *ledger = &r->lu->ledger;

    return hyb_ledger_block(ledger, p->col) ==
           hyb_ledger_block(ledger, p->col + p->cols - 1);
}

/* One piece at *at, which moves on; its elements count. */
static bool read_piece(reader_t *r, int file, const char *path, int64_t *at,
                       int64_t *elements)
{
    const HPL_T_pmat *mat = r->lu->mat;
    hyb_piece_t p;
    int64_t count;

    if (!hyb_store_read(file, &p, sizeof(p), *at))
        return is_bad(r, path, "it ends too early");
    if (!hyb_piece_is_whole(&p, mat->mp, mat->nq))
        return is_bad(r, path, "it is damaged");
    count = p.rows * p.cols;
    if (count > r->room || !is_of_one_block(r, &p))
        return is_bad(r, path, "it is damaged");
    *at += (int64_t)sizeof(p);
    if (!hyb_store_read(file, r->buffer, (size_t)count * sizeof(double), *at))
        return is_bad(r, path, "it ends too early");
    if (!hyb_piece_holds(&p, r->buffer))
        return is_bad(r, path, "it is damaged");
    hyb_piece_move(r->lu, &p, (int)r->header.first, 0, HYB_RESTORE, r->buffer);
    *at += count * (int64_t)sizeof(double);
    *elements += count;
    return true;
}

/* The pieces from .. to - 1, bytes, which hold so many elements. */
static bool read_pieces(reader_t *r, const char *path, int64_t from, int64_t to,
                        int64_t expected)
{
    int64_t elements = 0;
    bool good = true;
    int file = hyb_store_open(path, O_RDONLY);

    if (file < 0)
        return expected == 0 || is_bad(r, path, strerror(errno));
    while (good && from < to)
        good = read_piece(r, file, path, &from, &elements);
    close(file);
    if (good && elements != expected)
        return is_bad(r, path, "parts of the matrix are missing");
    return good;
}

static int64_t size_of(const char *path)
{
    int file = hyb_store_open(path, O_RDONLY);
    struct stat about = {.st_size = 0};

    if (file < 0)
        return 0;
    fstat(file, &about);
    close(file);
    return (int64_t)about.st_size;
}

static bool read_header(reader_t *r, const char *path)
{
    hyb_header_t wanted = hyb_restart_header(r->lu);
    int file = hyb_store_open(path, O_RDONLY);
    const char *fault;
    char text[80];
    bool whole;

    if (file < 0)
        return is_bad(r, path, strerror(errno));
    whole = hyb_store_read(file, &r->header, sizeof(r->header), 0);
    close(file);
    fault = whole ? hyb_header_fault(&r->header) : "it ends too early";
    if (fault != NULL)
        return is_bad(r, path, fault);
    wanted.seed = r->header.seed; /* seen when the matrix is to be generated */
    if (hyb_header_differs(&r->header, &wanted, text, sizeof(text)))
        return is_bad(r, path, text);
    return true;
}

bool hyb_restart_is_other(hyb_lu_t *lu, const hyb_disks_t *disks, char *text,
                          int64_t size)
{
    reader_t r = {.lu = lu};
    hyb_store_t store = hyb_disks_store(disks, lu->grid->iam, false);
    char path[HYB_STORE_PATH];
    int newest = hyb_disks_newest(disks);

    hyb_store_checkpoint_path(&store, newest, path);
    if (newest == 0 || read_header(&r, path))
        return false;
    snprintf(text, (size_t)size, "%s", r.why);
    return true;
}

void hyb_restart_elements(const hyb_lu_t *lu, int first, int64_t *final_p,
                          int64_t *others_p)
{
    *final_p = *others_p = 0;
    for (int64_t b = 0; b < lu->ledger.check; b++) {
        int64_t columns =
            hyb_ledger_columns(&lu->ledger, hyb_one_block(b)).count;
        int64_t final = hyb_final_rows(lu, b, first);

        *final_p += final * columns;
        *others_p += (hyb_saved_end(lu, b, first) - final) * columns;
    }
}

static bool read_checkpoint(reader_t *r, int first)
{
    char path[HYB_STORE_PATH], final[HYB_STORE_PATH];
    int64_t of_final, others;

    hyb_store_checkpoint_path(&r->store, first, path);
    hyb_store_path(&r->store, "final", final);
    if (!read_header(r, path))
        return false;
    hyb_restart_elements(r->lu, (int)r->header.first, &of_final, &others);
    return read_pieces(r, final, 0, r->header.final_bytes, of_final) &&
           read_pieces(r, path, sizeof(r->header), size_of(path), others);
}

/* ---- agreeing ------------------------------------------------------------ */

/* Has each read its part, and are all of one run? */
static bool is_whole(const reader_t *r, int first, bool mine)
{
    const hyb_header_t *h = &r->header;
    int64_t of[] = {!mine, h->over, -h->over, h->restarts, -h->restarts};
    bool is_one;

    MPI_Allreduce(MPI_IN_PLACE, of, 5, MPI_INT64_T, MPI_MAX,
                  r->lu->grid->all_comm);
    is_one = of[1] == -of[2] && of[3] == -of[4];
    if (of[0] == 0 && !is_one && r->lu->grid->iam == 0)
        xh_log_warning("--restart: the checkpoint of iteration %d cannot be "
                       "used: its parts were written before a restart and "
                       "after it",
                       first);
    return of[0] == 0 && is_one;
}

/* The newest that is not damaged; its place in first, or -1. */
static int read_newest(reader_t *r, const int *first, int count)
{
    for (int i = 0; i < count; i++) {
        bool good;

        hyb_disks_bring(&r->disks, first[i]);
        good = read_checkpoint(r, first[i]);

        if (!good)
            xh_log_warning("--restart: the checkpoint of iteration %d cannot "
                           "be used: %s",
                           first[i], r->why);
        if (is_whole(r, first[i], good))
            return i;
    }
    return -1;
}

/* ---- going on ------------------------------------------------------------ */

static void set_stages(hyb_lu_t *lu)
{
    for (int64_t b = 0; b < lu->ledger.check; b++) {
        int panel = hyb_block_panel(lu, b);
        int stage = panel < lu->range.first
                        ? panel
                        : hyb_boundary_of(&lu->range, panel);

        hyb_ledger_begin_at(&lu->ledger, b, hyb_stage(stage));
    }
}

static void resume(hyb_lu_t *lu, const hyb_header_t *header)
{
    lu->range = hyb_header_boundary(header, lu->range.panels);
    lu->mat->info = (int)header->info;
    set_stages(lu);
    for (int i = 0; i < hyb_team_size(lu->means.team); i++)
        atomic_store(&lu->worker[i].iteration, lu->range.first);
    atomic_store(&lu->ledger.opened, lu->range.first);
}

static void say(const reader_t *r)
{
    const hyb_header_t *h = &r->header;
    hyb_header_t now = hyb_restart_header(r->lu);

    if (r->lu->grid->iam > 0)
        return;
    xh_log_info("restarts with iteration %d of %d from %s", (int)h->first,
                r->lu->range.panels, r->store.folder);
    if (hyb_header_rounds_otherwise(h, &now))
        xh_log_warning("--restart: other kernels or another PFACT, NBMIN, "
                       "NDIV or RFACT than before: last bits may differ");
}

/* When any process was last seen. */
static hyb_seen_t last_seen(const reader_t *r)
{
    hyb_seen_t of = hyb_store_last_seen(&r->store);
    double seen[2] = {fmax(of.moment, r->header.moment),
                      fmax(of.elapsed, r->header.elapsed)};

    MPI_Allreduce(MPI_IN_PLACE, seen, 2, MPI_DOUBLE, MPI_MAX,
                  r->lu->grid->all_comm);
    return (hyb_seen_t){seen[0], seen[1]};
}

/* Had any process noted that the results were written? */
static bool has_ended(const reader_t *r)
{
    int is_done = hyb_store_is_done(&r->store);

    MPI_Allreduce(MPI_IN_PLACE, &is_done, 1, MPI_INT, MPI_MAX,
                  r->lu->grid->all_comm);
    return is_done != 0;
}

/* The folder has no whole checkpoint. */
static xh_status_t begin_anew(const reader_t *r)
{
    bool is_first = r->lu->grid->iam == 0;

    if (has_ended(r)) {
        if (is_first)
            xh_log_warning("--restart: the run in %s has ended, and its "
                           "results were written: it begins anew",
                           r->store.folder);
        return XH_OK;
    }
    if (is_first)
        xh_log_error("--restart: %s holds no checkpoint that all processes of "
                     "this grid can read",
                     r->store.folder);
    return XH_ERR_INPUT;
}

static xh_status_t check_folder(const reader_t *r)
{
    if (r->disks.is_refused)
        xh_log_error("--restart: the folder %s cannot be used: %s",
                     r->disks.folder, r->disks.why);
    return hpl_agree(r->lu->grid->all_comm,
                     r->disks.is_refused ? XH_ERR_INPUT : XH_OK);
}

static xh_status_t load(reader_t *r, hyb_header_t *header_p, hyb_seen_t *seen_p,
                        int *earlier_p)
{
    int first[HYB_STORE_MOST], at;
    int all = hyb_disks_common(&r->disks, first);

    r->store = hyb_disks_store(&r->disks, r->lu->grid->iam, false);
    hyb_generate_touch_homes(r->lu);
    at = read_newest(r, first, all);
    if (at < 0)
        return begin_anew(r);
    *earlier_p = at + 1 < all ? first[at + 1] : 0;
    *header_p = r->header;
    *seen_p = last_seen(r);
    resume(r->lu, &r->header);
    say(r);
    return XH_OK;
}

xh_status_t hyb_restart_load(hyb_lu_t *lu, hyb_header_t *header_p,
                             hyb_seen_t *seen_p, int *earlier_p)
{
    const char *folder = xh_settings_text("restart");
    reader_t r = {.lu = lu};
    xh_status_t status;

    if (folder[0] == '\0')
        return XH_OK;
    r.room = hyb_piece_most(lu->mat->mp);
    r.buffer = malloc((size_t)r.room * sizeof(double));
    status =
        hpl_agree(lu->grid->all_comm, r.buffer != NULL ? XH_OK : XH_ERR_MEMORY);
    if (status == XH_OK)
        status = hyb_disks_find(lu->grid, folder, &r.disks);
    if (status == XH_OK)
        status = check_folder(&r);
    if (status == XH_OK)
        status = load(&r, header_p, seen_p, earlier_p);
    if (status != XH_OK && !r.disks.is_refused)
        rmdir(folder); /* if it is empty: it has just been made */
    hyb_disks_free(&r.disks);
    free(r.buffer);
    return status;
}

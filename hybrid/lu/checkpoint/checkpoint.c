/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/checkpoint/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/log.h"
#include "base/settings.h"
#include "base/text.h"
#include "hpl/comm/waits.h"
#include "hpl/grid/agree.h"
#include "hybrid/lu/checkpoint/format.h"
#include "hybrid/lu/checkpoint/moments.h"
#include "hybrid/lu/checkpoint/restart.h"
#include "hybrid/lu/checkpoint/save.h"
#include "hybrid/lu/checkpoint/settings.h"
#include "hybrid/lu/checkpoint/store.h"
#include "hybrid/lu/guard/check_columns.h"
#include "hybrid/lu/state/lu.h"

enum { NONE = -1, LAG = 2 }; /* LAG: iterations between a vote and its effect */

struct hyb_checkpoint {
    const HPL_T_grid *grid;
    int panels;               /* of the whole matrix */
    int seed;                 /* of the matrix */
    const hyb_store_t *store; /* NULL: no checkpoints are written */
    hyb_piece_t *buffer;      /* room for one piece with its elements */
    int newest; /* first panel of the newest complete checkpoint in the store;
                   0: none */
    hyb_header_t origin; /* of the checkpoint that the run restarted from; first
                            is 0: none */
    hyb_life_sign_t life_sign; /* the last sign of life before the restart */
    hyb_moments_t moments;
    double last_time; /* time of the newest attempt to write one, s */
    MPI_Comm comm;
    MPI_Request request;
    int is_due;         /* vote of process 0: is a checkpoint due? */
    int vote_iteration; /* iteration in which the vote began, or NONE */
    hyb_phase_t phase;
    hpl_checkpoints_t report;
    hpl_checkpoint_t *list;
};

/* ---- create and destroy -------------------------------------------------- */

static bool can_write(const hyb_store_t *store)
{
    int file = hyb_store_open(store, HYB_STORE_PART, O_WRONLY | O_TRUNC);

    if (file < 0)
        return false;
    close(file);
    hyb_store_unlink(store, HYB_STORE_PART);
    return true;
}

/* Open the folder for writing. If it does not exist, create it for this user
 * alone. */
static xh_status_t open_folder(hyb_checkpoint_t *c)
{
    const char *folder = xh_settings_text("checkpoint");
    char why[HYB_STORE_TEXT] = "";

    c->store = &hyb_store_checkpoint;
    if ((mkdir(folder, 0700) == 0 || errno == EEXIST) &&
        hyb_store_begin(folder, c->grid->myrow, c->grid->mycol,
                        &hyb_store_checkpoint, why) &&
        can_write(&hyb_store_checkpoint))
        return XH_OK;
    xh_log_error("--checkpoint: cannot write to the folder %s: %s", folder,
                 why[0] != '\0' ? why : strerror(errno));
    return XH_ERR_INPUT;
}

/* Refuse a folder with checkpoints from which this run, which begins with panel
 * `first`, did not restart: they are not removed, as a restart may need
 * them. */
static xh_status_t take_folder(hyb_checkpoint_t *c, int first)
{
    bool continues =
        c->origin.first > 0 && hyb_store_is_same(c->store, &hyb_store_restart);
    bool is_used = !continues && hyb_store_newest_of_any(c->store, INT_MAX) > 0;
    int owner = is_used ? c->grid->iam : INT_MAX;

    MPI_Allreduce(MPI_IN_PLACE, &owner, 1, MPI_INT, MPI_MIN, c->grid->all_comm);
    if (owner == c->grid->iam)
        xh_log_error("--checkpoint: %s already holds checkpoints: add "
                     "--restart %s to continue from the newest, or remove them",
                     c->store->folder, c->store->folder);
    if (owner < INT_MAX)
        return XH_ERR_INPUT;
    hyb_store_unlink(c->store, HYB_STORE_DONE);
    c->newest = continues ? first : 0;
    return XH_OK;
}

static xh_status_t allocate(hyb_lu_t *lu)
{
    hyb_checkpoint_t *c = lu->checkpoint = calloc(1, sizeof(*c));

    if (c == NULL)
        return XH_ERR_MEMORY;
    c->grid = lu->grid;
    c->panels = lu->range.panels;
    c->comm = MPI_COMM_NULL;
    c->request = MPI_REQUEST_NULL;
    c->vote_iteration = NONE;
    c->moments.file = -1;
    c->buffer = malloc(hyb_save_bytes(lu->mat->mp));
    return c->buffer != NULL ? XH_OK : XH_ERR_MEMORY;
}

xh_status_t hyb_checkpoint_create(hyb_lu_t *lu)
{
    hyb_checkpoint_t *c;
    MPI_Comm all = lu->grid->all_comm;

    if (!hyb_checkpoint_are_asked())
        return XH_OK;
    hyb_store_end(&hyb_store_restart);
    hyb_store_end(&hyb_store_checkpoint);
    XH_TRY(hpl_agree(all, allocate(lu)));
    c = lu->checkpoint;
    MPI_Comm_dup(all, &c->comm);
    XH_TRY(hyb_restart_load(lu, c->buffer, &c->origin, &c->life_sign));
    if (xh_settings_text("checkpoint")[0] == '\0')
        return XH_OK;
    XH_TRY(hpl_agree(all, open_folder(c)));
    XH_TRY(take_folder(c, lu->range.first));
    hyb_poller_add(&lu->poller, hyb_moments_poll, &c->moments);
    return XH_OK;
}

void hyb_checkpoint_destroy(hyb_checkpoint_t *c)
{
    if (c == NULL)
        return;
    hyb_moments_end(&c->moments);
    if (c->comm != MPI_COMM_NULL)
        MPI_Comm_free(&c->comm);
    free(c->buffer);
    free(c->list);
    free(c);
}

bool hyb_checkpoint_resumes(hyb_checkpoint_t *c, int seed)
{
    if (c == NULL)
        return false;
    if (c->origin.first > 0 && c->origin.seed != seed)
        HPL_pabort(__LINE__, "hyb_checkpoint",
                   "--restart: the matrix has the seed %d, not %d",
                   (int)c->origin.seed, seed);
    c->seed = seed;
    return c->origin.first > 0;
}

void hyb_checkpoint_begin(hyb_checkpoint_t *c)
{
    if (c == NULL)
        return;
    c->last_time = xh_clock_wall();
    hyb_moments_begin(c->store, &c->origin, &c->life_sign, &c->moments,
                      &c->report);
    if (c->report.clocks_disagree && c->grid->iam == 0)
        xh_log_warning("--restart: the clock of this host is behind the times "
                       "that the run recorded. The time in the report is a "
                       "lower bound: do not submit its rate");
}

/* ---- deciding ------------------------------------------------------------ */

/* On process 0: should the range end LAG iterations after k? */
static bool is_due(const hyb_checkpoint_t *c, int k)
{
    return k + LAG + 1 < c->panels - 1 &&
           xh_clock_wall() >= c->last_time + hyb_checkpoint_every();
}

bool hyb_checkpoint_advance(hyb_checkpoint_t *c, int k)
{
    if (c == NULL || c->request == MPI_REQUEST_NULL)
        return true;
    hpl_waits_test(c->comm, sizeof(c->is_due), &c->request);
    return c->request == MPI_REQUEST_NULL || k < c->vote_iteration + LAG;
}

void hyb_checkpoint_open(hyb_lu_t *lu, int k)
{
    hyb_checkpoint_t *c = lu->checkpoint;

    if (c == NULL || c->store == NULL ||
        (c->vote_iteration != NONE && k < c->vote_iteration + LAG))
        return;
    if (c->vote_iteration != NONE && c->is_due) {
        c->vote_iteration = NONE;
        atomic_store(&lu->range.end, lu->groups.of[k].end);
        return;
    }
    c->vote_iteration = k;
    c->is_due = c->grid->iam == 0 && is_due(c, k);
    MPI_Ibcast(&c->is_due, 1, MPI_INT, 0, c->comm, &c->request);
}

/* ---- the pause ----------------------------------------------------------- */

/* Is `mine` true on all processes? */
static bool is_true_on_all(hyb_checkpoint_t *c, bool mine)
{
    int all = mine;

    hpl_waits_allreduce(&all, 1, MPI_INT, MPI_MIN, c->comm);
    hyb_phase_step(&c->phase);
    return all != 0;
}

/* Is the matrix right, as far as the online check can tell? A wrong matrix is
 * not saved. */
static bool is_right(hyb_lu_t *lu, int first)
{
    hyb_check_columns_compare(lu->check, first);
    if (hyb_check_columns_alarm(lu->check) == NULL)
        return true;
    xh_log_warning("the checkpoint of iteration %d is not written, because the "
                   "online check has found an error; the run continues",
                   first);
    return false;
}

/* Return `good`. If it is false, warn that `file` could not be written, because
 * of errno. */
static bool is_written(const hyb_checkpoint_t *c, int first, int file,
                       bool good)
{
    char path[HYB_STORE_TEXT];
    int error = errno;

    hyb_store_path(c->store, file, path);
    if (!good)
        xh_log_warning("the checkpoint of iteration %d failed: cannot write "
                       "%s: %s; the run goes on",
                       first, path, strerror(error));
    return good;
}

/* Write a checkpoint on all processes and give it its name, with which it is
 * complete. The previous checkpoint is kept. */
static bool write_checkpoint(hyb_lu_t *lu, int first, double *bytes_p)
{
    hyb_checkpoint_t *c = lu->checkpoint;
    hyb_header_t header = hyb_restart_header(lu);

    header.seed = c->seed;
    header.first = first;
    header.info = lu->mat->info;
    hyb_moments_note(&c->moments, &c->report, &header);
    hyb_header_seal(&header);
    hyb_store_keep(c->store, c->newest);
    *bytes_p = (double)hyb_save(lu, c->store, &header, c->buffer, &c->phase);
    return is_true_on_all(c,
                          is_written(c, first, HYB_STORE_PART, *bytes_p > 0)) &&
           is_true_on_all(
               c, is_written(c, first, first, hyb_store_name(c->store, first)));
}

/* Record the checkpoint of panel `first`, which all processes have written;
 * `bytes` is this process's part. */
static void note(hyb_checkpoint_t *c, int first, double bytes, double seconds)
{
    size_t room = ((size_t)c->report.count + 1) * sizeof(*c->list);
    hpl_checkpoint_t *list = realloc(c->list, room);

    hpl_waits_allreduce(&bytes, 1, MPI_DOUBLE, MPI_SUM, c->comm);
    c->newest = first;
    if (list != NULL) {
        list[c->report.count++] = (hpl_checkpoint_t){first, bytes, seconds};
        c->list = list;
    }
    if (c->grid->iam == 0)
        xh_log_info("checkpoint of iteration %d of %d: %.3g GB, a pause of %s",
                    first, c->panels, 1e-9 * bytes,
                    xh_text_seconds(seconds).text);
}

/* Write a checkpoint; all panels before `first` have been applied to all
 * columns. */
static void checkpoint(hyb_lu_t *lu, int first)
{
    hyb_checkpoint_t *c = lu->checkpoint;
    double start = xh_clock_wall(), bytes;

    hyb_phase_begin(&c->phase, "writing a checkpoint");
    if (is_true_on_all(c, is_right(lu, first)) &&
        write_checkpoint(lu, first, &bytes))
        note(c, first, bytes, xh_clock_wall() - start);
    else {
        c->report.failed++;
        hyb_store_keep(c->store, c->newest);
    }
    hyb_phase_end(&c->phase);
    c->last_time = xh_clock_wall();
}

bool hyb_checkpoint_pause(hyb_lu_t *lu)
{
    int end = hyb_lu_end(lu);

    if (end < lu->range.panels) {
        checkpoint(lu, end);
        lu->range.first = end;
        atomic_store(&lu->range.end, lu->range.panels);
        return true;
    }
    if (lu->checkpoint != NULL)
        MPI_Wait(&lu->checkpoint->request, MPI_STATUS_IGNORE);
    return false;
}

bool hyb_checkpoint_report(const hyb_checkpoint_t *c,
                           hpl_checkpoints_t *report_p)
{
    if (c == NULL)
        return false;
    *report_p = c->report;
    report_p->list = c->list;
    return true;
}

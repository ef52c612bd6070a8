/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/checkpoint/checkpoint.h"

#include <math.h>
#include "base/clock.h"
#include "base/log.h"
#include "base/settings.h"
#include "base/text.h"
#include "hpl/grid/agree.h"
#include "hybrid/lu/checkpoint/copies.h"
#include "hybrid/lu/checkpoint/disks.h"
#include "hybrid/lu/checkpoint/restart.h"
#include "hybrid/lu/checkpoint/settings.h"
#include "hybrid/lu/checkpoint/writer.h"

enum { NONE = -1, LAG = 2 }; /* iterations that a vote has to come */

/* what a process adds to a vote, whose sum all learn */
typedef struct {
    double over;   /* process 0: begin one, over so many iterations */
    double done;   /* 1: its part is on the disk */
    double failed; /* 1: there is none */
    double bytes;  /* of its part */
} vote_t;

struct hyb_checkpoint {
    int seed; /* of the matrix */
    hyb_store_t store;
    hyb_disks_t disks;
    bool goes_on;              /* in the folder that it was restarted from */
    struct hyb_copies *copies; /* on a partner's disk; NULL: none */
    struct hyb_writer *writer;
    double every; /* s */
    double rate;  /* bytes/s of this process's disk */
    MPI_Comm comm;
    MPI_Request request;
    vote_t vote;             /* mine, then all processes' */
    int voted;               /* the iteration in which it began, or NONE */
    double opened;           /* when that was */
    double step;             /* s of an iteration, of late */
    bool writes;             /* one is being written */
    double last;             /* when that began, or the one before */
    hyb_boundary_t boundary; /* of that one */
    int whole[2];            /* the last two that all have; or 0 */
    int64_t final_bytes;     /* of the final file, for the newest */
    hyb_header_t from; /* what it was restarted from; first 0: it was not */
    hyb_seen_t seen;   /* the last sign of life before */
    int earlier;       /* whole as well: the one before it; or 0 */
    double begun;      /* s since 1970: when the run began, restarts and all */
    double zero;       /* when it would have by this process's own clock */
    bool disagree;     /* the clocks of its parts do not agree */
    hpl_checkpoints_t report;
    hpl_checkpoint_t *list;
};

/* ---- create and destroy -------------------------------------------------- */

/* Bytes of this process's checkpoint at its beginning. */
static int64_t bytes_of(const hyb_lu_t *lu, int first)
{
    int64_t final, others;

    hyb_restart_elements(lu, first, &final, &others);
    return others * (int64_t)sizeof(double);
}

/* Does no other run need it? Without a checkpoint that all have there is none
 * to go on from. */
static xh_status_t check_folder(hyb_lu_t *lu)
{
    const struct hyb_checkpoint *c = lu->checkpoint;
    const char *folder = c->store.folder;
    char text[200];
    int first[HYB_STORE_MOST];
    int all = hyb_disks_common(&c->disks, first);

    if (hyb_disks_have_others(&c->disks))
        xh_log_error("--checkpoint: %s holds checkpoints of another grid",
                     folder);
    else if (hyb_restart_is_other(lu, &c->disks, text, sizeof(text)))
        xh_log_error("--checkpoint: the folder is another run's: %s", text);
    else if (all > 0 && lu->grid->iam == 0)
        xh_log_error("--checkpoint: %s holds checkpoints: --restart %s goes on "
                     "from the newest, or remove them",
                     folder, folder);
    else if (all == 0)
        return XH_OK;
    return XH_ERR_INPUT;
}

/* All processes may share a folder: none looks into it while they compute. */
static void forget(const struct hyb_checkpoint *c, int first)
{
    hyb_store_remove(&c->store, first);
    hyb_copies_remove(c->copies, first);
}

/* What not all have written. */
static void forget_last(const struct hyb_checkpoint *c)
{
    if (c->boundary.first != c->whole[0])
        forget(c, c->boundary.first);
}

/* Is the folder the restart's, and so on all hosts, or on none? */
static xh_status_t find_goes_on(hyb_lu_t *lu)
{
    bool same =
        lu->range.first > 0 && hyb_store_is_same(xh_settings_text("checkpoint"),
                                                 xh_settings_text("restart"));
    int found[2] = {same, !same};

    lu->checkpoint->goes_on = same;
    MPI_Allreduce(MPI_IN_PLACE, found, 2, MPI_INT, MPI_MAX, lu->grid->all_comm);
    if (found[0] + found[1] == 1)
        return XH_OK;
    if (lu->grid->iam == 0)
        xh_log_error("--checkpoint %s is the folder of --restart on some hosts "
                     "only: give it one name",
                     xh_settings_text("checkpoint"));
    return XH_ERR_INPUT;
}

/* What a restart left there goes on, or a new run begins. */
static void take_files(hyb_lu_t *lu)
{
    struct hyb_checkpoint *c = lu->checkpoint;

    c->whole[0] = lu->range.first;
    c->whole[1] = c->earlier;
    c->final_bytes = c->from.final_bytes;
    hyb_store_keep(&c->store, c->whole, 2);
    hyb_copies_keep(c->copies, c->whole, 2);
}

/* Where hosts have folders of their own. */
static xh_status_t begin_copies(hyb_lu_t *lu)
{
    struct hyb_checkpoint *c = lu->checkpoint;

    if (c->disks.disks == 1)
        return XH_OK;
    if (c->goes_on)
        hyb_disks_copy(&c->disks, lu->range.first);
    if (lu->grid->iam == 0)
        xh_log_info("checkpoints: %s is on %d disks: each process's files "
                    "are copied to another one",
                    c->store.folder, c->disks.disks);
    XH_TRY(hyb_copies_create(&c->disks, c->comm,
                             hyb_piece_bytes(hyb_piece_most(lu->mat->mp)),
                             &c->copies));
    hyb_poller_add(&lu->poller, hyb_copies_poll, c->copies);
    return XH_OK;
}

static xh_status_t open_files(hyb_lu_t *lu)
{
    enum { SAMPLE = 32 << 20 };
    struct hyb_checkpoint *c = lu->checkpoint;
    int64_t bytes = Mmin(bytes_of(lu, 0) / 4, (int64_t)SAMPLE);

    if (c->goes_on)
        take_files(lu);
    c->rate = hyb_store_probe(&c->store, bytes);
    if (c->rate == 0.0 && bytes > 0)
        return XH_ERR_INPUT;
    if (hyb_checkpoint_bandwidth() > 0.0)
        c->rate = fmin(c->rate, hyb_checkpoint_bandwidth());
    return hyb_writer_create(lu, &c->store, hyb_checkpoint_bandwidth(),
                             c->copies, &c->writer);
}

bool hyb_checkpoint_refuses(const hyb_lu_t *lu)
{
    xh_status_t guests = lu->homes.guests > 0 ? XH_ERR_INPUT : XH_OK;

    if (!hyb_checkpoint_are_asked() ||
        hpl_agree(lu->grid->all_comm, guests) == XH_OK)
        return false;
    if (lu->grid->iam == 0 && strcmp(xh_settings_text("home"), "device") == 0)
        xh_log_error(
            "--checkpoint and --restart: columns come to devices as "
            "guests; a smaller N, or home=host, goes with checkpoints");
    return true;
}

static xh_status_t can_write(const hyb_disks_t *d)
{
    if (d->why[0] == '\0')
        return XH_OK;
    xh_log_error("--checkpoint: cannot write to the folder %s: %s", d->folder,
                 d->why);
    return XH_ERR_INPUT;
}

xh_status_t hyb_checkpoint_create(hyb_lu_t *lu)
{
    struct hyb_checkpoint *c;
    MPI_Comm all = lu->grid->all_comm;

    if (!hyb_checkpoint_are_asked())
        return XH_OK;
    hyb_store_close();
    lu->checkpoint = c = calloc(1, sizeof(*c));
    if (c != NULL)
        c->comm = MPI_COMM_NULL;
    XH_TRY(hpl_agree(all, c != NULL ? XH_OK : XH_ERR_MEMORY));
    c->voted = NONE;
    c->request = MPI_REQUEST_NULL;
    MPI_Comm_dup(all, &c->comm);
    XH_TRY(hyb_restart_load(lu, &c->from, &c->seen, &c->earlier));
    if (!hyb_checkpoint_is_asked("checkpoint"))
        return XH_OK;
    c->every = hyb_checkpoint_every();
    XH_TRY(hyb_disks_find(lu->grid, xh_settings_text("checkpoint"), &c->disks));
    c->store = hyb_disks_store(&c->disks, lu->grid->iam, false);
    XH_TRY(hpl_agree(all, can_write(&c->disks)));
    XH_TRY(find_goes_on(lu));
    if (!c->goes_on) {
        XH_TRY(hpl_agree(all, check_folder(lu)));
        hyb_store_clear(&c->store);
        hyb_store_remove_done(&c->store);
    }
    XH_TRY(begin_copies(lu));
    return hpl_agree(all, open_files(lu));
}

void hyb_checkpoint_destroy(hyb_lu_t *lu)
{
    struct hyb_checkpoint *c = lu->checkpoint;

    if (c == NULL)
        return;
    hyb_writer_destroy(c->writer);
    hyb_copies_destroy(c->copies);
    hyb_disks_free(&c->disks);
    if (c->comm != MPI_COMM_NULL)
        MPI_Comm_free(&c->comm);
    free(c->list);
    free(c);
}

bool hyb_checkpoint_resumes(hyb_lu_t *lu, int seed)
{
    struct hyb_checkpoint *c = lu->checkpoint;

    if (c == NULL)
        return false;
    if (c->from.first > 0 && c->from.seed != seed)
        HPL_pabort(__LINE__, "hyb_checkpoint",
                   "--restart: the matrix has the seed %d, not %d",
                   (int)c->from.seed, seed);
    c->seed = seed;
    return c->from.first > 0;
}

/* ---- moments ------------------------------------------------------------- */

/* What the restart of a run that h is of says of its time; now: s since 1970.
 * Never less than was seen to pass. */
static void note_restart(struct hyb_checkpoint *c, const hyb_header_t *h,
                         double now)
{
    static const double tolerance = 0.5; /* s */
    double passed = now - h->begun;

    c->disagree = h->disagree != 0 || now < c->seen.moment - tolerance ||
                  passed < c->seen.elapsed - tolerance;
    c->begun = h->begun;
    c->report.restarts = (int)h->restarts + 1;
    c->report.iteration = (int)h->first;
    c->report.lost = h->lost + fmax(0.0, c->seen.moment - h->moment);
    c->report.between = h->between + fmax(0.0, now - c->seen.moment);
    c->report.before = fmax(passed, c->seen.elapsed);
    c->report.clocks_disagree = c->disagree;
}

void hyb_checkpoint_begin(hyb_lu_t *lu)
{
    struct hyb_checkpoint *c = lu->checkpoint;

    if (c == NULL)
        return;
    c->last = c->opened = xh_clock_wall();
    c->begun = xh_clock_read(CLOCK_REALTIME);
    if (c->from.first > 0)
        note_restart(c, &c->from, c->begun);
    c->zero = c->opened - c->report.before;
    if (c->writer != NULL)
        hyb_writer_set_zero(c->writer, c->zero);
    if (c->disagree && lu->grid->iam == 0)
        xh_log_warning("--restart: the clock of this host does not agree with "
                       "what the run noted before: its time is at least what "
                       "was seen to pass, and its rate is no result to submit");
}

/* What the header of a checkpoint that begins now says; final_bytes: so far. */
static hyb_header_t header(const hyb_lu_t *lu)
{
    const struct hyb_checkpoint *c = lu->checkpoint;
    hyb_header_t h = hyb_restart_header(lu);

    h.seed = c->seed;
    h.first = c->boundary.first;
    h.over = c->boundary.over;
    h.info = lu->mat->info;
    h.final_bytes = c->final_bytes;
    h.restarts = c->report.restarts;
    h.begun = c->begun;
    h.moment = xh_clock_read(CLOCK_REALTIME);
    h.lost = c->report.lost;
    h.between = c->report.between;
    h.elapsed = xh_clock_wall() - c->zero;
    h.disagree = c->disagree;
    return h;
}

/* ---- deciding ------------------------------------------------------------ */

/* Process 0: over how many iterations one that is decided on in iteration k is
 * written; 0: none is due. */
static int decide(const hyb_lu_t *lu, int k, double now)
{
    const struct hyb_checkpoint *c = lu->checkpoint;
    int first = k + LAG + 1;
    double seconds;

    if (lu->grid->iam > 0 || c->writes || now < c->last + c->every ||
        first > lu->range.panels - 2 ||
        first < lu->range.first + lu->range.over)
        return 0;
    seconds = c->rate > 0.0 ? (double)bytes_of(lu, first) / c->rate : 0.0;
    return hyb_boundary_over(first, lu->range.panels,
                             c->step > 0.0 ? 1.0 + seconds / c->step : 1.0);
}

static void begin_vote(hyb_lu_t *lu, int k)
{
    struct hyb_checkpoint *c = lu->checkpoint;
    bool ended = c->writes && hyb_writer_has_ended(c->writer);
    bool is_whole = ended && hyb_writer_is_whole(c->writer);
    double now = xh_clock_wall();

    if (c->voted != NONE)
        c->step = (now - c->opened) / LAG;
    c->opened = now;
    c->voted = k;
    c->vote = (vote_t){.over = decide(lu, k, now),
                       .done = is_whole,
                       .failed = ended && !is_whole};
    if (is_whole)
        c->vote.bytes = (double)hyb_writer_bytes(c->writer);
    MPI_Iallreduce(MPI_IN_PLACE, &c->vote,
                   (int)(sizeof(vote_t) / sizeof(double)), MPI_DOUBLE, MPI_SUM,
                   c->comm, &c->request);
}

bool hyb_checkpoint_advance(hyb_lu_t *lu, int k)
{
    struct hyb_checkpoint *c = lu->checkpoint;
    int done = 1;

    if (c == NULL || c->request == MPI_REQUEST_NULL)
        return true;
    MPI_Test(&c->request, &done, MPI_STATUS_IGNORE);
    return done || k < c->voted + LAG;
}

/* ---- what all know ------------------------------------------------------- */

static void begin_checkpoint(hyb_lu_t *lu, int k, int over)
{
    struct hyb_checkpoint *c = lu->checkpoint;
    hyb_header_t next;

    c->writes = true;
    c->last = xh_clock_wall();
    c->boundary = (hyb_boundary_t){k + 1, over, lu->range.panels};
    next = header(lu);
    hyb_writer_begin(c->writer, &next, c->final_bytes > 0 ? c->whole[0] : 0);
}

static void note(struct hyb_checkpoint *c, double bytes)
{
    size_t room = ((size_t)c->report.count + 1) * sizeof(*c->list);
    hpl_checkpoint_t *list = realloc(c->list, room);

    if (list == NULL)
        return;
    list[c->report.count++] =
        (hpl_checkpoint_t){c->boundary.first, bytes, xh_clock_wall() - c->last};
    c->list = list;
}

/* All have written their part: what is older than the last two goes. */
static void complete(hyb_lu_t *lu, double bytes)
{
    struct hyb_checkpoint *c = lu->checkpoint;

    c->writes = false;
    forget(c, c->whole[1]);
    c->whole[1] = c->whole[0];
    c->whole[0] = c->boundary.first;
    c->final_bytes = hyb_writer_final_bytes(c->writer);
    note(c, bytes);
    if (lu->grid->iam == 0)
        xh_log_info("checkpoint of iteration %d of %d: %.3g GB in %s",
                    c->boundary.first, lu->range.panels, 1e-9 * bytes,
                    xh_text_seconds(xh_clock_wall() - c->last).text);
}

/* Somebody could not: the last ones stay. */
static void drop(hyb_lu_t *lu)
{
    struct hyb_checkpoint *c = lu->checkpoint;

    c->writes = false;
    c->report.failed++;
    forget_last(c);
}

static void learn(hyb_lu_t *lu, int k)
{
    struct hyb_checkpoint *c = lu->checkpoint;
    const vote_t *sum = &c->vote;
    double all = lu->grid->nprocs;

    if (c->writes && sum->done == all)
        complete(lu, sum->bytes);
    else if (c->writes && sum->failed > 0.0 && sum->done + sum->failed == all)
        drop(lu);
    if (sum->over > 0.0)
        begin_checkpoint(lu, k, (int)sum->over);
}

void hyb_checkpoint_open(hyb_lu_t *lu, int k)
{
    struct hyb_checkpoint *c = lu->checkpoint;

    if (c == NULL || c->writer == NULL ||
        (c->voted != NONE && k < c->voted + LAG))
        return;
    if (c->voted != NONE)
        learn(lu, k);
    begin_vote(lu, k);
}

void hyb_checkpoint_keep_top(hyb_lu_t *lu, int k, xh_view_t top)
{
    struct hyb_checkpoint *c = lu->checkpoint;

    if (c == NULL || c->writer == NULL)
        return;
    hyb_writer_keep_top(c->writer, k, top);
}

bool hyb_checkpoint_lets_factor(hyb_lu_t *lu, int k)
{
    const struct hyb_checkpoint *c = lu->checkpoint;

    return c == NULL || c->writer == NULL ||
           hyb_writer_has_saved_first(c->writer, k);
}

const char *hyb_checkpoint_advice(const hyb_lu_t *lu)
{
    const struct hyb_checkpoint *c = lu->checkpoint;

    return c != NULL && c->writer != NULL
               ? "; --restart goes on from the last checkpoint, if there is one"
               : "";
}

/* One that is still being written comes too late, and so does one that only
 * some processes have. */
void hyb_checkpoint_end(hyb_lu_t *lu)
{
    struct hyb_checkpoint *c = lu->checkpoint;

    if (c == NULL || c->writer == NULL)
        return;
    MPI_Wait(&c->request, MPI_STATUS_IGNORE);
    hyb_writer_give_up(c->writer);
    hyb_copies_close(c->copies);
    forget_last(c);
}

bool hyb_checkpoint_report(const hyb_lu_t *lu, hpl_checkpoints_t *report_p)
{
    const struct hyb_checkpoint *c = lu->checkpoint;

    if (c == NULL)
        return false;
    *report_p = c->report;
    report_p->list = c->list;
    return true;
}

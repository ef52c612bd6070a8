/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks: 1 6 */
#include "testing/unit/unit_mpi.h"

#include <math.h>
#include "hpl.h"
#include "hpl/comm/schedule.h"
#include "testing/unit/hpl/small_system.h"

enum { LONGEST = 10000, TAG = 11 };

static int broadcast_once(HPL_T_panel *panel)
{
    double *data = panel->WORK;
    int errors = 0;

    data[panel->length] = -1.0;
    for (size_t i = 0; i < panel->length; i++)
        data[i] =
            panel->grid->mycol == panel->pcol ? (double)i + panel->pcol : NAN;
    HPL_binit(panel);
    HPL_bwait(panel);
    for (size_t i = 0; i < panel->length; i++)
        errors += data[i] != (double)i + panel->pcol;
    return errors + (data[panel->length] != -1.0);
}

/* Every root and length for the processes of comm. */
static int broadcast_on(MPI_Comm comm, HPL_T_TOP topology)
{
    static const size_t lengths[] = {0, 1, 17, LONGEST};
    static double data[LONGEST + 1];
    HPL_T_grid grid = {.bcast_comm = comm};
    HPL_T_palg algo = {.btopo = topology};
    HPL_T_panel panel = {
        .grid = &grid, .algo = &algo, .WORK = data, .msgid = TAG};
    int errors = 0;

    MPI_Comm_size(comm, &grid.npcol);
    MPI_Comm_rank(comm, &grid.mycol);
    for (panel.pcol = 0; panel.pcol < grid.npcol; panel.pcol++)
        for (size_t i = 0; i < COUNT_OF(lengths); i++) {
            panel.length = lengths[i];
            errors += broadcast_once(&panel);
        }
    return errors;
}

/* The same on the first 1, 2, ... processes, in long and in short messages,
 * and in pieces that are passed on. */
static void broadcast_everywhere(HPL_T_TOP topology)
{
    size_t usual = hpl_message_chunk, usual_piece = hpl_message_piece;
    int rank = unit_rank(), errors = 0;
    MPI_Comm comm;

    for (int nprocs = 1; nprocs <= unit_processes(); nprocs++) {
        MPI_Comm_split(MPI_COMM_WORLD, rank < nprocs ? 0 : MPI_UNDEFINED, rank,
                       &comm);
        if (comm == MPI_COMM_NULL)
            continue;
        errors += broadcast_on(comm, topology);
        hpl_message_chunk = 1000;
        errors += broadcast_on(comm, topology);
        hpl_message_chunk = usual;
        hpl_message_piece = LONGEST / 7;
        errors += broadcast_on(comm, topology);
        hpl_message_piece = usual_piece;
        MPI_Comm_free(&comm);
    }
    assert_int_equal(errors, 0);
}

TEST_CALL(one_ring_reaches_all, broadcast_everywhere(HPL_1RING))
TEST_CALL(one_modified_ring_reaches_all, broadcast_everywhere(HPL_1RING_M))
TEST_CALL(two_rings_reach_all, broadcast_everywhere(HPL_2RING))
TEST_CALL(two_modified_rings_reach_all, broadcast_everywhere(HPL_2RING_M))
TEST_CALL(long_reaches_all, broadcast_everywhere(HPL_BLONG))
TEST_CALL(modified_long_reaches_all, broadcast_everywhere(HPL_BLONG_M))

/* What upstream calls one topology's begin, poll and end. */
typedef struct {
    int (*begin)(HPL_T_panel *);
    int (*poll)(HPL_T_panel *, int *);
    int (*end)(HPL_T_panel *);
} entries_t;

static const entries_t entries[] = {
    {HPL_binit, HPL_bcast, HPL_bwait},
    {HPL_binit_1ring, HPL_bcast_1ring, HPL_bwait_1ring},
    {HPL_binit_1rinM, HPL_bcast_1rinM, HPL_bwait_1rinM},
    {HPL_binit_2ring, HPL_bcast_2ring, HPL_bwait_2ring},
    {HPL_binit_2rinM, HPL_bcast_2rinM, HPL_bwait_2rinM},
    {HPL_binit_blong, HPL_bcast_blong, HPL_bwait_blong},
    {HPL_binit_blonM, HPL_bcast_blonM, HPL_bwait_blonM},
};
enum { ENTRIES = COUNT_OF(entries), NB = 3 };

/* a process row with the matrix that its panels belong to */
typedef struct {
    HPL_T_grid grid;
    HPL_T_palg algo;
    HPL_T_pmat mat;
    double *whole;
    int n;
} row_t;

static bool row_open(row_t *r)
{
    int npcol = unit_processes();

    r->n = 2 * NB * (npcol + ENTRIES);
    r->algo = small_algorithm(SMALL_L1_N, HPL_CROUT, HPL_CROUT);
    r->whole = calloc((size_t)r->n * ((size_t)r->n + 1), sizeof(double));
    assert_non_null(r->whole);
    if (!small_grid_open(&r->grid, 1, npcol))
        return false;
    r->mat = small_distribute(&r->grid, r->n, NB, r->whole);
    return true;
}

static void row_close(row_t *r)
{
    small_release(&r->mat);
    small_grid_close(&r->grid);
    free(r->whole);
}

/* Panel k, its message filled with k on its owners, with NaN elsewhere. */
static HPL_T_panel *panel_of(row_t *r, int k)
{
    HPL_T_panel *panel;

    HPL_pdpanel_new(&r->grid, &r->algo, r->n - k * NB, r->n + 1 - k * NB, NB,
                    &r->mat, k * NB, k * NB, k, &panel);
    for (size_t i = 0; i < panel->length; i++)
        panel->WORK[i] = r->grid.mycol == panel->pcol ? k : NAN;
    return panel;
}

/* Wrong values of panel k, which is released. */
static int check(HPL_T_panel *panel, int k)
{
    int errors = 0;

    for (size_t i = 0; i < panel->length; i++)
        errors += panel->WORK[i] != k;
    HPL_pdpanel_disp(&panel);
    return errors + (panel != NULL);
}

TEST(panels_of_all_topologies_travel_together)
{
    HPL_T_panel *panel[ENTRIES];
    int flag, errors = 0;
    row_t r;

    if (!row_open(&r))
        return;
    for (int k = 0; k < ENTRIES; k++) {
        panel[k] = panel_of(&r, k);
        errors += entries[k].begin(panel[k]) != HPL_SUCCESS;
    }
    for (int k = ENTRIES - 1; k >= 0; k--) {
        errors += entries[k].poll(panel[k], &flag) != flag;
        while (entries[k].poll(panel[k], &flag) != HPL_SUCCESS)
            entries[0].poll(panel[0], &flag);
        errors += entries[k].end(panel[k]) != HPL_SUCCESS;
    }
    for (int k = 0; k < ENTRIES; k++)
        errors += check(panel[k], k);
    row_close(&r);
    assert_int_equal(errors, 0);
}

TEST(a_second_begin_does_nothing)
{
    int flag = 0, errors = 0;
    HPL_T_panel *panel;
    row_t r;

    if (!row_open(&r))
        return;
    panel = panel_of(&r, 1);
    HPL_binit(panel);
    errors += HPL_binit(panel) != HPL_SUCCESS;
    HPL_bwait(panel);
    errors += HPL_bwait(panel) != HPL_SUCCESS;
    errors += HPL_bcast(panel, &flag) != HPL_SUCCESS || flag != HPL_SUCCESS;
    errors += check(panel, 1);
    row_close(&r);
    assert_int_equal(errors, 0);
}

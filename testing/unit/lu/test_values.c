/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks: 4; 1 more */
/*
 * Systems that have no solution in numbers: nobody hangs, and the residual is
 * not one that passes.
 */
#include "testing/unit/unit_mpi.h"

#include <math.h>
#include "hpl/solver/system.h"
#include "hpl_solver.h"
#include "testing/unit/hpl/combinations.h"
#include "testing/unit/lu/solver_fixture.h"
#include "testing/unit/hpl/small_system.h"

enum { ORDER = 100, BLOCK = 12 };

/* one system on all processes, changed at will */
typedef struct {
    double whole[ORDER * (ORDER + 1)];
    HPL_T_grid grid;
    int info;
    double residual;
} trouble_t;

static void trouble_open(trouble_t *t)
{
    int side = unit_processes() == 4 ? 2 : 1;
    uint64_t random = 31;

    small_fill(&random, t->whole, ORDER * (ORDER + 1));
    small_grid_open(&t->grid, side, side);
}

/* Solve it, and see what the residual is for the x that came out. */
static void trouble_solve(trouble_t *t)
{
    HPL_T_palg algo = small_algorithm(SMALL_L1_T, HPL_RIGHT_LOOKING, HPL_CROUT);
    HPL_T_pmat solved = small_distribute(&t->grid, ORDER, BLOCK, t->whole);
    HPL_T_pmat fresh = small_distribute(&t->grid, ORDER, BLOCK, t->whole);
    hpl_norms_t norms;

    algo.depth = 1;
    HPL_pdgesv(&t->grid, &algo, &solved);
    memcpy(fresh.X, solved.X, (size_t)solved.nq * sizeof(double));
    hpl_system_norms(&t->grid, &fresh, &norms);
    t->info = solved.info;
    t->residual = hpl_scaled_residual(&norms, ORDER);
    small_release(&fresh);
    small_release(&solved);
}

typedef void (*spoil_t)(trouble_t *t, int i, double value);

static void make_singular(trouble_t *t, int i, double value)
{
    (void)value;
    memset(Mptr(t->whole, 0, i, ORDER), 0, ORDER * sizeof(double));
}

static void spoil_a(trouble_t *t, int i, double value)
{
    *Mptr(t->whole, ORDER - 1 - i / 2, i, ORDER) = value;
}

static void spoil_b(trouble_t *t, int i, double value)
{
    *Mptr(t->whole, i, ORDER, ORDER) = value;
}

/* How often it passed, over places, look-aheads, and devices. */
static int passes(spoil_t spoil, double value, bool is_singular)
{
    static const char *const settings[] = {
        "threads=2 lookahead=2", "threads=1 lookahead=1",
        "threads=2 lookahead=mixed tile=24 split=fixed:0.7"};
    static const int places[] = {0, BLOCK, ORDER - 1};
    static trouble_t t;
    int wrong = 0;

    for (size_t s = 0; s < COUNT_OF(settings); s++) {
        solver_open_with_devices(s == 2, settings[s]);
        for (size_t p = 0; p < COUNT_OF(places); p++) {
            trouble_open(&t);
            spoil(&t, places[p], value);
            trouble_solve(&t);
            small_grid_close(&t.grid);
            wrong += t.residual < 16.0 && t.info == 0;
            wrong += is_singular && t.info != 1 + places[p];
        }
        solver_close();
    }
    return wrong;
}

TEST_CALL(a_column_of_zeros_is_found,
          combinations_end(passes(make_singular, 0.0, true)))
TEST_CALL(a_nan_in_a_never_passes,
          combinations_end(passes(spoil_a, NAN, false)))
TEST_CALL(an_infinity_in_b_never_passes,
          combinations_end(passes(spoil_b, -INFINITY, false)))

/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/unit/hpl/combinations.h"

#include <math.h>
#include "base/status.h"
#include "hpl.h"
#include "hpl/pauxil/deal.h"
#include "hpl/solver/system.h"
#include "testing/unit/hpl/small_system.h"
#include "testing/unit/hpl/processes.h"
#include "testing/unit/unit.h"

enum { MOST_N = 700, MOST_COLUMNS = 9 };

static const double TOLERANCE = 1e-8; /* of x, relative to its largest entry */

static const struct {
    range_t range;
    const char *option;
} everything[QUANTITIES] = {
    {{N, 0, 300, 1}, "-n"},
    {{NB, 1, 96, 1}, "-nb"},
    {{P, 1, 9, 1}, "-p"},
    {{Q, 1, 9, 1}, "-q"},
    {{PMAP, 0, 1, 1}, "--pmap"},
    {{PFACT, 0, 2, 1}, "--pfact"},
    {{NBMIN, 1, 12, 1}, "--nbmin"},
    {{NDIV, 2, 5, 1}, "--ndiv"},
    {{RFACT, 0, 2, 1}, "--rfact"},
    {{BCAST, 0, 5, 1}, "--bcast"},
    {{DEPTH, 0, 5, 1}, "--depth"},
    {{SWAP, 0, 2, 1}, "--swap"},
    {{SWAP_THRESHOLD, 0, 200, 1}, "--swap-threshold"},
    {{L1, 0, 1, 1}, "--l1"},
    {{U, 0, 1, 1}, "--u"},
    {{EQUIL, 0, 1, 1}, "--equil"},
    {{ALIGN, 1, 16, 1}, "--align"},
};

static int choose(const range_t *range, uint64_t *random)
{
    int choices = (range->most - range->least) / range->step + 1;

    return range->least + range->step * small_random(random, choices);
}

combination_t combination_next(const combinations_t *of, uint64_t *random)
{
    range_t range[QUANTITIES];
    combination_t c = {.rate = of->rate};

    for (int q = 0; q < QUANTITIES; q++)
        range[q] = everything[q].range;
    for (size_t i = 0; i < of->ranges; i++)
        range[of->narrowed[i].quantity] = of->narrowed[i];
    do {
        for (int q = 0; q < QUANTITIES; q++)
            c.value[q] = choose(&range[q], random);
    } while (c.value[P] * c.value[Q] > unit_processes());
    return c;
}

/* What it asks for, but for the order, the width of blocks and the grid. */
static HPL_T_palg algorithm_of(const combination_t *c)
{
    static const HPL_T_UPD_FUN upfuns[2][2] = {
        {HPL_pdupdateTT, HPL_pdupdateTN}, {HPL_pdupdateNT, HPL_pdupdateNN}};
    const int *v = c->value;
    HPL_T_palg algo =
        small_algorithm(v[L1] ? SMALL_L1_N : SMALL_L1_T,
                        (HPL_T_FACT)(HPL_LEFT_LOOKING + v[PFACT]),
                        (HPL_T_FACT)(HPL_LEFT_LOOKING + v[RFACT]));

    algo.btopo = (HPL_T_TOP)(HPL_1RING + v[BCAST]);
    algo.depth = v[DEPTH];
    algo.nbdiv = v[NDIV];
    algo.nbmin = v[NBMIN];
    algo.upfun = upfuns[v[L1]][v[U]];
    algo.fswap = (HPL_T_SWAP)(HPL_SWAP00 + v[SWAP]);
    algo.fsthr = v[SWAP_THRESHOLD];
    algo.equil = v[EQUIL];
    algo.align = v[ALIGN];
    return algo;
}

/* x := A^-1 b as the textbook does it, for the newest n. */
static const double *textbook_solution(int n)
{
    static double x[MOST_N];
    static int solved = -1;
    double *a;
    int pivot[MOST_N];

    if (n == solved)
        return x;
    solved = n;
    a = malloc((size_t)n * ((size_t)n + 1) * sizeof(*a) + 1);
    assert_non_null(a);
    HPL_dmatgen(n, n + 1, a, n, HPL_ISEED);
    small_factor_panel(a, n, 0, n, &(small_order_t){1, 1}, pivot);
    small_interchange(a, n, 0, n, pivot, n, n + 1);
    memcpy(x, a + (size_t)n * n, (size_t)n * sizeof(*x));
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++)
            x[i] -= x[k] * a[i + (size_t)k * n];
    for (int k = n - 1; k >= 0; k--) {
        x[k] /= a[k + (size_t)k * n];
        for (int i = 0; i < k; i++)
            x[i] -= x[k] * a[i + (size_t)k * n];
    }
    free(a);
    return x;
}

/* Largest difference of x and y, relative to the largest entry of y. */
static double distance(int n, const double *x, const double *y)
{
    double largest = 0.0, difference = 0.0;

    for (int i = 0; i < n; i++) {
        if (isnan(x[i]))
            return INFINITY;
        largest = fmax(largest, fabs(y[i]));
        difference = fmax(difference, fabs(x[i] - y[i]));
    }
    return n == 0 ? 0.0 : difference / largest;
}

/* Solve c on grid; NULL, or what is wrong. */
static const char *solve(HPL_T_grid *grid, const combination_t *c, double *x)
{
    const hpl_solver_t *solver = hpl_solver();
    HPL_T_palg algo = algorithm_of(c);
    int n = c->value[N], info = -1;
    hpl_system_t *system;
    hpl_norms_t norms;

    if (solver->create(grid, &algo, n, c->value[NB], &system) != XH_OK)
        return "not enough memory";
    solver->generate(system, HPL_ISEED);
    solver->solve(system, &info);
    small_solution(grid, &system->mat, x);
    solver->check(system, HPL_ISEED, &norms);
    solver->destroy(system);
    if (info != 0)
        return "a zero pivot";
    if (!(hpl_scaled_residual(&norms, n) < 1.0))
        return "the residual is 1 or more";
    return NULL;
}

/* Solve c by the solver in use, with columns dealt by rates if it has any. */
static const char *solve_dealt(HPL_T_grid *grid, const combination_t *c,
                               double *x)
{
    hpl_deal_t *deal = NULL;
    double rate[MOST_COLUMNS];
    const char *wrong;

    for (int q = 0; q < grid->npcol && c->rate != NULL; q++)
        rate[q] = c->rate[q % COMBINATION_RATES];
    if (c->rate != NULL)
        assert_ok(hpl_deal_create(rate, grid->npcol, c->value[N], c->value[NB],
                                  &deal));
    grid->deal = deal;
    wrong = solve(grid, c, x);
    grid->deal = NULL;
    hpl_deal_destroy(deal);
    return wrong;
}

/* NULL, or what is wrong with the result on this process. */
static const char *compare(HPL_T_grid *grid, const combination_t *c)
{
    static double x[MOST_N], expected[MOST_N];
    const char *wrong = solve_dealt(grid, c, x);
    int n = c->value[N];

    if (grid->iam == 0)
        memcpy(expected, textbook_solution(n), (size_t)n * sizeof(*expected));
    MPI_Bcast(expected, n, MPI_DOUBLE, 0, grid->all_comm);
    if (wrong != NULL)
        return wrong;
    return distance(n, x, expected) <= TOLERANCE ? NULL : "x is wrong";
}

const char *combination_solve(const combination_t *c)
{
    const char *wrong = NULL;
    HPL_T_grid grid;

    HPL_grid_init(MPI_COMM_WORLD,
                  c->value[PMAP] ? HPL_COLUMN_MAJOR : HPL_ROW_MAJOR,
                  c->value[P], c->value[Q], &grid);
    if (grid.myrow >= 0)
        wrong = compare(&grid, c);
    HPL_grid_exit(&grid);
    return wrong;
}

/* The options of xhpl that repeat it. */
static void say(const combination_t *c, const char *wrong, const char *settings)
{
    fprintf(stderr, "%s: settings %s; xhpl", wrong, settings);
    for (int q = 0; q < QUANTITIES; q++)
        fprintf(stderr, " %s %d", everything[q].option, c->value[q]);
    fprintf(stderr, "\n");
}

int combinations_solve(const combinations_t *of)
{
    int count = of->count;
    uint64_t random = of->seed;
    int failures = 0;

    if (count == 0)
        count = unit_processes() > 4 ? 3 : 7;
    for (int i = 0; i < count; i++) {
        combination_t c = combination_next(of, &random);
        const char *more = of->prepare != NULL ? of->prepare(i) : "", *wrong;
        char settings[256];

        wrong = combination_solve(&c);
        if (wrong == NULL)
            continue;
        failures++;
        snprintf(settings, sizeof(settings), "%s %s", of->settings, more);
        say(&c, wrong, settings);
    }
    return failures;
}

void combinations_end(int failures)
{
    int most;

    MPI_Allreduce(&failures, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    assert_int_equal(most, 0);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks: 1 4; 9 more; needs: blas */
#include "testing/unit/unit_mpi.h"

#include <math.h>
#include "base/log.h"
#include "hpl.h"
#include "hpl/pauxil/map.h"
#include "hpl/solver/system.h"
#include "hpl_solver.h"
#include "testing/unit/hpl/small_system.h"

enum { MOST = 60, PANELS = 16 };

/* ---- memory ------------------------------------------------------------- */

/* the panels of one solve, and the most doubles that each has held */
static struct {
    const HPL_T_panel *panel[PANELS];
    size_t doubles[PANELS];
    int count;
} seen;

/* An update that notes the memory of its panel. */
static void watched_update(HPL_T_panel *next, int *state, HPL_T_panel *panel,
                           const int columns)
{
    int i = 0;

    HPL_pdupdateNN(next, state, panel, columns);
    while (i < seen.count && seen.panel[i] != panel)
        i++;
    if (i == PANELS)
        HPL_pabort(__LINE__, "watched_update", "more panels than expected");
    seen.count = Mmax(seen.count, i + 1);
    seen.panel[i] = panel;
    seen.doubles[i] = Mmax(seen.doubles[i], panel->capacity + panel->ucapacity);
}

/* Bytes of panels that a solve really holds on this process. */
static uint64_t watched_bytes(hpl_system_t *system)
{
    uint64_t bytes = 0;
    int info;

    memset(&seen, 0, sizeof(seen));
    hpl_solver()->generate(system, HPL_ISEED);
    hpl_solver()->solve(system, &info);
    for (int i = 0; i < seen.count; i++)
        bytes += seen.doubles[i] * sizeof(double);
    return bytes;
}

/* Is bytes() above what is held, and by no more than what must be slack? */
static bool wrong_bytes(HPL_T_grid *grid, int n, int nb, int depth)
{
    HPL_T_palg algo = small_algorithm(SMALL_L1_N, HPL_CROUT, HPL_CROUT);
    hpl_shape_t shape = hpl_system_shape(grid, n, nb);
    hpl_map_t rows = hpl_map(nb, grid->nprow, grid->myrow);
    hpl_map_t columns = hpl_map_columns(grid, nb);
    uint64_t mp = (uint64_t)hpl_map_count(&rows, n);
    uint64_t nq = (uint64_t)hpl_map_count(&columns, n + 1), held, said;
    /* two steps of the leading dimension, x and the sums of the solve; and U
     * of columns that owners of panels ahead take in several goes */
    uint64_t slack = nq * 17 + mp + (uint64_t)nb + 16;
    uint64_t u_slack = nq * 3 * (uint64_t)(nb * Mmin(depth, PANELS));
    hpl_system_t *system;

    algo.depth = shape.depth = depth;
    shape.align = algo.align;
    algo.upfun = watched_update;
    if (hpl_solver()->create(grid, &algo, n, nb, &system) != XH_OK)
        return true;
    held = watched_bytes(system) + (mp + 1) * nq * sizeof(double);
    said = hpl_solver()->bytes(&shape);
    hpl_solver()->destroy(system);
    slack += grid->nprow > 1 ? u_slack : 0;
    return said < held || said > held + slack * sizeof(double);
}

static const int grids[][2] = {{1, 1}, {2, 2}, {4, 1}, {1, 4}, {3, 3}, {2, 4}};
enum { GRIDS = COUNT_OF(grids) };

TEST(bytes_is_a_close_bound_of_what_is_held)
{
    static const int shapes[][2] = {{0, 4}, {1, 1}, {60, 7}, {48, 8}, {5, 90}};
    int errors = 0;
    HPL_T_grid grid;

    xh_log_limit(XH_LOG_WARNING);
    for (int g = 0; g < GRIDS; g++) {
        if (grids[g][0] * grids[g][1] > unit_processes())
            continue;
        if (small_grid_open(&grid, grids[g][0], grids[g][1]))
            for (int k = 0; k < 5; k++)
                for (int depth = 0; depth < PANELS; depth += 5)
                    errors +=
                        wrong_bytes(&grid, shapes[k][0], shapes[k][1], depth);
        small_grid_close(&grid);
    }
    assert_int_equal(errors, 0);
}

TEST(bytes_beyond_32_bits_do_not_overflow)
{
    hpl_shape_t shape = {.n = 1000000,
                         .nb = 1000,
                         .nprow = 2,
                         .npcol = 2,
                         .depth = 1,
                         .align = 8};
    double matrix = 8.0 * 500000 * 500000;
    double panels = 2 * 8.0 * 500000 * 1000;

    assert_true((double)hpl_reference_solver.bytes(&shape) > matrix + panels);
    assert_true((double)hpl_reference_solver.bytes(&shape) < 1.01 * matrix);
    shape.depth = INT_MAX;
    assert_true((double)hpl_reference_solver.bytes(&shape) < 2.1 * matrix);
    shape = (hpl_shape_t){
        .n = 10, .nb = INT_MAX, .nprow = 1, .npcol = 1, .depth = 5, .align = 1};
    assert_true(hpl_reference_solver.bytes(&shape) < 10000);
}

/* ---- solving ------------------------------------------------------------ */

/* the arrays that a caller of HPL_pdgesv hands over */
typedef struct {
    HPL_T_grid grid;
    HPL_T_palg algo;
    HPL_T_pmat mat;
    double whole[MOST * (MOST + 1)];
    int n;
} caller_t;

/* On all processes, as far as they make a rectangle. */
static bool caller_open(caller_t *c, int n)
{
    int nprow = unit_processes() >= 4 ? 2 : 1;
    uint64_t random = 8;

    xh_log_limit(XH_LOG_WARNING);
    c->n = n;
    c->algo = small_algorithm(SMALL_L1_N, HPL_RIGHT_LOOKING, HPL_CROUT);
    small_fill(&random, c->whole, (size_t)n * ((size_t)n + 1));
    return small_grid_open(&c->grid, nprow, unit_processes() / nprow);
}

static void caller_close(caller_t *c)
{
    small_release(&c->mat);
    small_grid_close(&c->grid);
}

/* Norms of the caller's system after its solve, or with an x of its own. */
static hpl_norms_t norms_of(caller_t *c, double x)
{
    hpl_norms_t norms;

    for (int j = 0; j < c->mat.nq; j++)
        c->mat.X[j] = x;
    hpl_system_norms(&c->grid, &c->mat, &norms);
    return norms;
}

/* Is there anything but finite numbers in x? */
static bool has_no_value(caller_t *c)
{
    double x[MOST];

    small_solution(&c->grid, &c->mat, x);
    for (int i = 0; i < c->n; i++)
        if (!isfinite(x[i]))
            return true;
    return false;
}

TEST(a_singular_system_gives_info_and_no_finite_x)
{
    static caller_t c;
    int errors = 0;

    if (caller_open(&c, 40)) {
        memset(Mptr(c.whole, 0, 17, 40), 0, 40 * sizeof(double));
        c.mat = small_distribute(&c.grid, 40, 6, c.whole);
        HPL_pdgesv(&c.grid, &c.algo, &c.mat);
        errors = (c.mat.info != 18) + !has_no_value(&c);
    }
    caller_close(&c);
    assert_int_equal(errors, 0);
}

/* ---- the check ---------------------------------------------------------- */

/* The same norms, by their definition, for x with all entries equal. */
static hpl_norms_t norms_by_the_book(const caller_t *c, double x)
{
    hpl_norms_t o = {.x_inf = fabs(x), .x_one = c->n * fabs(x)};
    double row, column, r;
    int n = c->n;

    for (int i = 0; i < n; i++) {
        row = column = 0.0;
        r = -*Mptr(c->whole, i, n, n);
        o.b_inf = fmax(o.b_inf, fabs(r));
        for (int j = 0; j < n; j++) {
            row += fabs(*Mptr(c->whole, i, j, n));
            column += fabs(*Mptr(c->whole, j, i, n));
            r += *Mptr(c->whole, i, j, n) * x;
        }
        o.a_inf = fmax(o.a_inf, row);
        o.a_one = fmax(o.a_one, column);
        o.r_inf = fmax(o.r_inf, fabs(r));
    }
    return o;
}

static bool differ(double x, double y)
{
    return !(fabs(x - y) <= 1e-12 * fabs(y));
}

TEST(norms_are_those_of_the_definition)
{
    static caller_t c;
    hpl_norms_t is, should_be;
    int errors = 0;

    if (caller_open(&c, 37)) {
        c.mat = small_distribute(&c.grid, 37, 5, c.whole);
        is = norms_of(&c, -1.5);
        should_be = norms_by_the_book(&c, -1.5);
        for (size_t i = 0; i < offsetof(hpl_norms_t, x_bits) / sizeof(double);
             i++)
            errors += differ(((double *)&is)[i], ((double *)&should_be)[i]);
    }
    caller_close(&c);
    assert_int_equal(errors, 0);
}

/* Norms of a system with a NaN at (i, j) of [ A | b ], or in x if i is -1. */
static hpl_norms_t norms_with_nan(int i, int j)
{
    static caller_t c;
    hpl_norms_t norms = {NAN, NAN, NAN, NAN, NAN, NAN, 0};

    if (caller_open(&c, 30)) {
        if (i >= 0)
            *Mptr(c.whole, i, j, 30) = NAN;
        c.mat = small_distribute(&c.grid, 30, 4, c.whole);
        norms = norms_of(&c, 1.0);
        if (i < 0 && c.grid.mycol == c.grid.npcol - 1 && c.mat.nq > 1)
            c.mat.X[1] = NAN;
        hpl_system_norms(&c.grid, &c.mat, &norms);
    }
    caller_close(&c);
    return norms;
}

TEST(a_nan_in_a_b_or_x_reaches_its_norms_and_the_residual)
{
    hpl_norms_t norms = norms_with_nan(29, 3);

    assert_true(isnan(norms.a_inf) && isnan(norms.a_one));
    assert_true(isnan(norms.r_inf));
    assert_true(isnan(hpl_scaled_residual(&norms, 30)));
    norms = norms_with_nan(13, 30);
    assert_true(isnan(norms.b_inf) && isnan(norms.r_inf));
    norms = norms_with_nan(-1, 0);
    assert_true(isnan(norms.x_inf) && isnan(norms.x_one));
    assert_true(isnan(norms.r_inf));
}

TEST(the_scaled_residual_is_upstreams_formula)
{
    hpl_norms_t norms = {
        .a_inf = 4.0, .x_inf = 2.0, .b_inf = 8.0, .r_inf = 0x1p-40};

    assert_true(hpl_scaled_residual(&norms, 64) == 0x1p13 / 16.0 / 64.0);
    assert_true(hpl_scaled_residual(&norms, 0) == 0.0);
}

/* ---- the socket --------------------------------------------------------- */

static const HPL_T_pmat *solved;

static void note_array(HPL_T_grid *grid, HPL_T_palg *algo, HPL_T_pmat *array)
{
    (void)grid;
    (void)algo;
    solved = array;
}

TEST(another_solver_can_be_installed_and_removed)
{
    hpl_solver_t other = hpl_reference_solver;
    HPL_T_pmat mat = {.n = 0};

    other.solve_array = note_array;
    assert_ptr_equal(hpl_solver(), &hpl_reference_solver);
    hpl_solver_install(&other);
    HPL_pdgesv(NULL, NULL, &mat);
    assert_ptr_equal(solved, &mat);
    hpl_solver_install(NULL);
    assert_ptr_equal(hpl_solver(), &hpl_reference_solver);
}

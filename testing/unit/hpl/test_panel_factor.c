/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks: 4; needs: blas */
#include "testing/unit/unit_mpi.h"

#include <math.h>
#include "hpl.h"
#include "hpl/blas/matrix.h"
#include "hpl/panel/panel.h"
#include "hpl/pauxil/map.h"
#include "testing/unit/hpl/small_system.h"

enum { MOST = 45 };

/* one panel of a matrix, and what the textbook makes of it */
typedef struct {
    HPL_T_grid grid;
    HPL_T_palg algo;
    HPL_T_panel *panel;
    double whole[MOST * (MOST + 1)];
    int n, nb, k;
    int pivot[MOST];
    int info;
} setting_t;

static enum HPL_TRANS form_of(const HPL_T_palg *algo)
{
    return algo->upfun == HPL_pdupdateNN ? HplNoTrans : HplTrans;
}

/* Wrong pivots or info; they must be exactly the textbook's. */
static int wrong_pivots(const setting_t *s)
{
    int errors = *s->panel->DINFO != s->info;

    for (int i = 0; i < s->panel->jb; i++)
        errors += s->panel->DPIV[i] != s->pivot[i];
    return errors;
}

static bool differs(double x, double y)
{
    return !(fabs(x - y) <= 1e-12);
}

static int wrong_l1(const setting_t *s)
{
    const HPL_T_panel *p = s->panel;
    hpl_matrix_t l1 = {p->L1, p->jb, form_of(&s->algo)};
    int errors = 0;

    for (int j = 0; j < p->jb; j++)
        for (int i = 0; i < p->jb; i++)
            errors += differs(*hpl_matrix_at(l1, i, j).data,
                              *Mptr(s->whole, p->ia + i, p->ja + j, s->n));
    return errors;
}

static int wrong_l2(const setting_t *s)
{
    const HPL_T_panel *p = s->panel;
    hpl_map_t rows = hpl_map(s->nb, s->grid.nprow, s->grid.myrow);
    int i, j, top = hpl_panel_top_rows(p), errors = 0;

    for (j = 0; j < p->jb; j++)
        for (i = 0; i < p->mp - top; i++)
            errors +=
                differs(*Mptr(p->L2, i, j, p->ldl2),
                        *Mptr(s->whole, hpl_map_global(&rows, p->ii + top + i),
                              p->ja + j, s->n));
    return errors;
}

/* Factor panel k both ways; whole holds [ A | b ] before. */
static int factor(setting_t *s)
{
    HPL_T_pmat mat = small_distribute(&s->grid, s->n, s->nb, s->whole);
    int ia = s->k * s->nb, jb = Mmin(s->nb, s->n - ia), errors = 0;
    small_order_t order = {s->nb, s->grid.nprow};

    HPL_pdpanel_new(&s->grid, &s->algo, s->n - ia, s->n + 1 - ia, jb, &mat, ia,
                    ia, 1, &s->panel);
    s->info = small_factor_panel(s->whole, s->n, ia, jb, &order, s->pivot);
    HPL_pdfact(s->panel);
    if (s->grid.mycol == s->panel->pcol) {
        errors += wrong_pivots(s) + wrong_l1(s) + wrong_l2(s);
        errors += small_distance(&s->grid, &mat, s->whole, ia) > 1e-12;
    }
    HPL_pdpanel_disp(&s->panel);
    small_release(&mat);
    return errors;
}

typedef void (*fill_t)(setting_t *s);

/* Panels at the beginning, inside and at the end, wide, narrow and short. */
static int factor_shapes(setting_t *s, fill_t fill)
{
    static const int shapes[][3] = {{MOST, 15, 1}, {MOST, 15, 2}, {44, 12, 3},
                                    {11, 16, 0},   {9, 1, 4},     {1, 1, 0}};
    int errors = 0;

    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        s->n = shapes[i][0];
        s->nb = shapes[i][1];
        s->k = shapes[i][2];
        fill(s);
        errors += factor(s);
    }
    return errors;
}

typedef int (*trial_t)(setting_t *s, fill_t fill);

/* On one, two and three process rows, and one or two process columns. */
static int try_on_grids(trial_t trial, fill_t fill)
{
    static setting_t s;
    int errors = 0;

    for (int q = 1; q <= 2; q++)
        for (int p = 1; p <= 3 && p * q <= unit_processes(); p++) {
            if (small_grid_open(&s.grid, p, q))
                errors += trial(&s, fill);
            small_grid_close(&s.grid);
        }
    return errors;
}

static void fill_at_random(setting_t *s)
{
    uint64_t random = (uint64_t)(s->n * 100 + s->nb);

    small_fill(&random, s->whole, (size_t)(s->n * (s->n + 1)));
}

/* Each base and each recursive variant, with L1 in both forms: without
 * recursion, down to single columns, and cut into as many parts as there are.
 */
static int factor_by_all(setting_t *s, fill_t fill)
{
    static const int cuts[][2] = {{INT_MAX, 2}, {1, 2}, {2, 3}, {4, INT_MAX}};
    int errors = 0;

    for (int v = 0; v < 2 * 3 * 3; v++)
        for (size_t i = 0; i < COUNT_OF(cuts); i++) {
            int base = v / 2 % 3, recursive = v / 6, wrong;

            if (cuts[i][0] == INT_MAX && recursive > 0)
                continue;
            s->algo =
                small_algorithm(v % 2 ? SMALL_L1_T : SMALL_L1_N,
                                (HPL_T_FACT)(HPL_LEFT_LOOKING + base),
                                (HPL_T_FACT)(HPL_LEFT_LOOKING + recursive));
            s->algo.nbmin = cuts[i][0];
            s->algo.nbdiv = cuts[i][1];
            wrong = factor_shapes(s, fill);
            if (wrong > 0)
                print_error("L1 %d, PFACT %d, RFACT %d, NBMIN %d, NBDIV %d\n",
                            v % 2, base, recursive, cuts[i][0], cuts[i][1]);
            errors += wrong;
        }
    return errors;
}

TEST_CALL(every_variant_is_lu,
          assert_int_equal(try_on_grids(factor_by_all, fill_at_random), 0))

/* Each kernel, with L1 in both forms, base and recursive, in one combination.
 */
static int try_kernels(setting_t *s, trial_t trial, fill_t fill)
{
    int errors = 0;

    for (int l1 = SMALL_L1_N; l1 <= SMALL_L1_T; l1++)
        for (int variant = 0; variant < 3; variant++) {
            s->algo = small_algorithm(
                (small_l1_t)l1, (HPL_T_FACT)(HPL_LEFT_LOOKING + variant),
                (HPL_T_FACT)(HPL_LEFT_LOOKING + (variant + 1) % 3));
            s->algo.nbmin = 1 + variant % 2;
            errors += trial(s, fill);
        }
    return errors;
}

/* +1 and -1: all of the first column ties, and three columns stay exact. */
static void fill_with_ties(setting_t *s)
{
    uint64_t random = (uint64_t)(7 + s->k);

    for (int i = 0; i < s->n * (s->n + 1); i++)
        s->whole[i] = small_random(&random, 2) ? 1.0 : -1.0;
}

static int factor_narrow(setting_t *s, fill_t fill)
{
    int errors = 0;

    s->n = 29;
    s->nb = 3;
    for (s->k = 0; s->k < 4; s->k++) {
        fill(s);
        errors += factor(s);
    }
    return errors;
}

static int factor_narrow_by_all(setting_t *s, fill_t fill)
{
    return try_kernels(s, factor_narrow, fill);
}

TEST_CALL(ties_go_to_the_lowest_process_row_and_its_first_row,
          assert_int_equal(try_on_grids(factor_narrow_by_all, fill_with_ties),
                           0))

/* As the textbook, but where the panel's column 2 is zero. */
static void fill_with_a_zero_column(setting_t *s)
{
    fill_at_random(s);
    if (s->k * s->nb + 2 < s->n)
        memset(Mptr(s->whole, 0, s->k * s->nb + 2, s->n), 0,
               (size_t)s->n * sizeof(double));
}

TEST_CALL(a_zero_column_sets_info_and_the_rest_is_factored,
          assert_int_equal(try_on_grids(factor_narrow_by_all,
                                        fill_with_a_zero_column),
                           0))

static void fill_with_zeros(setting_t *s)
{
    memset(s->whole, 0, sizeof(s->whole));
}

TEST_CALL(info_is_the_first_of_several_zero_columns,
          assert_int_equal(try_on_grids(factor_narrow_by_all, fill_with_zeros),
                           0))

/* Pivots that are no rows from the diagonal on, or differ on other processes.
 */
static int disagreements(const HPL_T_panel *panel)
{
    double root, pivot;
    int errors = 0;

    for (int i = 0; i < panel->jb; i++) {
        root = pivot = panel->DPIV[i];
        MPI_Bcast(&root, 1, MPI_DOUBLE, 0, panel->grid->col_comm);
        errors += pivot != root;
        errors += !(pivot >= panel->ia + i && pivot < panel->pmat->n);
    }
    return errors;
}

/* A NaN in one row of the panel's second column, and NaN in all rows of it. */
static void fill_with_nan(setting_t *s, int row)
{
    int first = row < s->n ? row : 0, last = row < s->n ? row + 1 : s->n;

    fill_at_random(s);
    for (int i = first; i < last; i++)
        *Mptr(s->whole, i, s->k * s->nb + 1, s->n) = NAN;
}

/* NaN in the factors of all processes of the column. */
static int nans(const HPL_T_panel *p)
{
    int i, j, top = hpl_panel_top_rows(p), count = 0;

    for (i = 0; i < p->jb * p->jb; i++)
        count += isnan(p->L1[i]) != 0;
    for (j = 0; j < p->jb; j++)
        for (i = 0; i < p->mp - top; i++)
            count += isnan(*Mptr(p->L2, i, j, p->ldl2)) != 0;
    MPI_Allreduce(MPI_IN_PLACE, &count, 1, MPI_INT, MPI_SUM, p->grid->col_comm);
    return count;
}

static int factor_with_nan(setting_t *s)
{
    HPL_T_pmat mat = small_distribute(&s->grid, s->n, s->nb, s->whole);
    int ia = s->k * s->nb, errors = 0;

    HPL_pdpanel_new(&s->grid, &s->algo, s->n - ia, s->n + 1 - ia, s->nb, &mat,
                    ia, ia, 1, &s->panel);
    HPL_pdfact(s->panel);
    if (s->grid.mycol == s->panel->pcol)
        errors = disagreements(s->panel) + (nans(s->panel) == 0);
    HPL_pdpanel_disp(&s->panel);
    small_release(&mat);
    return errors;
}

static int factor_nans(setting_t *s, fill_t fill)
{
    int errors = 0;

    (void)fill;
    s->n = 20;
    s->nb = 4;
    s->k = 1;
    for (int row = s->nb; row <= s->n; row += 4) {
        fill_with_nan(s, row);
        errors += factor_with_nan(s);
    }
    return errors;
}

static int factor_nans_by_all(setting_t *s, fill_t fill)
{
    return try_kernels(s, factor_nans, fill);
}

TEST_CALL(processes_agree_on_pivots_and_lose_no_nan,
          assert_int_equal(try_on_grids(factor_nans_by_all, NULL), 0))

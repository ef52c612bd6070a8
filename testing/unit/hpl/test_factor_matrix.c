/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks: 1 4; 9 more; needs: blas */
#include "testing/unit/unit_mpi.h"

#include "base/log.h"
#include "hpl.h"
#include "hpl/comm/schedule.h"
#include "hpl/pgesv/factor_matrix.h"
#include "testing/unit/hpl/small_system.h"

enum { MOST = 64 };

static const double TOLERANCE = 1e-9;

/* one system and one way to factor it */
typedef struct {
    int nprow, npcol, n, nb, depth;
    int zero; /* a column of zeros besides the last one, or -1 */
    HPL_T_palg algo;
    double whole[MOST * (MOST + 1)];
} setting_t;

/* Columns from ia + jb on: U := L1^-1 U, C := C - L2 U, entry by entry. */
static void update_by_the_book(setting_t *s, int ia, int jb)
{
    double *a = s->whole;
    int n = s->n;

    for (int j = ia + jb; j <= n; j++)
        for (int c = ia; c < ia + jb; c++)
            for (int i = c + 1; i < n; i++)
                *Mptr(a, i, j, n) -= *Mptr(a, i, c, n) * *Mptr(a, c, j, n);
}

/* As factor_matrix leaves it: L is not interchanged left of each panel. */
static int factor_by_the_book(setting_t *s)
{
    small_order_t order = {s->nb, s->nprow};
    int pivot[MOST], ia, jb, panel_info, info = 0, n = s->n;

    for (ia = 0; ia < n; ia += s->nb) {
        jb = Mmin(s->nb, n - ia);
        panel_info = small_factor_panel(s->whole, n, ia, jb, &order, pivot);
        info = info == 0 ? panel_info : info;
        small_interchange(s->whole, n, ia, jb, pivot, ia + jb, n + 1);
        update_by_the_book(s, ia, jb);
    }
    return info;
}

/* Factor s->whole both ways; true when they differ on this process. */
static bool fails(setting_t *s)
{
    HPL_T_grid grid;
    HPL_T_pmat mat;
    bool wrong = false;

    if (small_grid_open(&grid, s->nprow, s->npcol)) {
        s->algo.depth = s->depth;
        mat = small_distribute(&grid, s->n, s->nb, s->whole);
        hpl_factor_matrix(&grid, &s->algo, &mat);
        wrong = mat.info != factor_by_the_book(s);
        wrong |= !(small_distance(&grid, &mat, s->whole, 0) <= TOLERANCE);
        small_release(&mat);
    }
    small_grid_close(&grid);
    return wrong;
}

static void fill(setting_t *s, uint64_t *random)
{
    size_t bytes = (size_t)s->n * sizeof(double);

    small_fill(random, s->whole, (size_t)s->n * ((size_t)s->n + 1));
    if (s->zero < 0)
        return;
    memset(Mptr(s->whole, 0, s->zero, s->n), 0, bytes);
    memset(Mptr(s->whole, 0, s->n - 1, s->n), 0, bytes);
}

/* Any kernel, update, broadcast and exchange. */
static HPL_T_palg any_algorithm(uint64_t *random)
{
    static const HPL_T_UPD_FUN updates[2][2] = {
        {HPL_pdupdateNN, HPL_pdupdateNT}, {HPL_pdupdateTN, HPL_pdupdateTT}};
    small_l1_t l1 = small_random(random, 2) ? SMALL_L1_T : SMALL_L1_N;
    int pfact = small_random(random, 3), rfact = small_random(random, 3);
    HPL_T_palg algo =
        small_algorithm(l1, (HPL_T_FACT)(HPL_LEFT_LOOKING + pfact),
                        (HPL_T_FACT)(HPL_LEFT_LOOKING + rfact));

    algo.upfun = updates[l1][small_random(random, 2)];
    algo.btopo = (HPL_T_TOP)(HPL_1RING + small_random(random, 6));
    algo.fswap = (HPL_T_SWAP)(HPL_SWAP00 + small_random(random, 3));
    algo.fsthr = small_random(random, 20);
    algo.equil = small_random(random, 2);
    algo.nbmin = 1 + small_random(random, 5);
    algo.nbdiv = 2 + small_random(random, 3);
    return algo;
}

/* A grid of the job's processes. */
static void choose_grid(setting_t *s, uint64_t *random)
{
    s->nprow = 1 + small_random(random, unit_processes());
    s->npcol = 1 + small_random(random, unit_processes() / s->nprow);
}

/* Chooses n and nb, and what else is not to be at random, in round i. */
typedef void (*choice_t)(setting_t *s, int i, uint64_t *random);

static void try_settings(choice_t choose, int count)
{
    static setting_t s;
    uint64_t random = 2;
    int errors = 0;

    xh_log_limit(XH_LOG_WARNING);
    for (int i = 0; i < count; i++) {
        choose_grid(&s, &random);
        s.depth = small_random(&random, 6);
        s.zero = -1;
        choose(&s, i, &random);
        s.algo = any_algorithm(&random);
        fill(&s, &random);
        if (fails(&s)) {
            print_error("%d x %d grid, n %d, nb %d, depth %d\n", s.nprow,
                        s.npcol, s.n, s.nb, s.depth);
            errors++;
        }
    }
    assert_int_equal(errors, 0);
}

static void any_shape(setting_t *s, int i, uint64_t *random)
{
    (void)i;
    s->n = small_random(random, MOST + 1);
    s->nb = 1 + small_random(random, 12);
}

TEST_CALL(any_grid_and_depth_factors_as_the_textbook,
          try_settings(any_shape, 50))

static const int depths[] = {9, 10, 11, 1000, INT_MAX};

static void ten_panels(setting_t *s, int i, uint64_t *random)
{
    (void)random;
    s->n = 40;
    s->nb = 4;
    s->depth = depths[i];
}

TEST_CALL(depth_may_exceed_the_number_of_panels,
          try_settings(ten_panels, COUNT_OF(depths)))

static void column_of_zeros(setting_t *s, int i, uint64_t *random)
{
    (void)random;
    s->n = 24;
    s->nb = 5;
    s->zero = 3 * i;
}

TEST_CALL(a_singular_matrix_is_reported_by_its_first_column,
          try_settings(column_of_zeros, 7))

TEST(short_messages_factor_alike)
{
    size_t usual = hpl_message_chunk;

    hpl_message_chunk = 3;
    try_settings(any_shape, 10);
    hpl_message_chunk = usual;
}

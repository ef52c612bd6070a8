/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program written against hpl.h alone, as drivers for HPL 2.3 are: it fills
 * in its own parameters, array and checks. Prints one line a check and ends
 * with the number of those that failed.
 */
#include "hpl.h"

enum { ORDER = 150, BLOCK = 16, SEED = 7, ROWS = 2, COLUMNS = 2 };

typedef struct {
    HPL_T_grid grid;
    HPL_T_pmat mat;
    double *memory;
    int columns; /* local columns of A, without b */
} problem_t;

static int failures;

static void expect(int holds, const char *what)
{
    int rank, all;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(&holds, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    failures += all == 0;
    if (rank == 0)
        HPL_fprintf(stdout, "%s: %s\n", all ? "ok" : "not ok", what);
}

static HPL_T_palg algorithm(void)
{
    HPL_T_palg algo;

    memset(&algo, 0, sizeof(algo));
    algo.btopo = HPL_1RING_M;
    algo.depth = 1;
    algo.nbmin = 4;
    algo.nbdiv = 2;
    algo.pfact = HPL_RIGHT_LOOKING;
    algo.pffun = HPL_pdpanrlT;
    algo.rfact = HPL_CROUT;
    algo.rffun = HPL_pdrpancrT;
    algo.upfun = HPL_pdupdateTT;
    algo.fswap = HPL_SW_MIX;
    algo.fsthr = 64;
    algo.equil = 1;
    algo.align = 8;
    return algo;
}

static void problem_open(problem_t *problem)
{
    HPL_T_pmat *mat = &problem->mat;
    int nprow, npcol, myrow, mycol;
    size_t size;

    memset(problem, 0, sizeof(*problem));
    HPL_grid_init(MPI_COMM_WORLD, HPL_ROW_MAJOR, ROWS, COLUMNS, &problem->grid);
    HPL_grid_info(&problem->grid, &nprow, &npcol, &myrow, &mycol);
    mat->n = ORDER;
    mat->nb = BLOCK;
    Mnumroc(mat->mp, ORDER, BLOCK, BLOCK, myrow, 0, nprow);
    Mnumroc(problem->columns, ORDER, BLOCK, BLOCK, mycol, 0, npcol);
    Mnumroc(mat->nq, ORDER + 1, BLOCK, BLOCK, mycol, 0, npcol);
    mat->ld = Mmax(1, mat->mp) + 3;
    size = ((size_t)mat->ld + 1) * (size_t)mat->nq + 64;
    problem->memory = calloc(size, sizeof(double));
    if (problem->memory == NULL)
        HPL_pabort(__LINE__, "problem_open", "no memory");
    mat->A = HPL_PTR(problem->memory, 8 * sizeof(double));
    mat->X = Mptr(mat->A, 0, mat->nq, mat->ld);
    HPL_pdmatgen(&problem->grid, ORDER, ORDER + 1, BLOCK, mat->A, mat->ld,
                 SEED);
}

static void problem_close(problem_t *problem)
{
    free(problem->memory);
    HPL_grid_exit(&problem->grid);
}

/* Set global column j of the local part to zero. */
static void zero_column(problem_t *problem, int j)
{
    const HPL_T_grid *grid = &problem->grid;
    int local, owner;

    HPL_indxg2lp(&local, &owner, j, BLOCK, BLOCK, 0, grid->npcol);
    for (int i = 0; owner == grid->mycol && i < problem->mat.mp; i++)
        *Mptr(problem->mat.A, i, local, problem->mat.ld) = 0.0;
}

/* ||A x - b||_oo of the system of SEED, on every process. */
static double residual(const problem_t *problem)
{
    const HPL_T_grid *grid = &problem->grid;
    const HPL_T_pmat *mat = &problem->mat;
    problem_t fresh;
    double *r, norm = 0.0;
    int b, owner;

    problem_open(&fresh);
    r = calloc((size_t)mat->mp + 1, sizeof(double));
    if (r == NULL)
        HPL_pabort(__LINE__, "residual", "no memory");
    HPL_indxg2lp(&b, &owner, ORDER, BLOCK, BLOCK, 0, grid->npcol);
    if (owner == grid->mycol)
        HPL_dcopy(mat->mp, Mptr(fresh.mat.A, 0, b, mat->ld), 1, r, 1);
    HPL_dgemv(HplColumnMajor, HplNoTrans, mat->mp, fresh.columns, -1.0,
              fresh.mat.A, mat->ld, mat->X, 1, 1.0, r, 1);
    HPL_all_reduce(r, mat->mp, HPL_DOUBLE, HPL_sum, grid->row_comm);
    if (mat->mp > 0)
        norm = HPL_dlange(HPL_NORM_A, mat->mp, 1, r, Mmax(1, mat->mp));
    HPL_all_reduce(&norm, 1, HPL_DOUBLE, HPL_max, grid->all_comm);
    free(r);
    problem_close(&fresh);
    return norm;
}

static int x_is_finite(const problem_t *problem)
{
    int finite = 1;

    for (int j = 0; j < problem->columns; j++)
        finite &= problem->mat.X[j] - problem->mat.X[j] == 0.0;
    HPL_all_reduce(&finite, 1, HPL_INT, HPL_min, problem->grid.all_comm);
    return finite;
}

static void solves_a_regular_system(void)
{
    HPL_T_palg algo = algorithm();
    double a_norm, eps, error;
    problem_t problem;

    problem_open(&problem);
    a_norm = HPL_pdlange(&problem.grid, HPL_NORM_I, ORDER, ORDER, BLOCK,
                         problem.mat.A, problem.mat.ld);
    eps = HPL_pdlamch(problem.grid.all_comm, HPL_MACH_EPS);
    HPL_barrier(problem.grid.all_comm);
    HPL_ptimer_boot();
    HPL_ptimer(0);
    HPL_pdgesv(&problem.grid, &algo, &problem.mat);
    HPL_ptimer(0);
    error = residual(&problem);
    expect(a_norm > 0.1 * ORDER && a_norm < 0.5 * ORDER, "the norm of A");
    expect(problem.mat.info == 0, "info is 0 for a regular matrix");
    expect(x_is_finite(&problem), "x is finite for a regular matrix");
    expect(error < 1e4 * eps * a_norm, "A x is b");
    expect(HPL_ptimer_inquire(HPL_WALL_PTIME, 0) > 0.0, "the timer has run");
    problem_close(&problem);
}

static void says_that_a_matrix_is_singular(int column, const char *what)
{
    HPL_T_palg algo = algorithm();
    problem_t problem;

    problem_open(&problem);
    zero_column(&problem, column);
    HPL_pdgesv(&problem.grid, &algo, &problem.mat);
    expect(problem.mat.info == column + 1, what);
    expect(!x_is_finite(&problem), "and x is not finite");
    problem_close(&problem);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    solves_a_regular_system();
    says_that_a_matrix_is_singular(0, "a zero first column is info 1");
    says_that_a_matrix_is_singular(77, "a zero column 77 is info 78");
    says_that_a_matrix_is_singular(ORDER - 1, "a zero last column is info n");
    MPI_Finalize();
    return failures;
}

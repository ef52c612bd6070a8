/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks: 1 4 */
#include <unistd.h>
#include "testing/unit/unit_mpi.h"
#include "hpl.h"

enum { M = 5, N = 4, NB = 2, LDA = 6 };

/* Element (i, j), from 1, is 10 i + j; the rest is never printed. */
static void fill(const HPL_T_grid *grid, int iarow, int iacol, double *a)
{
    int p = grid->nprow, q = grid->npcol;

    for (int i = 0; i < LDA * N; i++)
        a[i] = -1.0;
    for (int j = 0; j < N; j++)
        for (int i = 0; i < M; i++)
            if (HPL_indxg2p(i, NB, NB, iarow, p) == grid->myrow &&
                HPL_indxg2p(j, NB, NB, iacol, q) == grid->mycol)
                *Mptr(a, HPL_indxg2l(i, NB, NB, iarow, p),
                      HPL_indxg2l(j, NB, NB, iacol, q), LDA) =
                    10 * (i + 1) + j + 1;
}

/* What HPL_pdlaprnt writes to stdout on this process, as a file to read. */
static FILE *printed(const HPL_T_grid *grid, int iarow, int iacol)
{
    FILE *file = tmpfile();
    int keep = dup(STDOUT_FILENO);
    double a[LDA * N];

    fill(grid, iarow, iacol, a);
    fflush(stdout);
    dup2(fileno(file), STDOUT_FILENO);
    HPL_pdlaprnt(grid, M, N, NB, a, LDA, iarow, iacol, "A");
    fflush(stdout);
    dup2(keep, STDOUT_FILENO);
    close(keep);
    rewind(file);
    return file;
}

static void check_lines(FILE *file)
{
    int row, col;
    double value;

    for (int j = 1; j <= N; j++)
        for (int i = 1; i <= M; i++) {
            assert_int_equal(fscanf(file, "A(%d,%d)=%lf\n", &row, &col, &value),
                             3);
            assert_int_equal(row, i);
            assert_int_equal(col, j);
            assert_true(value == 10 * i + j);
        }
}

TEST(process_0_prints_every_element_in_column_order)
{
    int size = unit_processes();
    HPL_T_grid grid;
    FILE *file;

    for (int p = 1; p <= size; p *= 2)
        for (int at = 0; at < size; at++) {
            HPL_grid_init(MPI_COMM_WORLD, HPL_COLUMN_MAJOR, p, size / p, &grid);
            file = printed(&grid, at % p, at / p);
            if (grid.iam == 0)
                check_lines(file);
            assert_int_equal(fgetc(file), EOF);
            fclose(file);
            HPL_grid_exit(&grid);
        }
}

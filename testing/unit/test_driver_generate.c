/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks: 1 4 6 */
#include "testing/unit/unit_mpi.h"

#include "hpl.h"
#include "hpl/pauxil/map.h"
#include "hybrid/driver/generate.h"
#include "testing/unit/everywhere.h"

enum { SLACK = 5 }; /* rows between columns */

/* An unfilled part of an n x (n+1) matrix, with its bytes. */
static HPL_T_pmat part(const HPL_T_grid *grid, int n, int nb, size_t *bytes_p)
{
    hpl_map_t rows = hpl_map(nb, grid->nprow, grid->myrow);
    hpl_map_t columns = hpl_map(nb, grid->npcol, grid->mycol);
    HPL_T_pmat mat = {.n = n, .nb = nb};

    mat.mp = (int)hpl_map_count(&rows, n);
    mat.nq = (int)hpl_map_count(&columns, n + 1);
    mat.ld = mat.mp + SLACK;
    *bytes_p = (size_t)mat.ld * (size_t)mat.nq * sizeof(double);
    mat.A = malloc(*bytes_p + 1);
    if (mat.A == NULL)
        HPL_pabort(__LINE__, "part", "out of memory");
    memset(mat.A, 0x55, *bytes_p);
    return mat;
}

/* Is anything else written than by the reference? */
static int wrong_bits(hyb_team_t *team, HPL_T_grid *grid, int n, int nb)
{
    size_t bytes;
    HPL_T_pmat mat = part(grid, n, nb, &bytes);
    HPL_T_pmat reference = part(grid, n, nb, &bytes);
    int wrong;

    HPL_pdmatgen(grid, n, n + 1, nb, reference.A, reference.ld, HPL_ISEED + n);
    hyb_generate(team, grid, &mat, HPL_ISEED + n);
    wrong = memcmp(mat.A, reference.A, bytes) != 0;
    free(mat.A);
    free(reference.A);
    return wrong;
}

EVERYWHERE(every_team_on_every_grid_generates_the_references_bits, wrong_bits,
           {100, 16}, {257, 1}, {64, 64}, {201, 40})
EVERYWHERE(a_member_may_have_nothing_to_do, wrong_bits, {0, 4}, {1, 1}, {2, 8},
           {5, INT_MAX})

/* 24 MB: members take turns. */
static void a_matrix_of_many_chunks_has_the_references_bits(void **state)
{
    hyb_team_t *team = small_team(2);
    int errors = 0;
    HPL_T_grid grid;

    (void)state;
    if (small_grid_open(&grid, 1, 1))
        errors = wrong_bits(team, &grid, 1800, 100);
    small_grid_close(&grid);
    hyb_team_destroy(team);
    assert_int_equal(errors, 0);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(every_team_on_every_grid_generates_the_references_bits),
    cmocka_unit_test(a_member_may_have_nothing_to_do),
    cmocka_unit_test(a_matrix_of_many_chunks_has_the_references_bits),
};

UNIT_MPI_MAIN(cases)

/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks: 4; 6 more */
#include "testing/unit/unit_mpi.h"

#include <sys/mman.h>
#include <unistd.h>
#include "base/memory.h"
#include "hpl.h"
#include "hpl/pauxil/map.h"
#include "testing/unit/lu/counted_kernel.h"
#include "testing/unit/cpu/kernels.h"
#include "hybrid/lu/state/resources.h"
#include "hybrid/lu/system/generate.h"

enum { SLACK = 5 }; /* rows between columns */

/* An unfilled part of an n x (n+1) matrix, with its bytes. */
static HPL_T_pmat part(const HPL_T_grid *grid, int n, int nb, size_t *bytes_p)
{
    hpl_map_t rows = hpl_map(nb, grid->nprow, grid->myrow);
    hpl_map_t columns = hpl_map_columns(grid, nb);
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

/* Does kernel write anything else than the reference? */
static int wrong_bits_by(const hyb_kernel_t *kernel, hyb_team_t *team,
                         HPL_T_grid *grid, int n, int nb)
{
    hyb_resources_t resources = {.team = team, .kernel = kernel};
    size_t bytes;
    HPL_T_pmat mat = part(grid, n, nb, &bytes);
    HPL_T_pmat reference = part(grid, n, nb, &bytes);
    int wrong;

    HPL_pdmatgen(grid, n, n + 1, nb, reference.A, reference.ld, HPL_ISEED + n);
    hyb_generate(&resources, grid, &mat, HPL_ISEED + n);
    wrong = memcmp(mat.A, reference.A, bytes) != 0;
    free(mat.A);
    free(reference.A);
    return wrong;
}

static int wrong_bits(hyb_team_t *team, HPL_T_grid *grid, int n, int nb)
{
    const hyb_kernel_t *kernel;
    int errors = 0;

    FOR_EACH_KERNEL(kernel)
    errors += wrong_bits_by(kernel, team, grid, n, nb);
    return errors;
}

TEST_EVERYWHERE(every_kernel_on_every_grid_generates_the_references_bits,
                wrong_bits, {100, 16}, {257, 1}, {64, 64}, {201, 40})
TEST_EVERYWHERE(a_member_may_have_nothing_to_do, wrong_bits, {0, 4}, {1, 1},
                {2, 8}, {5, INT_MAX})

/* 24 MB: members take turns. */
TEST(a_matrix_of_many_runs_has_the_references_bits)
{
    hyb_team_t *team = small_team(2);
    int errors = 0;
    HPL_T_grid grid;

    if (small_grid_open(&grid, 1, 1))
        errors = wrong_bits(team, &grid, 1800, 100);
    small_grid_close(&grid);
    hyb_team_destroy(team);
    assert_int_equal(errors, 0);
}

TEST(the_kernel_in_use_generates)
{
    assert_int_equal(with_counted_kernel(wrong_bits_by, 100, 8), 0);
    assert_true(generations > 0);
}

/* ---- taking memory for it ------------------------------------------------ */

/* Whole pages of memory that nothing backs. */
static int missing_pages(void *memory, size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), count = bytes / page, i;
    unsigned char *resident = malloc(count + 1);
    int missing = 0;

    assert_non_null(resident);
    assert_int_equal(mincore(memory, count * page, resident), 0);
    for (i = 0; i < count; i++)
        missing += (resident[i] & 1) == 0;
    free(resident);
    return missing;
}

/* 24 MB: members take turns. */
TEST(touching_backs_the_whole_matrix)
{
    enum { N = 1733, LD = N + SLACK };
    size_t bytes = sizeof(double) * LD * (N + 1);
    HPL_T_pmat mat = {.n = N, .nb = 100, .mp = N, .nq = N + 1, .ld = LD};
    hyb_team_t *team = small_team(3);
    void *memory;

    assert_ok(xh_memory_allocate(bytes, &memory));
    assert_true(missing_pages(memory, bytes) > 0);
    mat.A = memory;
    hyb_generate_touch(team, &mat);
    assert_int_equal(missing_pages(memory, bytes), 0);
    xh_memory_free(memory, bytes);
    hyb_team_destroy(team);
}

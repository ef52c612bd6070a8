/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/system/residual.h"

#include <stdbool.h>
#include "base/integers.h"
#include "base/memory.h"
#include "hpl.h"
#include "hpl/auxil/norm.h"
#include "hpl/solver/system.h"
#include "hybrid/observe/watchdog.h"
#include "hybrid/lu/state/resources.h"
#include "hybrid/lu/system/generate.h"

/*
 * A strip is the rows that a member sums at a time: the sums and a block of
 * BLOCK generated columns stay in its cache. LD is an odd number of cache
 * lines.
 */
enum { LINE = 8, MOST_ROWS = 1024, BLOCK = 16, LD = MOST_ROWS + LINE };

enum { BUFFER = LD * BLOCK };

typedef struct {
    hpl_generator_t generator;
    const hyb_kernel_t *kernel;
    const double *x;
    int64_t mp, nq; /* of A */
    int64_t members;
    int64_t strip;   /* rows */
    bool has_b;      /* this process has b, as its local column nq */
    double *buffers; /* BUFFER doubles per member */
    double *rows;    /* mp: sums of magnitudes in the rows */
    double *b, *r;   /* mp each: b, or 0 without b; b - A x */
    double *columns; /* sums of magnitudes in the columns over each member's
                        strips, members x stride */
    int64_t stride;  /* doubles between members' sums, >= nq */
    hyb_phase_t *phase;
} check_t;

static void check_block(const check_t *c, hpl_submatrix_t block, double *a,
                        double *columns)
{
    hyb_sweep_t generated = {.a = a,
                             .rows = block.rows,
                             .cols = block.cols,
                             .ld = LD,
                             .x = c->x + block.col};
    hyb_sums_t sums = {.rows = c->rows + block.row,
                       .columns = columns + block.col};

    hpl_generator_fill(&c->generator, block, a, LD);
    c->kernel->subtract_and_sum(&generated, c->r + block.row, &sums);
    hyb_phase_step(c->phase);
}

static void check_strip(const check_t *c, hpl_submatrix_t block, int member)
{
    double *buffer = c->buffers + member * (int64_t)BUFFER;
    double *columns = c->columns + member * c->stride;
    size_t bytes = (size_t)block.rows * sizeof(double);

    if (c->has_b) {
        block.col = c->nq;
        block.cols = 1;
        hpl_generator_fill(&c->generator, block, c->b + block.row, LD);
    }
    memcpy(c->r + block.row, c->b + block.row, bytes);
    for (block.col = 0; block.col < c->nq; block.col += BLOCK) {
        block.cols = Mmin(BLOCK, c->nq - block.col);
        check_block(c, block, buffer, columns);
    }
}

static void check_strips(void *argument, int member)
{
    const check_t *c = argument;
    hpl_submatrix_t block;

    for (block.row = member * c->strip; block.row < c->mp;
         block.row += c->members * c->strip) {
        block.rows = Mmin(c->strip, c->mp - block.row);
        check_strip(c, block, member);
    }
}

/* Return the rows of a strip: strips are equally high, and each member has the
 * same number of strips; mp >= 1. */
static int64_t strip_rows(int64_t mp, int64_t members)
{
    int64_t strips = xh_whole_units(xh_units(mp, MOST_ROWS), members);

    return xh_whole_units(xh_units(mp, strips), XH_LANES);
}

static size_t bytes_of(int64_t mp, int64_t nq, int64_t members)
{
    int64_t doubles = members * (BUFFER + xh_whole_units(nq, LINE)) +
                      3 * xh_whole_units(mp, LINE);

    return (size_t)doubles * sizeof(double);
}

uint64_t hyb_check_bytes(const hpl_shape_t *shape, int members)
{
    hpl_map_t columns = hpl_system_column_map(shape);

    return bytes_of(hpl_system_rows(shape), hpl_map_count(&columns, shape->n),
                    members);
}

/* Allocate memory that is all zeros; return its bytes. */
static size_t allocate(check_t *c, void **memory_p)
{
    size_t bytes = bytes_of(c->mp, c->nq, c->members);
    int64_t mp = xh_whole_units(c->mp, LINE);

    c->stride = xh_whole_units(c->nq, LINE);
    if (xh_memory_allocate(bytes, memory_p) != XH_OK)
        HPL_pabort(__LINE__, "hyb_check_solution", "out of memory");
    c->buffers = *memory_p;
    c->rows = c->buffers + c->members * BUFFER;
    c->b = c->rows + mp;
    c->r = c->b + mp;
    c->columns = c->r + mp;
    return bytes;
}

/* Add all members' sums of columns to the first member's. */
static void add_members(const check_t *c)
{
    int64_t j, member;

    for (member = 1; member < c->members; member++)
        for (j = 0; j < c->nq; j++)
            c->columns[j] += c->columns[j + member * c->stride];
}

static void reduce(const HPL_T_grid *grid, const check_t *c, int nb,
                   hpl_norms_t *norms_p)
{
    add_members(c);
    norms_p->a_inf = hpl_norm_of_sums(grid, c->rows, c->mp, grid->row_comm);
    norms_p->a_one = hpl_norm_of_sums(grid, c->columns, c->nq, grid->col_comm);
    norms_p->b_inf = hpl_norm_of_all(grid, c->b, c->mp);
    norms_p->x_inf = hpl_norm_of_all(grid, c->x, c->nq);
    norms_p->x_one = hpl_norm_one_of_x(grid, c->x, c->nq);
    norms_p->x_bits = hpl_bits_of_x(grid, c->x, c->nq, nb);
    norms_p->r_inf = hpl_norm_of_sums(grid, c->r, c->mp, grid->row_comm);
}

void hyb_check_solution(const hyb_resources_t *resources,
                        const HPL_T_grid *grid, const HPL_T_pmat *mat, int seed,
                        hpl_norms_t *norms_p)
{
    hpl_map_t columns = hpl_map_columns(grid, mat->nb);
    hyb_phase_t phase;
    check_t check = {.generator =
                         hyb_generator(resources->kernel, grid, mat, seed),
                     .kernel = resources->kernel,
                     .x = mat->X,
                     .mp = mat->mp,
                     .nq = hpl_map_count(&columns, mat->n),
                     .members = hyb_team_size(resources->team),
                     .phase = &phase};
    void *memory;
    size_t bytes;

    check.has_b = check.nq < mat->nq;
    check.strip = strip_rows(Mmax(check.mp, 1), check.members);
    bytes = allocate(&check, &memory);
    hyb_phase_begin(&phase, "in the verification");
    hyb_team_run(resources->team, check_strips, &check);
    reduce(grid, &check, mat->nb, norms_p);
    hyb_phase_end(&phase);
    xh_memory_free(memory, bytes);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "base/sequence.h"
#include "testing/cuda_model/launch.h"

/*
 * Kernels of hybrid/device/kernels, in C. A launch runs them item by item of
 * its grid, so a grid that is too small leaves something undone; between two
 * barriers all items of a group take their turn. An element that is not one of
 * its block, and a block that is not one of the device's allocations, breaks
 * the device.
 */
enum {
    ITEMS = 64, /* of a group, which kernels rely on */
    PANEL_ITEMS = 256,
    HELD_ROWS = 4 * PANEL_ITEMS /* of a group in panel_step */
};

typedef model_launch_t launch_t;
typedef model_block_t block_t;

typedef struct {
    int64_t group[2], groups[2], item, phase;
} place_t;

/* ---- elements ------------------------------------------------------------ */

static double *at(launch_t *l, int b, int64_t i, int64_t j)
{
    const block_t *block = &l->block[b];

    if (i >= 0 && i < block->rows && j >= 0 && j < block->cols)
        return (double *)block->memory + block->offset + i + j * block->ld;
    l->outside = true;
    return &l->nowhere;
}

/* Number i of the list that block b is. */
static int64_t listed(launch_t *l, int b, int64_t i)
{
    int64_t row;

    memcpy(&row, at(l, b, i, 0), sizeof(row));
    return row;
}

/* ---- the kernels --------------------------------------------------------- */

enum { SWAP_PHASES = 3 };

static void swap_rows(launch_t *l, const place_t *me)
{
    enum { COLUMNS, U, SOURCE, FROM, TO };
    const int64_t j = me->group[0];
    const int64_t rows = l->block[me->phase == 1 ? TO : U].rows;

    for (int64_t i = me->item; i < rows; i += ITEMS)
        if (me->phase == 0)
            *at(l, U, i, j) = *at(l, COLUMNS, listed(l, SOURCE, i), j);
        else if (me->phase == 1)
            *at(l, COLUMNS, listed(l, TO, i), j) =
                *at(l, COLUMNS, listed(l, FROM, i), j);
        else
            *at(l, COLUMNS, i, j) = *at(l, U, i, j);
}

enum { PACK_COLUMNS, PACK_LIST, PACKED };

/* One way or the other. */
static void pack_rows(launch_t *l, const place_t *me)
{
    const int64_t j = me->group[0] * ITEMS + me->item;

    if (j >= l->block[PACKED].rows)
        return;
    for (int64_t r = me->group[1]; r < l->block[PACKED].cols;
         r += me->groups[1]) {
        double *packed = at(l, PACKED, j, r);
        double *x = at(l, PACK_COLUMNS, listed(l, PACK_LIST, r), j);

        if (l->kernel->op == MODEL_GATHER_ROWS)
            *packed = *x;
        else
            *x = *packed;
    }
}

static uint64_t global_of(model_dealt_t d, int64_t i)
{
    const int64_t block = (d.first + i) / d.nb;

    return (uint64_t)((block * d.processes + d.process) * d.nb +
                      (d.first + i) % d.nb);
}

static void generate(launch_t *l, const place_t *me)
{
    const int64_t i = me->group[0] * ITEMS + me->item;
    const uint64_t seed = l->word[0], order = l->word[1];

    if (i >= l->block[0].rows)
        return;
    for (int64_t j = me->group[1]; j < l->block[0].cols; j += me->groups[1]) {
        const uint64_t steps =
            global_of(l->dealt[1], j) * order + global_of(l->dealt[0], i) + 1;

        *at(l, 0, i, j) = xh_sequence_entry(
            xh_jump_apply(xh_jump_power(xh_jump_step, steps), seed));
    }
}

static void checksum(launch_t *l, const place_t *me)
{
    const int64_t j = me->group[0];
    uint64_t sums[2] = {0, 0}, bits;

    if (me->item != 0)
        return;
    for (int64_t i = 0; i < l->block[0].rows; i++) {
        memcpy(&bits, at(l, 0, i, j), sizeof(bits));
        sums[0] += bits;
        sums[1] += (uint64_t)(2 * i + 1) * bits;
    }
    memcpy(at(l, 1, 0, j), &sums[0], sizeof(sums[0]));
    memcpy(at(l, 1, 1, j), &sums[1], sizeof(sums[1]));
}

/* ---- a column of a panel ------------------------------------------------- */

enum { PANEL, TOP, PIVOTS, BEFORE, PANEL_PHASES = 4 };

/* What a launch leaves to the next: the current row, and for each group a
 * proposal, which is a magnitude, the number of a row, and the row. */
static int64_t proposal(int64_t nb, int64_t group)
{
    return nb + group * (nb + 2);
}

/* Where the best one is in block b. */
static int64_t best_proposal(launch_t *l, int b, int64_t nb)
{
    int64_t best = proposal(nb, 0);

    for (int64_t p = best; p < l->block[b].rows; p += nb + 2)
        if (*at(l, b, p, 0) > *at(l, b, best, 0))
            best = p;
    return best;
}

/* Bring the row that was there to the pivot's row, and the pivot to the top. */
static void exchange(launch_t *l, const place_t *me, int64_t begin, int64_t end)
{
    const int64_t nb = l->block[PANEL].cols, c = l->step.column;
    const int64_t best = best_proposal(l, BEFORE, nb);
    const int64_t pivot = (int64_t)*at(l, BEFORE, best + 1, 0);
    const int64_t chosen = l->step.above + pivot;
    const bool first = me->group[0] == 0;

    if (me->phase == 0 && me->item == 0 && first && l->block[PIVOTS].rows > 0)
        memcpy(at(l, PIVOTS, c, 0), &chosen, sizeof(chosen));
    for (int64_t j = me->item; j < nb; j += PANEL_ITEMS)
        if (me->phase == 0 && pivot >= begin && pivot < end)
            *at(l, PANEL, pivot, j) = *at(l, BEFORE, j, 0);
        else if (me->phase == 1 && first)
            *at(l, TOP, c, j) = *at(l, BEFORE, best + 2 + j, 0);
}

static void eliminate(launch_t *l, int64_t i)
{
    const int64_t c = l->step.column;
    const int64_t row = best_proposal(l, BEFORE, l->block[PANEL].cols) + 2;
    const double pivot = *at(l, BEFORE, row + c, 0);
    double *x = at(l, PANEL, i, c);

    if (pivot != 0.0)
        *x = fabs(pivot) < DBL_MIN ? *x / pivot : *x * (1.0 / pivot);
    for (int64_t j = c + 1; j < l->step.end; j++)
        *at(l, PANEL, i, j) -= *x * *at(l, BEFORE, row + j, 0);
}

/* Leave a proposal for the next column, and its current row. */
static void propose(launch_t *l, const place_t *me, int64_t begin, int64_t end)
{
    const int64_t next = l->step.next, done = l->step.done;
    const int64_t nb = l->block[PANEL].cols;
    double *after = (double *)l->pointer[0];
    double *mine = after + proposal(nb, me->group[0]);

    mine[0] = mine[1] = -1.0;
    for (int64_t i = begin > done ? begin : done; i < end; i++) {
        const double x = *at(l, PANEL, i, next);
        const double key = isnan(x) ? INFINITY : fabs(x);

        if (key > mine[0]) {
            mine[0] = key;
            mine[1] = (double)i;
        }
    }
    for (int64_t j = 0; j < nb; j++) {
        if (mine[1] >= 0)
            mine[2 + j] = *at(l, PANEL, (int64_t)mine[1], j);
        if (done >= begin && done < end)
            after[j] = *at(l, PANEL, done, j);
    }
}

/* Rows of a group are its own; the first item proposes. */
static void panel_column(launch_t *l, const place_t *me)
{
    const int64_t begin = me->group[0] * l->step.rows_of_group;
    const int64_t below = begin + l->step.rows_of_group;
    const int64_t rows = l->block[PANEL].rows, done = l->step.done;
    const int64_t end = below < rows ? below : rows;
    const bool has_pivot = l->step.column >= 0;

    if (me->phase < 2 && has_pivot)
        exchange(l, me, begin, end);
    if (me->phase == 2 && has_pivot)
        for (int64_t i = (begin > done ? begin : done) + me->item; i < end;
             i += PANEL_ITEMS)
            eliminate(l, i);
    if (me->phase == 3 && me->item == 0 && l->step.next < l->step.end)
        propose(l, me, begin, end);
}

/* Of all groups' proposals the best one. */
static void panel_pivot(launch_t *l, const place_t *me)
{
    enum { FROM, TO };
    const int64_t rows = l->block[TO].rows, nb = (rows - 2) / 2;
    const int64_t best = best_proposal(l, FROM, nb);

    for (int64_t j = me->item; j < rows; j += PANEL_ITEMS)
        *at(l, TO, j, 0) = *at(l, FROM, j < nb ? j : best + j - nb, 0);
}

/* Rows of one column change places, one after the other. */
static void panel_swap(launch_t *l, const place_t *me)
{
    enum { PANEL, LIST };
    const int64_t first = (int64_t)l->word[0], count = l->block[LIST].rows;
    const int64_t j = me->group[0] + (me->group[0] < first ? 0 : count);

    for (int64_t i = 0; i < count && me->item == 0; i++) {
        double *x = at(l, PANEL, first + i, j);
        double *y = at(l, PANEL, listed(l, LIST, i), j), kept = *x;

        *x = *y;
        *y = kept;
    }
}

static const struct kernel {
    model_kernel_t of;
    int phases; /* between barriers */
    void (*run)(launch_t *l, const place_t *me);
} kernels[] = {
    {{"swap_rows", "bbbbb", MODEL_SWAP_ROWS, ITEMS}, SWAP_PHASES, swap_rows},
    {{"gather_rows", "bbb", MODEL_GATHER_ROWS, ITEMS}, 1, pack_rows},
    {{"scatter_rows", "bbb", MODEL_SCATTER_ROWS, ITEMS}, 1, pack_rows},
    {{"generate", "bwwddp", MODEL_GENERATE, ITEMS}, 1, generate},
    {{"checksum", "bb", MODEL_CHECKSUM, ITEMS}, 1, checksum},
    {{"panel_column", "bbbbsp", MODEL_PANEL_COLUMN, PANEL_ITEMS},
     PANEL_PHASES,
     panel_column},
    {{"panel_pivot", "bb", MODEL_PANEL_PIVOT, PANEL_ITEMS}, 1, panel_pivot},
    {{"panel_swap", "bbw", MODEL_PANEL_SWAP, ITEMS}, 1, panel_swap},
    {{"panel_step", "bbbswp", MODEL_PANEL_STEP, PANEL_ITEMS}, 0, NULL},
};

enum { KERNELS = sizeof(kernels) / sizeof(kernels[0]) };

const model_kernel_t *model_kernel(const char *name)
{
    for (int k = 0; k < KERNELS; k++)
        if (strcmp(kernels[k].of.name, name) == 0)
            return &kernels[k].of;
    return NULL;
}

/* ---- running a launch ---------------------------------------------------- */

/* Point block to what the device has there; false if it is not all device's. */
static bool find(block_t *block, int device)
{
    const int64_t last = (block->cols - 1) * block->ld + block->rows;
    char *first = block->memory + block->offset * (int64_t)sizeof(double);

    if (block->rows == 0 || block->cols == 0)
        return true;
    if (model_place(first, (size_t)last * sizeof(double)) != device)
        return false;
    block->memory = model_content(first);
    block->offset = 0;
    return true;
}

/* Is the table of jumps where the kernel looks for it? */
static bool has_jumps(launch_t *l, int device)
{
    xh_jump_t jumps[XH_JUMP_DIGITS * XH_JUMP_VALUES];

    xh_jump_digits(jumps);
    return model_place(l->pointer[0], sizeof(jumps)) == device &&
           memcmp(model_content(l->pointer[0]), jumps, sizeof(jumps)) == 0;
}

/* Point to proposals; false if there is no room for them. */
static bool find_proposals(launch_t *l, int device)
{
    const size_t bytes =
        (size_t)proposal(l->block[PANEL].cols, l->grid.x) * sizeof(double);

    if (model_place(l->pointer[0], bytes) != device)
        return false;
    l->pointer[0] = model_content(l->pointer[0]);
    return l->pointer[0] != l->block[BEFORE].memory;
}

static const struct kernel *kernel_of(model_op_t op)
{
    const struct kernel *k = kernels;

    while (k->of.op != op)
        k++;
    return k;
}

static void run_group(launch_t *l, place_t me)
{
    const struct kernel *k = kernel_of(l->kernel->op);

    for (me.phase = 0; me.phase < k->phases; me.phase++)
        for (me.item = 0; me.item < l->group.x; me.item++)
            k->run(l, &me);
}

static void run_grid(launch_t *l)
{
    place_t me = {.groups = {l->grid.x, l->grid.y}};

    for (me.group[1] = 0; me.group[1] < l->grid.y; me.group[1]++)
        for (me.group[0] = 0; me.group[0] < l->grid.x; me.group[0]++)
            run_group(l, me);
}

/* ---- groups that meet ---------------------------------------------------- */

enum { STEP_PIVOTS = 1, STEP_PROPOSALS };

/* Two vectors of proposals, the turns of all groups, and rows that fit. */
static bool has_vectors(const launch_t *l, int device)
{
    const block_t *b = &l->block[STEP_PROPOSALS];
    const size_t bytes = (size_t)b->rows * sizeof(double);

    return b->offset == 0 && b->rows == proposal(l->block[0].cols, l->grid.x) &&
           l->step.rows_of_group <= HELD_ROWS &&
           model_place(b->memory, 2 * bytes) == device &&
           model_place(l->pointer[0], l->grid.x * sizeof(uint64_t)) == device;
}

/* Was it their turn? */
static bool take_turns(const launch_t *l)
{
    uint64_t *turns = model_content(l->pointer[0]);
    bool all = true;

    for (unsigned g = 0; g < l->grid.x; g++) {
        all = all && turns[g] < l->word[0];
        turns[g] = l->word[0] + (uint64_t)l->block[PANEL].cols - 1;
    }
    return all;
}

/* All groups do a column, each with what they have left of the one before. */
static void run_step(launch_t *l)
{
    double *vector = (double *)l->block[STEP_PROPOSALS].memory;
    int64_t other = l->block[STEP_PROPOSALS].rows;
    launch_t c = *l;

    c.kernel = &kernel_of(MODEL_PANEL_COLUMN)->of;
    c.block[TOP] = l->block[PANEL];
    c.block[BEFORE] = l->block[STEP_PROPOSALS];
    c.block[PIVOTS] = l->block[STEP_PIVOTS];
    c.step.end = l->block[PANEL].cols;
    c.outside = !take_turns(l);
    for (c.step.column = -1; c.step.column < c.step.end; c.step.column++) {
        c.step.done = c.step.next = c.step.column + 1;
        c.block[BEFORE].memory = (char *)vector;
        c.pointer[0] = (char *)(vector + other);
        run_grid(&c);
        vector += other;
        other = -other;
    }
    l->outside = c.outside;
}

/* ---- work ---------------------------------------------------------------- */

cudaError_t model_run(int device, launch_t l)
{
    if (l.kernel->op == MODEL_PANEL_STEP && !has_vectors(&l, device))
        return cudaErrorIllegalAddress;
    for (int b = 0; b < MODEL_BLOCKS; b++)
        if (!find(&l.block[b], device))
            return cudaErrorIllegalAddress;
    if (l.kernel->op == MODEL_GENERATE && !has_jumps(&l, device))
        return cudaErrorIllegalAddress;
    if (l.kernel->op == MODEL_PANEL_COLUMN && !find_proposals(&l, device))
        return cudaErrorIllegalAddress;
    if (l.kernel->op == MODEL_PANEL_STEP)
        run_step(&l);
    else
        run_grid(&l);
    return l.outside ? cudaErrorIllegalAddress : cudaSuccess;
}

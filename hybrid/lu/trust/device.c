/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/trust/trust.h"

#include <stdio.h>
#include <string.h>
#include "base/checksum.h"
#include "base/integers.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/sequence.h"
#include "base/settings.h"
#include "hybrid/lu/device_work.h"

enum { TEXT = 128, SEED = 100, PROCESSES = 2, GENERATED = 16 };

/* A device at work, and its matrices, each of which is like the host's. */
typedef struct {
    hyb_trust_t *trust;
    hyb_device_t *device;
    hyb_queue_t *queue;
    hyb_event_t *done;
    hyb_buffer_t *memory;
    int64_t used; /* doubles of it */
    hyb_block_t l1, l2, u, c, other, panel, list, vector;
    double *scratch; /* of the host: what came back, what should have */
    size_t bytes;
    xh_view_t found, expected; /* m x n */
    char where[TEXT];
} bench_t;

/* ---- opening ------------------------------------------------------------- */

static hyb_block_t take(bench_t *b, int64_t rows, int64_t cols)
{
    enum { LINE = 32 };
    hyb_block_t block = hyb_block(b->memory, b->used, rows, cols);

    b->used += xh_whole_units(rows * cols, LINE);
    return block;
}

static void lay_out(bench_t *b)
{
    const hyb_trust_t *t = b->trust;
    int64_t nb = t->panel.cols;

    b->used = 0;
    b->l1 = take(b, t->k, t->k);
    b->l2 = take(b, t->m, t->k);
    b->u = take(b, t->k, t->n);
    b->c = take(b, t->m, t->n);
    b->other = take(b, t->m, xh_larger(t->n, 1));
    b->panel = take(b, t->panel.rows, nb);
    b->list = take(b, xh_larger(t->m, nb), 1);
    b->vector = take(b, xh_larger(hyb_pivot_elements(nb), t->m + 2 * t->n), 1);
}

static xh_status_t open_bench(bench_t *b)
{
    const hyb_trust_t *t = b->trust;
    int64_t most = xh_larger(t->m * t->n, t->panel.rows * t->panel.cols);
    void *memory;

    most = xh_larger(most, t->k * xh_larger(t->k, xh_larger(t->m, t->n)));
    b->bytes = 2 * (size_t)most * sizeof(double);
    XH_TRY(xh_memory_allocate(b->bytes, &memory));
    b->scratch = memory;
    b->found = (xh_view_t){memory, t->m, t->n, t->m};
    b->expected = (xh_view_t){b->scratch + most, t->m, t->n, t->m};
    XH_TRY(hyb_queue_create(b->device, HYB_QUEUE_NORMAL, &b->queue));
    XH_TRY(hyb_event_create(b->device, &b->done));
    lay_out(b);
    XH_TRY(hyb_buffer_create(b->device, (size_t)b->used * sizeof(double),
                             &b->memory));
    lay_out(b);
    return XH_OK;
}

static void close_bench(bench_t *b)
{
    hyb_queue_destroy(b->queue); /* waits for work that uses the memory */
    hyb_buffer_destroy(b->memory);
    hyb_event_destroy(b->done);
    if (!hyb_device_failed(b->device)) /* else it may still be written */
        xh_memory_free(b->scratch, b->bytes);
}

static xh_status_t finish(bench_t *b)
{
    XH_TRY(hyb_event_record(b->queue, b->done));
    return hyb_event_await(b->done, xh_settings_real("stall_seconds"));
}

/* ---- comparing ----------------------------------------------------------- */

static void is_right(bench_t *b, xh_view_t found, xh_view_t expected,
                     const char *what)
{
    xh_exact_is_right(&b->trust->checks, found, expected, what, b->where);
}

/* A block comes back and is what was expected. */
static xh_status_t compare(bench_t *b, hyb_block_t block, xh_view_t expected,
                           const char *what)
{
    xh_view_t found = {b->found.data, block.rows, block.cols, block.rows};

    XH_TRY(hyb_queue_copy_out(b->queue, block, found));
    XH_TRY(finish(b));
    is_right(b, found, expected, what);
    return XH_OK;
}

/* ---- an update ----------------------------------------------------------- */

static xh_status_t there_and_back(bench_t *b, xh_view_t host, hyb_block_t block)
{
    XH_TRY(hyb_queue_copy_in(b->queue, host, block));
    return compare(b, block, host, "a copy to the device and back");
}

static xh_status_t copy(bench_t *b)
{
    const hyb_trust_t *t = b->trust;

    XH_TRY(there_and_back(b, t->l1, b->l1));
    XH_TRY(there_and_back(b, t->l2, b->l2));
    XH_TRY(there_and_back(b, t->u, b->u));
    XH_TRY(there_and_back(b, t->c, b->c));
    if (!hyb_device_has(b->device, HYB_OP_COPY))
        return XH_OK;
    XH_TRY(hyb_queue_copy(b->queue, b->c, b->other));
    return compare(b, b->other, t->c, "a copy within the device");
}

static xh_status_t multiply(bench_t *b)
{
    hyb_gemm_t update = {
        .alpha = -1.0, .beta = 1.0, .a = b->l2, .b = b->u, .c = b->c};

    XH_TRY(hyb_queue_gemm(b->queue, &update));
    XH_TRY(compare(b, b->c, b->trust->result, "C - L2 U"));
    return hyb_queue_copy_in(b->queue, b->trust->c, b->c);
}

static xh_status_t solve(bench_t *b)
{
    XH_TRY(hyb_queue_copy_in(b->queue, b->trust->top, b->u));
    XH_TRY(hyb_queue_trsm(b->queue, b->l1, b->u));
    return compare(b, b->u, b->trust->u, "L1^-1 U");
}

/* ---- rows ---------------------------------------------------------------- */

/* Rows first, first + step, ... of C as a list on the device. */
static xh_status_t list_rows(bench_t *b, int64_t first, int64_t step,
                             hyb_block_t list)
{
    int64_t rows[list.rows];

    for (int64_t i = 0; i < list.rows; i++)
        rows[i] = first + i * step;
    XH_TRY(hyb_queue_upload(b->queue, rows, list));
    return finish(b);
}

/* The first and last rows of C change places. */
static xh_status_t swap_rows(bench_t *b)
{
    const hyb_trust_t *t = b->trust;
    int64_t m = t->m, count = xh_smaller(t->k, m / 3);
    hyb_block_t from = hyb_block_first(b->list, count, 1);
    hyb_block_t to = hyb_block_part(b->list, count, 0, count, 1);
    hyb_row_swap_t swap = {.columns = b->c,
                           .u = hyb_block_first(b->u, count, t->n),
                           .source = to,
                           .from = from,
                           .to = to};

    if (count == 0)
        return XH_OK;
    XH_TRY(list_rows(b, 0, 1, from));
    XH_TRY(list_rows(b, m - 1, -1, to));
    XH_TRY(hyb_queue_swap_rows(b->queue, &swap));
    for (int64_t j = 0; j < t->n; j++)
        for (int64_t i = 0; i < m; i++)
            *xh_at(b->expected, i, j) =
                *xh_at(t->c, i < count || i >= m - count ? m - 1 - i : i, j);
    XH_TRY(compare(b, b->c, b->expected, "rows that change places"));
    XH_TRY(compare(b, swap.u, xh_view_part(b->expected, 0, 0, count, t->n),
                   "rows that become U"));
    return hyb_queue_copy_in(b->queue, t->c, b->c);
}

/* Every second row of C travels as one goes to another process, and back. */
static xh_status_t pack_rows(bench_t *b)
{
    const hyb_trust_t *t = b->trust;
    int64_t count = xh_units(t->m, 2);
    hyb_block_t rows = hyb_block_first(b->list, count, 1);
    hyb_block_t packed = hyb_block(b->memory, b->other.offset, t->n, count);
    xh_view_t expected = {b->expected.data, t->n, count, t->n};

    XH_TRY(list_rows(b, 0, 2, rows));
    XH_TRY(hyb_queue_gather_rows(b->queue, b->c, rows, packed));
    for (int64_t r = 0; r < count; r++)
        for (int64_t j = 0; j < t->n; j++)
            *xh_at(expected, j, r) = *xh_at(t->c, 2 * r, j);
    XH_TRY(compare(b, packed, expected, "rows that are gathered"));
    XH_TRY(hyb_queue_copy_in(b->queue, t->result, b->c));
    XH_TRY(hyb_queue_scatter_rows(b->queue, packed, rows, b->c));
    for (int64_t j = 0; j < t->n; j++)
        for (int64_t i = 0; i < t->m; i++)
            *xh_at(b->expected, i, j) =
                *xh_at(i % 2 == 0 ? t->c : t->result, i, j);
    XH_TRY(compare(b, b->c, b->expected, "rows that are scattered"));
    return hyb_queue_copy_in(b->queue, t->c, b->c);
}

/* ---- generation, sums ---------------------------------------------------- */

static xh_status_t generate(bench_t *b)
{
    int64_t rows = b->trust->m, nb = b->trust->k, order = PROCESSES * rows + nb;
    int64_t cols = xh_smaller(b->trust->n, GENERATED);
    hyb_dealt_t dealt = {0, nb, PROCESSES - 1, PROCESSES};
    hyb_generate_t part = {
        .seed = SEED,
        .order = order,
        .rows = dealt,
        .cols = {0, nb, 0, 1},
        .block = hyb_block(b->memory, b->other.offset, rows, cols)};
    xh_view_t expected = {b->expected.data, rows, cols, rows};

    XH_TRY(hyb_queue_generate(b->queue, &part));
    for (int64_t j = 0; j < cols; j++)
        for (int64_t i = 0; i < rows; i++) {
            int64_t row = (i / nb * PROCESSES + PROCESSES - 1) * nb + i % nb;
            uint64_t steps = (uint64_t)(row + j * order + 1);

            *xh_at(expected, i, j) =
                0.5 - (double)xh_jump_apply(xh_jump_power(xh_jump_step, steps),
                                            SEED) *
                          0x1p-64;
        }
    return compare(b, part.block, expected, "entries of the random matrix");
}

/* y - A x with A = C, x a row of ones and y of zeros. */
static xh_status_t multiply_vector(bench_t *b)
{
    const hyb_trust_t *t = b->trust;
    hyb_block_t y = hyb_block_first(b->vector, t->m, 1);
    hyb_block_t x = hyb_block_part(b->vector, t->m, 0, t->n, 1);
    xh_view_t ones = {b->found.data, t->n, 1, t->n};
    xh_view_t sums = {b->expected.data, t->m, 1, t->m};

    for (int64_t j = 0; j < t->n; j++)
        ones.data[j] = 1.0;
    memset(sums.data, 0, (size_t)t->m * sizeof(double));
    XH_TRY(hyb_queue_copy_in(b->queue, ones, x));
    XH_TRY(hyb_queue_copy_in(b->queue, sums, y));
    XH_TRY(hyb_queue_gemv(b->queue, b->c, x, y));
    XH_TRY(finish(b));
    xh_exact_multiply(-1.0, t->c, ones, sums);
    return compare(b, y, sums, "y - A x");
}

static xh_status_t sum(bench_t *b)
{
    const hyb_trust_t *t = b->trust;
    hyb_block_t sums = hyb_block(b->memory, b->vector.offset, 2, t->n);
    int64_t wrong = 0;
    uint64_t expected[2];

    XH_TRY(hyb_queue_checksum(b->queue, b->c, sums));
    XH_TRY(hyb_queue_copy_out(b->queue, sums,
                              (xh_view_t){b->found.data, 2, t->n, 2}));
    XH_TRY(finish(b));
    for (int64_t j = 0; j < t->n; j++) {
        xh_checksum(xh_at(t->c, 0, j), t->m, expected);
        wrong += memcmp(expected, b->found.data + 2 * j, sizeof(expected)) != 0;
    }
    is_right(b, (xh_view_t){&(double){(double)wrong}, 1, 1, 1},
             (xh_view_t){&(double){0.0}, 1, 1, 1},
             "columns whose checksums are wrong");
    return XH_OK;
}

/* ---- a panel ------------------------------------------------------------- */

/* What the device proposes, all agree on. */
static xh_status_t agree(void *context, int64_t column)
{
    (void)context, (void)column;
    return XH_OK;
}

static xh_status_t factor(bench_t *b, bool by_columns)
{
    const hyb_trust_t *t = b->trust;
    int64_t nb = t->panel.cols;
    hyb_panel_column_t all = {
        .panel = b->panel,
        .top = hyb_block_first(b->panel, 0, nb),
        .end = nb,
        .pivot = hyb_block_first(b->vector, hyb_pivot_elements(nb), 1)};

    XH_TRY(hyb_queue_copy_in(b->queue, t->panel, b->panel));
    XH_TRY(hyb_device_factor(b->queue, &all, hyb_block_first(b->list, nb, 1),
                             by_columns ? agree : NULL, NULL));
    return compare(b, b->panel, t->factors,
                   by_columns ? "the factors of a panel, column by column"
                              : "the factors of a panel");
}

static xh_status_t factor_by_steps(bench_t *b)
{
    return factor(b, false);
}

static xh_status_t factor_by_columns(bench_t *b)
{
    return factor(b, true);
}

/* ---- all ----------------------------------------------------------------- */

static const struct {
    hyb_op_t op;
    xh_status_t (*check)(bench_t *b);
} checks[] = {{HYB_OP_COPY_OUT, copy},
              {HYB_OP_GEMM, multiply},
              {HYB_OP_TRSM, solve},
              {HYB_OP_SWAP_ROWS, swap_rows},
              {HYB_OP_SCATTER_ROWS, pack_rows},
              {HYB_OP_GENERATE, generate},
              {HYB_OP_GEMV, multiply_vector},
              {HYB_OP_CHECKSUM, sum},
              {HYB_OP_PANEL_STEP, factor_by_steps},
              {HYB_OP_PANEL_COLUMN, factor_by_columns}};

static xh_status_t check(bench_t *b)
{
    for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++)
        if (checks[i].op == HYB_OP_COPY_OUT ||
            hyb_device_has(b->device, checks[i].op))
            XH_TRY(checks[i].check(b));
    return XH_OK;
}

void hyb_trust_device(hyb_device_t *device, hyb_trust_t *trust)
{
    bench_t b = {.trust = trust, .device = device};
    hyb_device_info_t info;
    xh_status_t status = hyb_device_describe(device, &info);

    if (status != XH_OK || info.models_time)
        return;
    snprintf(b.where, TEXT, "%s device %d (%s)", info.backend, info.index,
             info.name);
    status = open_bench(&b);
    if (status == XH_OK)
        status = check(&b);
    if (status == XH_ERR_MEMORY)
        xh_log_warning("trust: %s is not checked: %s", b.where,
                       xh_status_text(status));
    close_bench(&b);
}

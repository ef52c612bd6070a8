/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include "base/integers.h"
#include "base/settings.h"
#include "base/product.h"
#include "testing/unit/node/node_fixture.h"
#include "testing/unit/unit.h"

/* ---- problems ------------------------------------------------------------ */

static double drawn(void)
{
    return (double)rand() / RAND_MAX - 0.5;
}

static int64_t picked(int64_t count)
{
    return rand() % count;
}

shape_t problem_shape(int64_t most)
{
    static const double factors[] = {0.0, 1.0, -1.0, 0.75};

    return (shape_t){.m = 1 + picked(most),
                     .n = 1 + picked(most),
                     .k = 1 + picked(most),
                     .trans_a = picked(2) == 0 ? XH_NO_TRANS : XH_TRANS,
                     .trans_b = picked(2) == 0 ? XH_NO_TRANS : XH_TRANS,
                     .alpha = factors[picked(4)],
                     .beta = factors[picked(4)],
                     .pad = picked(4)};
}

static size_t size_of(xh_view_t v)
{
    return (size_t)(v.ld * v.cols);
}

static double *allocated(size_t size)
{
    double *memory = malloc(size * sizeof(*memory) + 1);

    assert_non_null(memory);
    return memory;
}

/* op(v) is rows x cols. */
static xh_view_t random_matrix(xh_trans_t op, int64_t rows, int64_t cols,
                               int64_t pad)
{
    xh_view_t v = {.rows = op == XH_NO_TRANS ? rows : cols,
                   .cols = op == XH_NO_TRANS ? cols : rows};

    v.ld = v.rows + pad > 0 ? v.rows + pad : 1;
    v.data = allocated(size_of(v));
    for (size_t i = 0; i < size_of(v); i++)
        v.data[i] = drawn();
    return v;
}

static double element(xh_view_t v, xh_trans_t op, int64_t i, int64_t j)
{
    return op == XH_NO_TRANS ? v.data[i + j * v.ld] : v.data[j + i * v.ld];
}

void three_loops(const xh_gemm_t *p, xh_view_t c)
{
    for (int64_t j = 0; j < c.cols; j++)
        for (int64_t i = 0; i < c.rows; i++) {
            double sum = 0.0, *to = &c.data[i + j * c.ld];

            for (int64_t l = 0; l < xh_gemm_depth(p); l++)
                sum += element(p->a, p->trans_a, i, l) *
                       element(p->b, p->trans_b, l, j);
            *to = p->alpha * sum + (p->beta == 0.0 ? 0.0 : p->beta * *to);
        }
}

static void spoil(xh_view_t v)
{
    for (size_t i = 0; i < size_of(v); i++)
        v.data[i] = NAN;
}

problem_t problem_create(shape_t s, bool keeps_c)
{
    problem_t problem = {
        .product = {.trans_a = s.trans_a,
                    .trans_b = s.trans_b,
                    .alpha = s.alpha,
                    .beta = s.beta,
                    .a = random_matrix(s.trans_a, s.m, s.k, s.pad),
                    .b = random_matrix(s.trans_b, s.k, s.n, s.pad),
                    .c = random_matrix(XH_NO_TRANS, s.m, s.n, s.pad)}};
    xh_view_t c = problem.product.c;

    if (s.beta == 0.0 && !keeps_c)
        spoil(c);
    problem.c_size = size_of(c);
    problem.before = allocated(problem.c_size);
    problem.want = allocated(problem.c_size);
    memcpy(problem.before, c.data, problem.c_size * sizeof(double));
    memcpy(problem.want, c.data, problem.c_size * sizeof(double));
    three_loops(&problem.product,
                (xh_view_t){problem.want, c.rows, c.cols, c.ld});
    return problem;
}

void problem_destroy(problem_t *problem)
{
    free(problem->product.a.data);
    free(problem->product.b.data);
    free(problem->product.c.data);
    free(problem->before);
    free(problem->want);
}

void problem_restore(problem_t *problem)
{
    memcpy(problem->product.c.data, problem->before,
           problem->c_size * sizeof(double));
}

bool problem_untouched(const problem_t *problem, size_t index)
{
    return memcmp(&problem->product.c.data[index], &problem->before[index],
                  sizeof(double)) == 0;
}

bool problem_right(const problem_t *problem, size_t index)
{
    double most = 1e-15 * (double)(xh_gemm_depth(&problem->product) + 10);
    double got = problem->product.c.data[index], want = problem->want[index];

    return fabs(got - want) <= most || (isnan(got) && isnan(want));
}

size_t problem_wrong(const problem_t *problem)
{
    xh_view_t c = problem->product.c;
    size_t wrong = 0;

    for (size_t i = 0; i < problem->c_size; i++)
        wrong += (int64_t)i % c.ld < c.rows ? !problem_right(problem, i)
                                            : !problem_untouched(problem, i);
    return wrong;
}

/* ---- nodes --------------------------------------------------------------- */

hyb_machine_t *node_open(int threads, const char *const *settings, int count)
{
    hyb_machine_t *node = NULL;

    assert_ok(xh_settings_load());
    for (int i = 0; i < count && settings[i] != NULL; i++)
        assert_ok(xh_settings_assign(settings[i]));
    assert_ok(hyb_machine_open(threads, NULL, NULL, &node));
    return node;
}

xdg_gemm_t *gemm_open(int threads, const char *const *settings, int count)
{
    xdg_gemm_t *gemm = calloc(1, sizeof(*gemm));

    assert_non_null(gemm);
    assert_ok(xdg_gemm_open(node_open(threads, settings, count), gemm));
    return gemm;
}

void gemm_shut(xdg_gemm_t *gemm)
{
    xdg_gemm_close(gemm);
    hyb_machine_close(gemm->machine);
    free(gemm);
}

xdg_gemm_t *gemm;

int gemm_end(void **state)
{
    (void)state;
    gemm_shut(gemm);
    return 0;
}

int node_owner(const hyb_report_t *report, int64_t i, int64_t j)
{
    int64_t count = hyb_tiling_count(&report->tiling);

    for (int64_t tile = 0; tile < count; tile++) {
        xh_rectangle_t p = hyb_tiling_tile(&report->tiling, tile).part;

        if (i >= p.row && i < p.row + p.rows && j >= p.col &&
            j < p.col + p.cols)
            return report->owner[tile];
    }
    return -1;
}

/* ---- traffic ------------------------------------------------------------- */

enum { PIECES = 4096 };

typedef struct {
    int64_t size, used;
    int64_t key[PIECES]; /* the one used last comes first */
} cache_t;

/* Use a piece; returns whether it has to be fetched first. */
static bool fetch(cache_t *c, int64_t key)
{
    int64_t at = 0;
    bool miss;

    while (at < c->used && c->key[at] != key)
        at++;
    miss = at == c->used;
    if (miss && c->used < c->size)
        c->used++;
    at = miss ? c->used - 1 : at;
    memmove(c->key + 1, c->key, (size_t)at * sizeof(*c->key));
    c->key[0] = key;
    return miss;
}

traffic_t traffic_of(const hyb_tiling_t *t)
{
    static cache_t a, b;
    traffic_t traffic = {0};

    assert_in_range(t->a_pieces, 1, PIECES);
    assert_in_range(t->b_pieces, 1, PIECES);
    a = (cache_t){.size = t->a_pieces};
    b = (cache_t){.size = t->b_pieces};
    for (int64_t index = 0; index < hyb_tiling_count(t); index++) {
        hyb_tile_t tile = hyb_tiling_tile(t, index);
        xh_rectangle_t c = tile.part;

        for (int64_t z = 0; z < t->chunks; z++) {
            int64_t depth = xh_smaller(t->depth, t->k - z * t->depth);

            if (fetch(&a, tile.row * t->chunks + z))
                traffic.a_in += sizeof(double) * (uint64_t)(c.rows * depth);
            if (fetch(&b, tile.col * t->chunks + z))
                traffic.b_in += sizeof(double) * (uint64_t)(depth * c.cols);
        }
        traffic.c += sizeof(double) * (uint64_t)(c.rows * c.cols);
    }
    return traffic;
}

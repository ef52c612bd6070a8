/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/xdgemm/verify.h"

#include <math.h>
#include <string.h>
#include "base/checksum.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/product.h"
#include "base/settings.h"

#define PI 3.14159265358979323846
#define DEVIATION 5.0 /* standard deviation */
#define MIB 1048576.0
#define GIB (1024 * MIB)

enum { SEED_A = 1, SEED_B, SEED_C };

/* ---- random matrices ----------------------------------------------------- */

typedef struct {
    const xdg_random_t *random;
    int64_t row, col;
    xh_view_t v;
    int members;
} task_t;

static uint64_t random_bits(uint64_t seed, uint64_t counter)
{
    return xh_mixed(xh_mixed(seed) +
                    (counter + 1) * UINT64_C(0x9e3779b97f4a7c15));
}

/* Convert bits to a number in [0, 1). */
static double unit(uint64_t bits)
{
    return (double)(bits >> 11) * 0x1p-53;
}

/* Make a normally distributed number from two uniform ones, by Box and Muller
 * (1958); two elements share a pair. */
static double normal(uint64_t seed, uint64_t counter)
{
    uint64_t first = counter & ~UINT64_C(1);
    double radius = sqrt(-2.0 * log(1.0 - unit(random_bits(seed, first))));
    double angle = 2.0 * PI * unit(random_bits(seed, first + 1));

    return DEVIATION * radius * (counter & 1 ? sin(angle) : cos(angle));
}

double xdg_random_element(const xdg_random_t *random, int64_t i, int64_t j)
{
    uint64_t counter = (uint64_t)j << 32 | (uint64_t)i;

    switch (random->distribution) {
    case XDG_UNIFORM:
        return unit(random_bits(random->seed, counter)) - 0.5;
    case XDG_NORMAL:
        return normal(random->seed, counter);
    default:
        return NAN;
    }
}

static void fill_share(void *argument, int member)
{
    const task_t *t = argument;
    int64_t first = t->v.cols * member / t->members;
    int64_t end = t->v.cols * (member + 1) / t->members;

    for (int64_t j = first; j < end; j++) {
        double *column = t->v.data + j * t->v.ld;

        for (int64_t i = 0; i < t->v.rows; i++)
            column[i] = xdg_random_element(t->random, t->row + i, t->col + j);
    }
}

void xdg_fill(hyb_team_t *team, const xdg_random_t *random, int64_t row,
              int64_t col, xh_view_t v)
{
    task_t task = {random, row, col, v, hyb_team_size(team)};

    hyb_team_run(team, fill_share, &task);
}

/* ---- their size ---------------------------------------------------------- */

double xdg_bytes(const xh_gemm_t *product)
{
    const xh_view_t v[] = {product->a, product->b, product->c};
    double doubles = 0.0;

    for (int i = 0; i < 3; i++)
        doubles += (double)v[i].ld * (double)v[i].cols;
    return 8.0 * doubles;
}

static int64_t scaled(int64_t size, double factor)
{
    return (int64_t)fmax(1.0, floor((double)size * factor));
}

static xh_gemm_t shrunk(const xh_gemm_t *product, double factor)
{
    xh_gemm_t p = *product;
    xh_view_t *v[] = {&p.a, &p.b, &p.c};

    for (int i = 0; i < 3; i++) {
        int64_t rows = scaled(v[i]->rows, factor);

        *v[i] = (xh_view_t){NULL, rows, scaled(v[i]->cols, factor), rows};
    }
    return p;
}

xh_gemm_t xdg_shrink_to_fit(const xh_gemm_t *product, double bytes)
{
    enum { STEPS = 60 }; /* one is enough, unless m, n or k becomes 1 */
    double factor = 1.0;
    xh_gemm_t p = shrunk(product, factor);

    for (int i = 0; i < STEPS && xdg_bytes(&p) > bytes; i++) {
        factor *= sqrt(bytes / xdg_bytes(&p));
        p = shrunk(product, factor);
    }
    return p;
}

xh_status_t xdg_check_memory(const xh_gemm_t *product)
{
    double need = xdg_bytes(product), room;
    xh_gemm_t largest;
    uint64_t available;

    if (xh_memory_available("", &available) != XH_OK)
        return XH_OK;
    room = (double)available - MIB * (double)xh_settings_int("memory_reserve");
    room = fmin(room, (double)xh_memory_limit_left(NULL));
    if (need <= room)
        return XH_OK;
    largest = xdg_shrink_to_fit(product, room);
    xh_log_error("the matrices take %.1f GiB, %.1f GiB are available; the "
                 "largest of this shape that fits is -m %lld -n %lld -k %lld",
                 need / GIB, fmax(room, 0.0) / GIB, (long long)largest.c.rows,
                 (long long)largest.c.cols, (long long)xh_gemm_depth(&largest));
    return XH_ERR_MEMORY;
}

/* ---- the matrices of a product ------------------------------------------- */

static size_t bytes_of(const xh_view_t *v)
{
    return (size_t)v->ld * (size_t)v->cols * sizeof(double);
}

/* Allocate, fill and pin a matrix. */
static xh_status_t open_matrix(hyb_machine_t *machine, xdg_random_t random,
                               xh_view_t *v)
{
    void *memory;

    XH_TRY(xh_memory_allocate(bytes_of(v), &memory));
    v->data = memory;
    xdg_fill(hyb_machine_team(machine), &random, 0, 0, *v);
    hyb_machine_pin(machine, *v);
    return XH_OK;
}

static void close_matrix(hyb_machine_t *machine, xh_view_t *v)
{
    if (v->data == NULL)
        return;
    hyb_machine_unpin(machine, v->data);
    xh_memory_free(v->data, bytes_of(v));
    v->data = NULL;
}

xh_status_t xdg_problem_open(hyb_machine_t *machine, const xh_gemm_t *product,
                             xdg_distribution_t distribution,
                             xdg_problem_t *problem_p)
{
    xdg_problem_t problem = {*product, {distribution, SEED_C}};
    xh_gemm_t *p = &problem.product;
    xh_view_t *v[] = {&p->a, &p->b, &p->c};
    xh_status_t status = XH_OK;

    p->a.data = p->b.data = p->c.data = NULL;
    for (unsigned i = 0; i < 3 && status == XH_OK; i++)
        status = open_matrix(machine, (xdg_random_t){distribution, SEED_A + i},
                             v[i]);
    if (status == XH_OK)
        *problem_p = problem;
    else
        xdg_problem_close(machine, &problem);
    return status;
}

void xdg_problem_close(hyb_machine_t *machine, xdg_problem_t *problem)
{
    close_matrix(machine, &problem->product.a);
    close_matrix(machine, &problem->product.b);
    close_matrix(machine, &problem->product.c);
}

void xdg_problem_restore(hyb_machine_t *machine, const xdg_problem_t *problem)
{
    xdg_fill(hyb_machine_team(machine), &problem->start, 0, 0,
             problem->product.c);
}

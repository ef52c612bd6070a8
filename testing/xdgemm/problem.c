/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/xdgemm/problem.h"

#include "base/log.h"
#include "base/memory.h"

enum { SEED_A = 1, SEED_B, SEED_C };

static xh_view_t *matrix(xdg_problem_t *problem, int index)
{
    xh_gemm_t *p = &problem->product;
    xh_view_t *all[] = {&p->a, &p->b, &p->c};

    return all[index];
}

static xh_trans_t trans(bool transposed)
{
    return transposed ? XH_TRANS : XH_NO_TRANS;
}

static xh_gemm_t product_of(const xdg_shape_t *s)
{
    return (xh_gemm_t){
        .trans_a = trans(s->transa),
        .trans_b = trans(s->transb),
        .alpha = s->alpha,
        .beta = s->beta,
        .a = {NULL, xdg_a_rows(s), xdg_a_cols(s), s->lda},
        .b = {NULL, xdg_b_rows(s), xdg_b_cols(s), s->ldb},
        .c = {NULL, s->m, s->n, s->ldc},
    };
}

static xh_status_t allocate(xdg_problem_t *problem)
{
    for (int i = 0; i < 3; i++) {
        xh_view_t *v = matrix(problem, i);
        size_t bytes = (size_t)v->ld * (size_t)v->cols * sizeof(double);
        void *memory;
        xh_status_t status = xh_memory_allocate(bytes, &memory);

        if (status != XH_OK) {
            xh_log_error("cannot allocate %.1f GiB", (double)bytes / (1 << 30));
            return status;
        }
        v->data = memory;
        problem->bytes[i] = bytes;
    }
    return XH_OK;
}

xh_status_t xdg_problem_open(hyb_machine_t *node, const xdg_shape_t *shape,
                             xdg_distribution_t distribution,
                             xdg_problem_t *problem_p)
{
    hyb_team_t *team = hyb_machine_team(node);
    xdg_random_t a = {distribution, SEED_A}, b = {distribution, SEED_B};
    xdg_problem_t problem = {.product = product_of(shape),
                             .start = {distribution, SEED_C}};
    xh_status_t status = allocate(&problem);

    if (status != XH_OK) {
        xdg_problem_close(node, &problem);
        return status;
    }
    xdg_fill(team, &a, 0, 0, problem.product.a);
    xdg_fill(team, &b, 0, 0, problem.product.b);
    xdg_fill(team, &problem.start, 0, 0, problem.product.c);
    for (int i = 0; i < 3; i++)
        hyb_machine_pin(node, *matrix(&problem, i));
    *problem_p = problem;
    return XH_OK;
}

void xdg_problem_close(hyb_machine_t *node, xdg_problem_t *problem)
{
    for (int i = 0; i < 3; i++) {
        xh_view_t *v = matrix(problem, i);

        if (v->data == NULL)
            continue;
        hyb_machine_unpin(node, v->data);
        xh_memory_free(v->data, problem->bytes[i]);
        v->data = NULL;
    }
}

void xdg_problem_restore(hyb_machine_t *node, const xdg_problem_t *problem)
{
    xdg_fill(hyb_machine_team(node), &problem->start, 0, 0, problem->product.c);
}

void xdg_problem_poison(xdg_problem_t *problem)
{
    problem->start.distribution = XDG_NAN;
}

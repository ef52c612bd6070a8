/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/product.h"

int64_t xh_gemm_depth(const xh_gemm_t *product)
{
    return product->trans_a == XH_NO_TRANS ? product->a.cols : product->a.rows;
}

double xh_gemm_flop(const xh_gemm_t *product)
{
    return 2.0 * (double)product->c.rows * (double)product->c.cols *
           (double)xh_gemm_depth(product);
}

static bool is_view(xh_view_t v)
{
    return v.rows >= 0 && v.cols >= 0 && v.ld >= v.rows && v.ld >= 1;
}

/* Is op(v) rows x cols? */
static bool is_op(xh_view_t v, xh_trans_t op, int64_t rows, int64_t cols)
{
    return op == XH_NO_TRANS ? v.rows == rows && v.cols == cols
                             : v.rows == cols && v.cols == rows;
}

bool xh_gemm_conforms(const xh_gemm_t *p)
{
    int64_t k = xh_gemm_depth(p);

    return is_view(p->a) && is_view(p->b) && is_view(p->c) &&
           is_op(p->a, p->trans_a, p->c.rows, k) &&
           is_op(p->b, p->trans_b, k, p->c.cols);
}

xh_gemm_t xh_gemm_part(const xh_gemm_t *product, xh_rectangle_t part)
{
    xh_gemm_t p = *product;
    int64_t k = xh_gemm_depth(product);

    p.a = xh_view_op_part(product->a, product->trans_a, part.row, 0, part.rows,
                          k);
    p.b = xh_view_op_part(product->b, product->trans_b, 0, part.col, k,
                          part.cols);
    p.c = xh_view_part(product->c, part.row, part.col, part.rows, part.cols);
    return p;
}

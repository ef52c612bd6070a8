/* SPDX-License-Identifier: BSD-3-Clause */
#include "hpl.h"
#include "hpl/comm/schedule.h"
#include "hpl/pauxil/map.h"
#include "hpl/solver/check.h"

/* Add count doubles up over comm, in messages of bounded length. */
static void add_up(double *v, size_t count, MPI_Comm comm)
{
    size_t length;

    for (size_t done = 0; done < count; done += length) {
        length = Mmin(count - done, hpl_message_chunk);
        MPI_Allreduce(MPI_IN_PLACE, v + done, (int)length, MPI_DOUBLE, MPI_SUM,
                      comm);
    }
}

static double largest_of_all(const HPL_T_grid *grid, const double *v, int count)
{
    double norm = HPL_dlange(HPL_NORM_A, count, 1, v, Mmax(count, 1));

    HPL_all_reduce(&norm, 1, HPL_DOUBLE, HPL_max, grid->all_comm);
    return norm;
}

static double *allocate(size_t count)
{
    double *memory = malloc((count + 1) * sizeof(double));

    if (memory == NULL)
        HPL_pabort(__LINE__, "hpl_check_solution", "out of memory");
    return memory;
}

/* Local columns of A, and b's local part or NULL. */
static int columns_of_a(const HPL_T_grid *grid, const HPL_T_pmat *mat,
                        const double **b_p)
{
    hpl_map_t columns = hpl_map(mat->nb, grid->npcol, grid->mycol);
    int nq = (int)hpl_map_count(&columns, mat->n);

    *b_p = nq < mat->nq ? Mptr(mat->A, 0, nq, mat->ld) : NULL;
    return nq;
}

/* ||A x - b||_oo */
static double residual(const HPL_T_grid *grid, const HPL_T_pmat *mat)
{
    double *r = allocate((size_t)mat->mp), norm;
    const double *b;
    int nq = columns_of_a(grid, mat, &b);

    if (b != NULL)
        memcpy(r, b, (size_t)mat->mp * sizeof(double));
    else
        memset(r, 0, (size_t)mat->mp * sizeof(double));
    if (mat->mp > 0 && nq > 0)
        HPL_dgemv(HplColumnMajor, HplNoTrans, mat->mp, nq, -1.0, mat->A,
                  mat->ld, mat->X, 1, 1.0, r, 1);
    add_up(r, (size_t)mat->mp, grid->row_comm);
    norm = largest_of_all(grid, r, mat->mp);
    free(r);
    return norm;
}

void hpl_check_solution(const HPL_T_grid *grid, const HPL_T_pmat *mat,
                        hpl_norms_t *norms_p)
{
    const double *b;
    int n = mat->n, nq = columns_of_a(grid, mat, &b);

    norms_p->a_inf =
        HPL_pdlange(grid, HPL_NORM_I, n, n, mat->nb, mat->A, mat->ld);
    norms_p->a_one =
        HPL_pdlange(grid, HPL_NORM_1, n, n, mat->nb, mat->A, mat->ld);
    norms_p->b_inf = largest_of_all(grid, b, b != NULL ? mat->mp : 0);
    norms_p->x_inf = largest_of_all(grid, mat->X, nq);
    norms_p->x_one = HPL_dlange(HPL_NORM_1, nq, 1, mat->X, Mmax(nq, 1));
    HPL_all_reduce(&norms_p->x_one, 1, HPL_DOUBLE, HPL_sum, grid->row_comm);
    norms_p->r_inf = residual(grid, mat);
}

void hpl_gather_solution(const HPL_T_grid *grid, const HPL_T_pmat *mat,
                         double *x)
{
    hpl_map_t columns = hpl_map(mat->nb, grid->npcol, grid->mycol);
    int64_t j, nq = hpl_map_count(&columns, mat->n);

    memset(x, 0, (size_t)mat->n * sizeof(double));
    for (j = 0; j < nq; j++)
        x[hpl_map_global(&columns, j)] = mat->X[j];
    add_up(x, (size_t)mat->n, grid->row_comm);
}

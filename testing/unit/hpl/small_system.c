/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/unit/hpl/small_system.h"

#include <math.h>
#include "hpl/pauxil/map.h"

/* splitmix64 */
static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

int small_random(uint64_t *state, int below)
{
    return (int)(next(state) % (uint64_t)below);
}

void small_fill(uint64_t *state, double *a, size_t count)
{
    for (size_t i = 0; i < count; i++)
        a[i] = (double)(next(state) >> 11) * 0x1p-53 - 0.5;
}

bool small_grid_open(HPL_T_grid *grid, int nprow, int npcol)
{
    HPL_grid_init(MPI_COMM_WORLD, HPL_ROW_MAJOR, nprow, npcol, grid);
    return grid->myrow >= 0;
}

void small_grid_close(HPL_T_grid *grid)
{
    HPL_grid_exit(grid);
}

/* the maps of rows and columns, to go through the local part of a matrix */
typedef struct {
    hpl_map_t rows, columns;
} maps_t;

static maps_t maps(const HPL_T_grid *grid, int nb)
{
    return (maps_t){hpl_map(nb, grid->nprow, grid->myrow),
                    hpl_map_columns(grid, nb)};
}

/* where the whole matrix holds what is at (i, j) locally */
static size_t position(const maps_t *m, const HPL_T_pmat *mat, int i, int j)
{
    return (size_t)hpl_map_global(&m->rows, i) +
           (size_t)hpl_map_global(&m->columns, j) * (size_t)mat->n;
}

HPL_T_pmat small_distribute(const HPL_T_grid *grid, int n, int nb,
                            const double *whole)
{
    maps_t m = maps(grid, nb);
    HPL_T_pmat mat = {.n = n, .nb = nb};

    mat.mp = (int)hpl_map_count(&m.rows, n);
    mat.nq = (int)hpl_map_count(&m.columns, n + 1);
    mat.ld = mat.mp + 3;
    mat.A = malloc(((size_t)mat.ld + 1) * (size_t)mat.nq * sizeof(double) + 8);
    if (mat.A == NULL)
        HPL_pabort(__LINE__, "small_distribute", "out of memory");
    mat.X = mat.A + (size_t)mat.ld * (size_t)mat.nq;
    for (int j = 0; j < mat.nq; j++) {
        mat.X[j] = NAN;
        for (int i = 0; i < mat.ld; i++)
            *Mptr(mat.A, i, j, mat.ld) = NAN;
        for (int i = 0; i < mat.mp; i++)
            *Mptr(mat.A, i, j, mat.ld) = whole[position(&m, &mat, i, j)];
    }
    return mat;
}

void small_solution(const HPL_T_grid *grid, const HPL_T_pmat *mat, double *x)
{
    maps_t m = maps(grid, mat->nb);

    memset(x, 0, (size_t)mat->n * sizeof(double));
    for (int j = 0; j < hpl_map_count(&m.columns, mat->n); j++)
        x[hpl_map_global(&m.columns, j)] = mat->X[j];
    MPI_Allreduce(MPI_IN_PLACE, x, mat->n, MPI_DOUBLE, MPI_SUM, grid->row_comm);
}

void small_release(HPL_T_pmat *mat)
{
    free(mat->A);
    mat->A = mat->X = NULL;
}

double small_distance(const HPL_T_grid *grid, const HPL_T_pmat *mat,
                      const double *whole, int first)
{
    maps_t m = maps(grid, mat->nb);
    double difference, largest = 0.0;
    int i, j;

    for (j = (int)hpl_map_count(&m.columns, first); j < mat->nq; j++)
        for (i = (int)hpl_map_count(&m.rows, first); i < mat->mp; i++) {
            difference = fabs(*Mptr(mat->A, i, j, mat->ld) -
                              whole[position(&m, mat, i, j)]);
            largest = isnan(difference) ? INFINITY : fmax(largest, difference);
        }
    return largest;
}

/* Does row i come before row k where they tie? Both are blocks' rows. */
static bool comes_before(const small_order_t *order, int i, int k)
{
    int owner_i = i / order->nb % order->nprow;
    int owner_k = k / order->nb % order->nprow;

    return owner_i != owner_k ? owner_i < owner_k : i < k;
}

static int find_pivot(const double *column, int rows, int first,
                      const small_order_t *order)
{
    int best = first;

    for (int i = first + 1; i < rows; i++)
        if (fabs(column[i]) > fabs(column[best]) ||
            (fabs(column[i]) == fabs(column[best]) &&
             comes_before(order, i, best)))
            best = i;
    return best;
}

static void exchange_rows(double *a, int rows, int i, int k,
                          const int columns[2])
{
    double t;

    for (int j = columns[0]; j < columns[1]; j++) {
        t = *Mptr(a, i, j, rows);
        *Mptr(a, i, j, rows) = *Mptr(a, k, j, rows);
        *Mptr(a, k, j, rows) = t;
    }
}

/* Clear column k below its pivot, in columns k + 1 .. last - 1 as well. */
static void eliminate(double *a, int rows, int k, int last)
{
    double *l = Mptr(a, 0, k, rows);

    for (int i = k + 1; i < rows && l[k] != 0.0; i++)
        l[i] /= l[k];
    for (int j = k + 1; j < last; j++)
        for (int i = k + 1; i < rows; i++)
            *Mptr(a, i, j, rows) -= l[i] * *Mptr(a, k, j, rows);
}

int small_factor_panel(double *a, int rows, int ia, int jb,
                       const small_order_t *order, int *pivot)
{
    int info = 0;

    for (int c = ia; c < ia + jb; c++) {
        pivot[c - ia] = find_pivot(Mptr(a, 0, c, rows), rows, c, order);
        exchange_rows(a, rows, c, pivot[c - ia], (int[]){ia, ia + jb});
        if (info == 0 && *Mptr(a, c, c, rows) == 0.0)
            info = c + 1;
        eliminate(a, rows, c, ia + jb);
    }
    return info;
}

void small_interchange(double *a, int rows, int ia, int jb, const int *pivot,
                       int first, int last)
{
    for (int i = 0; i < jb; i++)
        exchange_rows(a, rows, ia + i, pivot[i], (int[]){first, last});
}

HPL_T_palg small_algorithm(small_l1_t l1, HPL_T_FACT pfact, HPL_T_FACT rfact)
{
    static const HPL_T_PFA_FUN pffuns[2][3] = {
        {HPL_pdpanllN, HPL_pdpancrN, HPL_pdpanrlN},
        {HPL_pdpanllT, HPL_pdpancrT, HPL_pdpanrlT}};
    static const HPL_T_RFA_FUN rffuns[2][3] = {
        {HPL_pdrpanllN, HPL_pdrpancrN, HPL_pdrpanrlN},
        {HPL_pdrpanllT, HPL_pdrpancrT, HPL_pdrpanrlT}};

    return (HPL_T_palg){.btopo = HPL_1RING_M,
                        .nbdiv = 2,
                        .nbmin = 4,
                        .pfact = pfact,
                        .rfact = rfact,
                        .pffun = pffuns[l1][pfact - HPL_LEFT_LOOKING],
                        .rffun = rffuns[l1][rfact - HPL_LEFT_LOOKING],
                        .upfun =
                            l1 == SMALL_L1_N ? HPL_pdupdateNN : HPL_pdupdateTN,
                        .fswap = HPL_SW_MIX,
                        .fsthr = 8,
                        .equil = 1,
                        .align = 8};
}

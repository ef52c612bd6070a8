/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HPL_EXCHANGE_H
#define HPL_EXCHANGE_H

#include "hpl/blas/matrix.h"
#include "hpl/comm/schedule.h"
#include "hpl/panel/pivots.h"

/*
 * The row interchanges of a panel on a range of local columns, when the rows
 * lie on several processes: the owner of the top spreads the displaced top
 * rows to their new places, and all processes of the column gather the rows
 * of U. Rows travel in packed buffers; communication never touches the matrix.
 *
 *     hpl_exchange_begin(&x, panel, columns);
 *     while (!hpl_exchange_poll(&x))
 *         compute_something();
 *     u = hpl_exchange_end(&x, form);
 *
 * Every process of the process column must do this on the same columns in
 * the same order.
 */
typedef struct {
    HPL_T_panel *panel;
    double *a; /* panel row ia of the first of the columns */
    int columns;
    hpl_schedule_t *schedule;
    double *gathered;  /* rows of U by member, each columns long */
    double *displaced; /* displaced top rows by member, each columns long */
    double *u;         /* U in the form asked for */
} hpl_exchange_t;

/* Doubles that u points to for columns columns and its two packed buffers. */
size_t hpl_exchange_doubles(int jb, int columns);

/*
 * Pack my rows of the columns next columns and start moving them. U and the
 * packed buffers are in panel->U, at least hpl_exchange_doubles long.
 */
void hpl_exchange_begin(hpl_exchange_t *x, HPL_T_panel *panel, int columns);

/* Advance without waiting; true once everything has arrived. */
bool hpl_exchange_poll(hpl_exchange_t *x);

/*
 * Wait, put displaced rows into the matrix, and return U (jb x columns) in
 * form; it stays valid until the next begin with this panel. The top rows of
 * the matrix are not written.
 */
hpl_matrix_t hpl_exchange_end(hpl_exchange_t *x, enum HPL_TRANS form);

#endif

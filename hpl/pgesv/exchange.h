/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hpl/blas/matrix.h"
#include "hpl/comm/schedule.h"
#include "hpl/panel/pivots.h"

/*
 * The row interchanges of a panel on a range of local columns, if several
 * processes hold the rows: the owner of the top spreads the displaced top rows
 * to their new places, and all processes of the column gather the rows of U.
 * Rows travel in packed buffers; communication never touches the matrix.
 *
 *     hpl_exchange_begin(&x, panel, columns);
 *     while (!hpl_schedule_poll(x.schedule))
 *         compute_something();
 *     u = hpl_exchange_end(&x, form);
 *
 * Every process of the process column must do this on the same columns in
 * the same order.
 */
typedef struct {
    HPL_T_panel *panel;
    double *a; /* address of the first column's element in row ia */
    int columns;
    int tag;           /* message tag, 0 .. 32767 */
    double *gathered;  /* jb x columns: rows of U by member */
    double *displaced; /* jb x columns: displaced top rows by member */
    double *u;         /* jb x columns: U in the form requested at the end */
    hpl_schedule_t *schedule;
} hpl_exchange_t;

/* Doubles of u and of both packed buffers together. */
size_t hpl_exchange_doubles(int jb, int columns);

/* Columns that an update exchanges at a time if there are several process rows.
 */
int hpl_exchange_width(int jb, int nb);

/*
 * Interchange the rows of panel in its next `columns` local columns in place,
 * if this process holds all rows; then the matrix's top rows are U.
 */
void hpl_local_swap(HPL_T_panel *panel, int columns);

/*
 * Pack my rows of the next `columns` columns and start sending them. U and the
 * packed buffers are in panel->U, at least hpl_exchange_doubles long.
 */
void hpl_exchange_begin(hpl_exchange_t *x, HPL_T_panel *panel, int columns);

/*
 * Wait, put displaced rows into the matrix, and return U (jb x columns) in
 * form; it stays valid until the next begin with this panel. The top rows of
 * the matrix are not written.
 */
hpl_matrix_t hpl_exchange_end(hpl_exchange_t *x, enum HPL_TRANS form);

/*
 * The following functions do the same in steps, for any columns, and with
 * several exchanges in flight if their tags differ: fill in x except u and
 * schedule; pack, start, poll and end its schedule, settle. Then row r of
 * `gathered` is row panel->pivots->gather[r].to of U.
 */

/*
 * Pack rows that leave the matrix, in columns from .. from + columns - 1 of the
 * range: my rows of U, and all displaced rows if the top is mine. Several
 * threads may do this for different columns after a call of hpl_panel_pivots.
 */
void hpl_exchange_pack(const hpl_exchange_t *x, int from, int columns);

/* Start moving rows, after all columns are packed. */
void hpl_exchange_start(hpl_exchange_t *x);

/*
 * Copy received displaced rows into columns from .. from + columns - 1 of the
 * range. Several threads may do this for different columns.
 */
void hpl_exchange_settle(const hpl_exchange_t *x, int from, int columns);

/* Copy the rows of `gathered` to their places in u (jb x columns). */
void hpl_exchange_order(const hpl_exchange_t *x, hpl_matrix_t u);

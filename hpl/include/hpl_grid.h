/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HPL_GRID_H
#define HPL_GRID_H

#include "hpl_misc.h"

/*
 * All functions that return int return what MPI returned, MPI_SUCCESS or an
 * error code where the communicator's error handler lets MPI return one.
 */

/*
 * Lay the first NPROW * NPCOL processes of COMM on a grid; collective over
 * COMM. Processes beyond them get myrow = mycol = -1 and no communicator.
 *
 * ORDER         in   whether ranks run along process rows (HPL_ROW_MAJOR) or
 *                    process columns
 * NPROW, NPCOL  in   >= 1; the job ends where COMM has too few processes
 * GRID          out  released by HPL_grid_exit
 */
int HPL_grid_init(MPI_Comm COMM, HPL_T_ORDER ORDER, int NPROW, int NPCOL,
                  HPL_T_grid *GRID);

/* Shape of GRID and where this process stands in it, -1 when outside. */
int HPL_grid_info(const HPL_T_grid *GRID, int *NPROW, int *NPCOL, int *MYROW,
                  int *MYCOL);

/* Free what HPL_grid_init made; collective over the processes of GRID. */
int HPL_grid_exit(HPL_T_grid *GRID);

/* Rank in GRID->all_comm of the process at (MYROW, MYCOL). */
int HPL_pnum(const HPL_T_grid *GRID, int MYROW, int MYCOL);

/* Wait until all processes of COMM are here. */
int HPL_barrier(MPI_Comm COMM);

/* Copy COUNT values of BUFFER from process ROOT of COMM to all others. */
int HPL_broadcast(void *BUFFER, int COUNT, HPL_T_TYPE DTYPE, int ROOT,
                  MPI_Comm COMM);

/*
 * Combine BUFFER of all processes of COMM by OP, value by value.
 *
 * BUFFER  in,out  COUNT values of DTYPE; holds the result on ROOT, and partial
 *                 results elsewhere
 * OP      in      associative: HPL_max, HPL_min, HPL_sum or the caller's own
 */
int HPL_reduce(void *BUFFER, int COUNT, HPL_T_TYPE DTYPE, HPL_T_OP OP, int ROOT,
               MPI_Comm COMM);

/* As HPL_reduce, with bitwise the same result on all processes. */
int HPL_all_reduce(void *BUFFER, int COUNT, HPL_T_TYPE DTYPE, HPL_T_OP OP,
                   MPI_Comm COMM);

/*
 * INOUT := max, min or sum of IN and INOUT, value by value, N values of DTYPE.
 * A NaN on either side gives NaN.
 */
void HPL_max(int N, const void *IN, void *INOUT, HPL_T_TYPE DTYPE);
void HPL_min(int N, const void *IN, void *INOUT, HPL_T_TYPE DTYPE);
void HPL_sum(int N, const void *IN, void *INOUT, HPL_T_TYPE DTYPE);

#endif

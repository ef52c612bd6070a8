/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HPL_GRID_H
#define HPL_GRID_H

#include "hpl_misc.h"

int HPL_all_reduce(void *BUFFER, const int COUNT, const HPL_T_TYPE DTYPE, const HPL_T_OP OP, MPI_Comm COMM);
int HPL_barrier(MPI_Comm COMM);
int HPL_broadcast(void *BUFFER, const int COUNT, const HPL_T_TYPE DTYPE, const int ROOT, MPI_Comm COMM);
int HPL_grid_exit(HPL_T_grid *GRID);
int HPL_grid_info(const HPL_T_grid *GRID, int *NPROW, int *NPCOL, int *MYROW, int *MYCOL);
int HPL_grid_init(MPI_Comm COMM, const HPL_T_ORDER ORDER, const int NPROW, const int NPCOL, HPL_T_grid *GRID);
void HPL_max(const int N, const void *IN, void *INOUT, const HPL_T_TYPE DTYPE);
void HPL_min(const int N, const void *IN, void *INOUT, const HPL_T_TYPE DTYPE);
int HPL_pnum(const HPL_T_grid *GRID, const int MYROW, const int MYCOL);
int HPL_reduce(void *BUFFER, const int COUNT, const HPL_T_TYPE DTYPE, const HPL_T_OP OP, const int ROOT, MPI_Comm COMM);
void HPL_sum(const int N, const void *IN, void *INOUT, const HPL_T_TYPE DTYPE);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#include "hpl.h"
#include "hpl/auxil/norm.h"
#include "hpl/comm/waits.h"

enum { REDUCE_TAG = 101 };

typedef struct {
    void *buffer;
    int count;
    HPL_T_TYPE type;
} values_t;

static MPI_Datatype mpi_type(HPL_T_TYPE type)
{
    return type == HPL_INT ? MPI_INT : MPI_DOUBLE;
}

static size_t bytes_of_type(HPL_T_TYPE type)
{
    return type == HPL_INT ? sizeof(int) : sizeof(double);
}

static double bytes_of(values_t v)
{
    return (double)v.count * (double)bytes_of_type(v.type);
}

int HPL_barrier(MPI_Comm COMM)
{
    int error;

    hpl_wait_begin_in(COMM, -1, "a barrier", 0.0);
    error = MPI_Barrier(COMM);
    hpl_wait_end();
    return error;
}

int HPL_broadcast(void *BUFFER, int COUNT, HPL_T_TYPE DTYPE, int ROOT,
                  MPI_Comm COMM)
{
    int error;

    hpl_wait_begin_in(COMM, -1, "a result for all", 0.0);
    error = MPI_Bcast(BUFFER, Mmax(COUNT, 0), mpi_type(DTYPE), ROOT, COMM);
    hpl_wait_end();
    return error;
}

static int receive_and_combine(values_t v, void *other, HPL_T_OP op, int source,
                               MPI_Comm comm)
{
    int error;

    hpl_wait_begin_in(comm, source, "a part of a sum", bytes_of(v));
    error = MPI_Recv(other, v.count, mpi_type(v.type), source, REDUCE_TAG, comm,
                     MPI_STATUS_IGNORE);
    hpl_wait_end();
    if (error == MPI_SUCCESS)
        op(v.count, other, v.buffer, v.type);
    return error;
}

static int send_on(values_t v, int to, MPI_Comm comm)
{
    int error;

    hpl_wait_begin_in(comm, to, "a part of a sum", bytes_of(v));
    error = MPI_Send(v.buffer, v.count, mpi_type(v.type), to, REDUCE_TAG, comm);
    hpl_wait_end();
    return error;
}

/*
 * A binomial tree over the distance from root: a process combines what its
 * children send, nearest first, then sends to its parent. OP is a function
 * here, so MPI's own reductions do not serve.
 */
static int reduce_tree(values_t v, void *other, HPL_T_OP op, int root,
                       MPI_Comm comm)
{
    int rank, size, distance, error = MPI_SUCCESS;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    distance = (rank - root + size) % size;
    for (int mask = 1; mask < size && error == MPI_SUCCESS; mask *= 2) {
        if (distance & mask)
            return send_on(v, (rank - mask + size) % size, comm);
        if (distance + mask < size)
            error =
                receive_and_combine(v, other, op, (rank + mask) % size, comm);
    }
    return error;
}

int HPL_reduce(void *BUFFER, int COUNT, HPL_T_TYPE DTYPE, HPL_T_OP OP, int ROOT,
               MPI_Comm COMM)
{
    values_t v = {.buffer = BUFFER, .count = COUNT, .type = DTYPE};
    void *other;
    int error;

    if (COUNT <= 0)
        return MPI_SUCCESS;
    other = malloc((size_t)COUNT * bytes_of_type(DTYPE));
    if (other == NULL)
        HPL_pabort(__LINE__, "HPL_reduce", "no memory for %d values", COUNT);
    error = reduce_tree(v, other, OP, ROOT, COMM);
    free(other);
    return error;
}

int HPL_all_reduce(void *BUFFER, int COUNT, HPL_T_TYPE DTYPE, HPL_T_OP OP,
                   MPI_Comm COMM)
{
    int error = HPL_reduce(BUFFER, COUNT, DTYPE, OP, 0, COMM);

    if (error == MPI_SUCCESS)
        error = HPL_broadcast(BUFFER, COUNT, DTYPE, 0, COMM);
    return error;
}

/* b[i] := `value`, an expression of a and b, for N values of a type. */
#define COMBINE(type_t, value)                                                 \
    for (int i = 0; i < N; i++) {                                              \
        const type_t a = ((const type_t *)IN)[i], b = ((type_t *)INOUT)[i];    \
                                                                               \
        ((type_t *)INOUT)[i] = value;                                          \
    }

/* One operator for both types; if either operand is NaN, so is the result. */
#define OPERATOR(name, of_doubles, of_ints)                                    \
    void name(int N, const void *IN, void *INOUT, HPL_T_TYPE DTYPE)            \
    {                                                                          \
        if (DTYPE == HPL_DOUBLE)                                               \
            COMBINE(double, of_doubles)                                        \
        else                                                                   \
            COMBINE(int, of_ints)                                              \
    }

OPERATOR(HPL_max, hpl_is_nan(a) || a > b ? a : b, a > b ? a : b)
OPERATOR(HPL_min, hpl_is_nan(a) || a < b ? a : b, a < b ? a : b)
OPERATOR(HPL_sum, a + b, a + b)

/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/xinject/fault.h"
#include "base/checksum.h"
#include "hpl/comm/waits.h"

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* What is called, and counted. */
typedef enum {
    MULTIPLY,
    SOLVE,
    ELIMINATE,
    SEND,
    WORK, /* of device 0; others follow */
    CALLS = WORK + HYB_EXECUTORS
} call_t;

static const hyb_kernel_t *real;
static hyb_kernel_t wrapped;
static const HPL_T_pmat *matrix;
static fault_t fault;
static bool is_mine, is_on;
static _Atomic int64_t calls[CALLS];
static int64_t clean_calls[CALLS], at_call;
static atomic_int happened;
static int receiver; /* of the message that was wrong */

/* ---- drawing ------------------------------------------------------------- */

static uint64_t next(uint64_t *state)
{
    return xh_mixed(*state += 0x9e3779b97f4a7c15);
}

fault_t fault_draw(uint64_t number, fault_bits_t bits, int processes,
                   int devices)
{
    uint64_t state = number * 1000003 + (uint64_t)bits;
    int last = processes > 1 ? FAULT_MESSAGE : FAULT_MEMORY;
    fault_t f = {.bits = bits, .device = -1};

    if (bits == FAULT_NO_BITS)
        return f;
    f.where = (fault_place_t)(1 + next(&state) % (uint64_t)last);
    f.rank = (int)(next(&state) % (uint64_t)processes);
    f.when = (double)(next(&state) >> 11) * 0x1p-53;
    f.random = next(&state);
    if (devices == 0 || next(&state) % 2 == 0)
        return f;
    f.device = (int)(next(&state) % (uint64_t)devices);
    f.where = next(&state) % 4 == 0 ? FAULT_DEVICE_MEMORY : FAULT_DEVICE;
    return f;
}

const char *fault_name(const fault_t *f)
{
    static const char *const names[FAULT_PLACES] = {
        "none",      "C",      "register", "U",      "L2",           "solve",
        "eliminate", "memory", "message",  "device", "device memory"};

    return names[f->where];
}

static int call_of(const fault_t *f)
{
    fault_place_t where = f->where;

    if (f->device >= 0)
        return WORK + f->device;
    if (where == FAULT_SOLVE)
        return SOLVE;
    if (where == FAULT_ELIMINATE)
        return ELIMINATE;
    return where == FAULT_MESSAGE ? SEND : MULTIPLY;
}

void fault_begin(const fault_t *f, const HPL_T_pmat *mat)
{
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    fault = *f;
    matrix = mat;
    is_mine = f->where != FAULT_NOWHERE && rank == f->rank;
    at_call = (int64_t)(f->when * (double)clean_calls[call_of(f)]);
    atomic_store(&happened, 0);
    receiver = -1;
    for (int i = 0; i < CALLS; i++)
        atomic_store(&calls[i], 0);
    is_on = true;
}

void fault_end(void)
{
    is_on = false;
    if (fault.where == FAULT_NOWHERE)
        for (int i = 0; i < CALLS; i++)
            clean_calls[i] = atomic_load(&calls[i]);
}

int fault_receiver(void)
{
    return receiver;
}

int fault_happened(void)
{
    return atomic_load(&happened);
}

/* Is it this call that the fault happens in? */
static bool is_due(int call)
{
    int64_t number = is_on ? atomic_fetch_add(&calls[call], 1) : -1;

    return is_mine && call == call_of(&fault) && number == at_call;
}

/* ---- bits ---------------------------------------------------------------- */

static void flip(double *at, uint64_t bits)
{
    uint64_t word;

    memcpy(&word, at, sizeof(word));
    word ^= bits;
    memcpy(at, &word, sizeof(word));
    atomic_store(&happened, 1);
}

/* One bit of one of count numbers, or some bits of one, or of every eighth. */
void fault_spoil(double *data, int64_t count)
{
    uint64_t state = fault.random, bits = UINT64_C(1) << (next(&state) % 64);
    int64_t at = (int64_t)(next(&state) % (uint64_t)count);

    if (fault.bits == FAULT_SINGLE) {
        flip(data + at, bits);
        return;
    }
    for (uint64_t more = next(&state) % 8; more > 0; more--)
        bits |= UINT64_C(1) << (next(&state) % 64);
    if (next(&state) % 2 == 0)
        flip(data + at, bits);
    else
        for (at %= 8; at < count; at += 8)
            flip(data + at, bits);
}

fault_place_t fault_of_device(int device)
{
    return is_due(WORK + device) ? fault.where : FAULT_NOWHERE;
}

/* The same in a block of columns; a lane is a row of it. */
static void spoil_tile(double *c, int64_t ld)
{
    double tile[HYB_KERNEL_MOST_ROWS * HYB_KERNEL_MOST_COLS];
    int rows = real->rows, cols = real->cols;

    for (int j = 0; j < cols; j++)
        memcpy(tile + j * rows, c + j * ld, (size_t)rows * sizeof(*c));
    fault_spoil(tile, rows * cols);
    for (int j = 0; j < cols; j++)
        memcpy(c + j * ld, tile + j * rows, (size_t)rows * sizeof(*c));
}

static void spoil_matrix(void)
{
    uint64_t state = fault.random + 1;
    int64_t column = (int64_t)(next(&state) % (uint64_t)matrix->nq);
    int64_t row = (int64_t)(next(&state) % (uint64_t)matrix->mp);
    int64_t count = matrix->mp - row;

    fault_spoil(matrix->A + row + column * matrix->ld, count < 64 ? count : 64);
}

/* ---- the kernel's functions ---------------------------------------------- */

static void multiply(int64_t k, const double *a, const double *b, double *c,
                     int64_t ldc, const double *ahead)
{
    bool due = is_due(MULTIPLY);

    if (due && fault.where == FAULT_C)
        spoil_tile(c, ldc);
    if (due && fault.where == FAULT_U)
        fault_spoil((double *)b, k * real->cols);
    if (due && fault.where == FAULT_L2)
        fault_spoil((double *)a, k * real->rows);
    if (due && fault.where == FAULT_MEMORY)
        spoil_matrix();
    real->multiply(k, a, b, c, ldc, ahead);
    if (due && fault.where == FAULT_REGISTER)
        spoil_tile(c, ldc);
}

static void solve(int64_t k, const double *a, const double *l, const double *b,
                  double *x)
{
    real->solve(k, a, l, b, x);
    if (is_due(SOLVE))
        fault_spoil(x, real->rows * real->cols);
}

static hyb_candidate_t eliminate(const hyb_elimination_t *e, double *first,
                                 int64_t stride, int64_t count)
{
    if (is_due(ELIMINATE) && e->cols > 0)
        fault_spoil(first + e->depth * real->rows, real->rows * e->cols);
    return real->eliminate(e, first, stride, count);
}

const hyb_kernel_t *fault_kernel(const hyb_kernel_t *kernel)
{
    if (kernel == &wrapped)
        return kernel;
    real = kernel;
    wrapped = *kernel;
    wrapped.multiply = multiply;
    wrapped.solve = solve;
    wrapped.eliminate = eliminate;
    return &wrapped;
}

/* ---- messages: as long as the program runs ------------------------------- */

int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag,
              MPI_Comm comm, MPI_Request *request)
{
    double *copy;

    if (type == MPI_DOUBLE && count > 0 && is_due(SEND)) {
        copy = malloc((size_t)count * sizeof(*copy));
        memcpy(copy, data, (size_t)count * sizeof(*copy));
        fault_spoil(copy, count);
        receiver = hpl_waits_ranks(comm, to).first;
        data = copy;
    }
    return PMPI_Isend(data, count, type, to, tag, comm, request);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/capacity.h"

#include <math.h>
#include <string.h>
#include "base/log.h"
#include "base/memory.h"
#include "base/settings.h"
#include "hpl.h"
#include "hpl_solver.h"
#include "testing/ptest/plan.h"
#include "testing/ptest/processes.h"

#define MIB 1048576.0
#define GIB (1024 * MIB)

/* Memory of a process besides its system: buffers of MPI and BLAS. */
static const double allowance = 32 * MIB;

/* this process's node; bytes are double, as sums may pass 2^64 */
typedef struct {
    const xhpl_parameters_t *parameters;
    MPI_Comm comm;    /* its processes */
    double available; /* bytes for this run */
} node_t;

/* the node that is furthest from fitting */
typedef struct {
    double ratio; /* of need to available */
    int rank;     /* a process of it */
} worst_t;

static void open_node(node_t *node)
{
    double available = INFINITY;
    uint64_t bytes;

    node->comm = xhpl_node_comm();
    if (xh_memory_available("", &bytes) == XH_OK)
        available = fmax(
            1, (double)bytes - MIB * (double)xh_settings_int("memory_reserve"));
    MPI_Allreduce(&available, &node->available, 1, MPI_DOUBLE, MPI_MIN,
                  node->comm);
}

double xhpl_capacity_bytes(const hpl_shape_t *shape)
{
    /* where pages are small, each has an entry in a table */
    static const double entries = 8.0 / 4096;

    return (1 + entries) * (double)hpl_solver()->bytes(shape) + allowance;
}

xhpl_capacity_t xhpl_capacity_of_nodes(void)
{
    node_t node;
    double least[2]; /* of all nodes: bytes, and minus the processes */
    int first, nodes;

    open_node(&node);
    least[0] = node.available;
    least[1] = -xhpl_size(node.comm);
    first = xhpl_rank(node.comm) == 0;
    MPI_Comm_free(&node.comm);
    MPI_Allreduce(MPI_IN_PLACE, least, 2, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(&first, &nodes, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return (xhpl_capacity_t){
        .node_bytes = least[0], .processes = (int)-least[1], .nodes = nodes};
}

static double process_bytes(const node_t *node, const xhpl_test_t *test)
{
    hpl_shape_t shape = {
        .n = test->n,
        .nb = test->nb,
        .nprow = test->nprow,
        .npcol = test->npcol,
        .depth = test->depth,
        .align = xhpl_parameters_value(node->parameters, XHPL_ALIGN)};
    int rank = xhpl_rank(MPI_COMM_WORLD);

    if (rank >= test->nprow * test->npcol)
        return allowance;
    if (xhpl_order(node->parameters) == HPL_ROW_MAJOR) {
        shape.myrow = rank / test->npcol;
        shape.mycol = rank % test->npcol;
    } else {
        shape.myrow = rank % test->nprow;
        shape.mycol = rank / test->nprow;
    }
    return xhpl_capacity_bytes(&shape);
}

/* Memory that test takes on my node. */
static double node_bytes(const node_t *node, const xhpl_test_t *test)
{
    double mine = process_bytes(node, test), all;

    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, node->comm);
    return all;
}

/* The test that takes most memory on my node. */
static xhpl_test_t largest_test(const node_t *node, double *bytes_p)
{
    int64_t tests = xhpl_plan_count(node->parameters);
    int64_t step = xhpl_plan_same_shape(node->parameters);
    xhpl_test_t largest = xhpl_plan_test(node->parameters, 0);

    *bytes_p = node_bytes(node, &largest);
    for (int64_t index = step; index < tests; index += step) {
        xhpl_test_t test = xhpl_plan_test(node->parameters, index);
        double bytes = node_bytes(node, &test);

        if (bytes > *bytes_p) {
            *bytes_p = bytes;
            largest = test;
        }
    }
    return largest;
}

/* True if test fits every node; collective over all. */
static bool fits(const node_t *node, xhpl_test_t test, int n)
{
    int here, everywhere;

    test.n = n;
    here = node_bytes(node, &test) <= node->available;
    MPI_Allreduce(&here, &everywhere, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    return everywhere;
}

/* The largest multiple of NB, at most N, with which test fits; 0 if none. */
static int largest_n(const node_t *node, const xhpl_test_t *test)
{
    int good = 0, bad = test->n / test->nb + 1;

    while (bad - good > 1) {
        int middle = good + (bad - good) / 2;

        if (fits(node, *test, middle * test->nb))
            good = middle;
        else
            bad = middle;
    }
    return good * test->nb;
}

static void say_too_large(const node_t *node, const xhpl_test_t *test,
                          double bytes, int n)
{
    char host[MPI_MAX_PROCESSOR_NAME], advice[128];
    int length;

    MPI_Get_processor_name(host, &length);
    if (n > 0)
        snprintf(advice, sizeof(advice),
                 "the largest N that fits with NB = %d is %d", test->nb, n);
    else
        snprintf(advice, sizeof(advice), "no multiple of NB = %d fits",
                 test->nb);
    xh_log_error("N = %d on %d x %d processes needs %.2f GiB of node %s, "
                 "which has %.2f GiB available; %s",
                 test->n, test->nprow, test->npcol, bytes / GIB, host,
                 node->available / GIB, advice);
}

static xh_status_t check(const node_t *node)
{
    worst_t mine, worst;
    xhpl_test_t test;
    double bytes;
    int rank = xhpl_rank(MPI_COMM_WORLD), n;

    test = largest_test(node, &bytes);
    mine = (worst_t){.ratio = bytes / node->available, .rank = rank};
    MPI_Allreduce(&mine, &worst, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
    if (worst.ratio <= 1)
        return XH_OK;
    MPI_Bcast(&test, sizeof(test), MPI_BYTE, worst.rank, MPI_COMM_WORLD);
    n = largest_n(node, &test);
    if (rank == worst.rank)
        say_too_large(node, &test, bytes, n);
    return XH_ERR_MEMORY;
}

xh_status_t xhpl_capacity_check(const xhpl_parameters_t *parameters)
{
    node_t node = {.parameters = parameters};
    xh_status_t status;

    if (strcmp(xh_settings_text("memory_check"), "off") == 0)
        return XH_OK;
    open_node(&node);
    status = check(&node);
    MPI_Comm_free(&node.comm);
    return status;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/capacity.h"

#include <math.h>
#include "base/log.h"
#include "base/memory.h"
#include "base/settings.h"
#include "hpl.h"
#include "hpl_solver.h"
#include "testing/ptest/test_list.h"
#include "testing/ptest/processes.h"

#define MIB 1048576.0
#define GIB (1024 * MIB)

/* Memory of a process besides its system: buffers of MPI and BLAS. */
static const double allowance = 32 * MIB;
/* Bytes on process 0 per process: for reports, a connection and a record. */
static const double bytes_per_process = 8192;

/* Bytes available to this run on the node of this process; node has its
 * processes; INFINITY: unknown. The type is double since sums may exceed 2^64.
 */
static double available_on(MPI_Comm node)
{
    double available = INFINITY;
    uint64_t bytes;

    if (xh_memory_available("", &bytes) == XH_OK)
        available = fmax(
            1, (double)bytes - MIB * (double)xh_settings_int("memory_reserve"));
    MPI_Allreduce(MPI_IN_PLACE, &available, 1, MPI_DOUBLE, MPI_MIN, node);
    return available;
}

/* Bytes that the limits of this process leave to a run; INFINITY: no limit. The
 * BLAS library has a buffer for each thread that calls it. */
static double limit_left(void)
{
    static const double usual = 64 * MIB, of_thread = 130 * MIB;
    uint64_t left = xh_memory_limit_left(NULL);
    hpl_workers_t mine = {.threads = 1};
    bool calls_blas;

    if (left == UINT64_MAX)
        return INFINITY;
    if (hpl_solver()->workers != NULL)
        mine = hpl_solver()->workers();
    calls_blas = mine.kernel != NULL && strcmp(mine.kernel, "blas") == 0;
    return fmax(1, (double)left - usual -
                       (calls_blas ? of_thread * mine.threads : 0.0));
}

double xhpl_capacity_bytes(const hpl_shape_t *shape)
{
    /* with small pages, each has an entry in a page table */
    static const double page_table_share = 8.0 / 4096;
    bool is_first = shape->myrow == 0 && shape->mycol == 0;

    return (1 + page_table_share) * (double)hpl_solver()->bytes(shape) +
           allowance +
           (is_first ? bytes_per_process * shape->nprow * shape->npcol : 0.0);
}

xhpl_capacity_t xhpl_capacity_of_nodes(void)
{
    MPI_Comm node = xhpl_node_comm();
    double least[2]; /* smallest of all nodes: bytes, and minus the number of
                        processes */
    int first = xhpl_rank(node) == 0, nodes;

    least[0] = limit_left();
    MPI_Allreduce(MPI_IN_PLACE, least, 1, MPI_DOUBLE, MPI_MIN, node);
    least[0] = fmin(available_on(node), least[0] * xhpl_size(node));
    least[1] = -xhpl_size(node);
    MPI_Comm_free(&node);
    MPI_Allreduce(MPI_IN_PLACE, least, 2, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(&first, &nodes, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return (xhpl_capacity_t){
        .node_bytes = least[0], .processes = (int)-least[1], .nodes = nodes};
}

/* ---- the check ----------------------------------------------------------- */

typedef struct {
    const xhpl_parameters_t *parameters;
    const xhpl_weights_t *weights;
    MPI_Comm node;
    double available; /* bytes available on this node */
    double limit;     /* bytes; INFINITY: no limit */
} check_t;

/* The node on which a test fits worst. */
typedef struct {
    double ratio; /* bytes needed divided by bytes available */
    int rank;     /* a process on that node */
} tightest_t;

static double process_bytes(const check_t *check, const xhpl_test_t *test)
{
    const xhpl_parameters_t *parameters = check->parameters;
    hpl_deal_t *deal;
    double bytes;
    hpl_shape_t shape =
        xhpl_shape_of(test, xhpl_parameters_value(parameters, XHPL_ALIGN));
    int rank = xhpl_rank(MPI_COMM_WORLD);
    HPL_T_ORDER order = xhpl_order(parameters);
    bool by_rows = order == HPL_ROW_MAJOR;

    if (rank >= test->nprow * test->npcol)
        return allowance;
    shape.myrow = by_rows ? rank / test->npcol : rank % test->nprow;
    shape.mycol = by_rows ? rank % test->npcol : rank / test->nprow;
    if (xhpl_weights_deal(check->weights, order, test, &deal) != XH_OK)
        return INFINITY;
    shape.deal = deal;
    bytes = xhpl_capacity_bytes(&shape);
    hpl_deal_destroy(deal);
    return bytes;
}

/* Find the node on which test fits least; collective over MPI_COMM_WORLD. */
static tightest_t find_tightest(const check_t *check, const xhpl_test_t *test)
{
    double bytes = process_bytes(check, test);
    tightest_t worst = {.rank = xhpl_rank(MPI_COMM_WORLD)};

    worst.ratio = bytes / check->limit;
    MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_DOUBLE, MPI_SUM, check->node);
    worst.ratio = fmax(worst.ratio, bytes / check->available);
    MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE_INT, MPI_MAXLOC,
                  MPI_COMM_WORLD);
    return worst;
}

/* The largest multiple of NB, at most N, with which test fits; 0: none. */
static int largest_n(const check_t *check, const xhpl_test_t *test)
{
    int good = 0, bad = test->n / test->nb + 1;

    while (bad - good > 1) {
        int middle = good + (bad - good) / 2;
        xhpl_test_t smaller = *test;

        smaller.n = middle * test->nb;
        if (find_tightest(check, &smaller).ratio <= 1)
            good = middle;
        else
            bad = middle;
    }
    return good * test->nb;
}

/* Order: on a process of the node on which test fits least. */
static void report_too_large(const check_t *check, const xhpl_test_t *test,
                             double ratio, int n)
{
    bool is_limit = process_bytes(check, test) / check->limit >= ratio;
    double room = is_limit ? check->limit : check->available;
    const char *name;

    char host[MPI_MAX_PROCESSOR_NAME], advice[128];
    char have[MPI_MAX_PROCESSOR_NAME + 80];
    int length;

    MPI_Get_processor_name(host, &length);
    if (n > 0)
        snprintf(advice, sizeof(advice),
                 "the largest N that fits with NB = %d is %d", test->nb, n);
    else
        snprintf(advice, sizeof(advice), "no multiple of NB = %d fits",
                 test->nb);
    xh_memory_limit_left(&name);
    if (is_limit)
        snprintf(have, sizeof(have),
                 "a process on %s, to which %s leaves %.2f GiB", host, name,
                 room / GIB);
    else
        snprintf(have, sizeof(have), "node %s, which has %.2f GiB available",
                 host, room / GIB);
    xh_log_error("N = %d on %d x %d processes needs %.2f GiB of %s; %s",
                 test->n, test->nprow, test->npcol, ratio * room / GIB, have,
                 advice);
}

xh_status_t xhpl_capacity_check(const xhpl_parameters_t *parameters,
                                const xhpl_weights_t *weights)
{
    check_t check = {.parameters = parameters, .weights = weights};
    int64_t tests = xhpl_test_count(parameters);
    int64_t step = xhpl_test_same_shape(parameters);
    xhpl_test_t largest = {.n = 0};
    tightest_t worst = {.ratio = 0};

    check.node = xhpl_node_comm();
    check.available = available_on(check.node);
    check.limit = limit_left();
    for (int64_t index = 0; index < tests; index += step) {
        xhpl_test_t test = xhpl_test_at(parameters, index);
        tightest_t found = find_tightest(&check, &test);

        if (found.ratio > worst.ratio) {
            worst = found;
            largest = test;
        }
    }
    if (worst.ratio > 1) {
        int n = largest_n(&check, &largest);

        if (xhpl_rank(MPI_COMM_WORLD) == worst.rank)
            report_too_large(&check, &largest, worst.ratio, n);
    }
    MPI_Comm_free(&check.node);
    return worst.ratio > 1 ? XH_ERR_MEMORY : XH_OK;
}

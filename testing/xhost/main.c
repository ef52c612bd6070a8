/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * xhost: what the parts of the host solver reach on this machine's cores, for
 * a script to read.
 *
 *     xhost ceiling KERNEL THREADS MILLISECONDS
 *     xhost update  KERNEL THREADS M N K       C := C - L2 U, C of M x N
 *     xhost panel   KERNEL THREADS M NB        factorization, M rows
 *     xhost swap    KERNEL THREADS M N NB      NB rows of M, in N columns
 *     xhost pass    KERNEL THREADS M N         line by line through M x N
 *
 * KERNEL is auto or a name, as of the setting kernel. THREADS are pinned to
 * cores of their own where there are as many. What is printed:
 *
 *     kernel avx512
 *     update 1.1e+11         flop/s; of swap and pass bytes/s, read and
 *                            written; of the best of some calls
 *
 * Exit status: 2 bad input or not enough memory, 3 no threads.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cpu.h"
#include "base/integers.h"
#include "base/log.h"
#include "hybrid/cpu/trial/trial.h"
#include "hybrid/cpu/trial/host_parts.h"

enum { MOST_NUMBERS = 3, MOST_THREADS = 4096, LARGEST = 10000000 };
enum { UPDATE_CALLS = 3, PANEL_CALLS = 9 }; /* of which the best counts */

typedef struct {
    const hyb_kernel_t *kernel;
    int64_t threads;
    int64_t number[MOST_NUMBERS];
    int parts; /* of an update, as hyb_host_update_t has them */
} order_t;

/* ---- measuring ----------------------------------------------------------- */

static xh_status_t measure_ceiling(const order_t *order, double *rate_p)
{
    *rate_p = xh_fma_ceiling(order->kernel->isa, NULL, (int)order->threads,
                             1e-3 * (double)order->number[0]);
    if (*rate_p > 0.0)
        return XH_OK;
    xh_log_error("cannot start %lld threads", (long long)order->threads);
    return XH_ERR_INTERNAL;
}

static xh_status_t create_team(const order_t *order, hyb_team_t **team_p)
{
    int cpus[MOST_THREADS];
    int cores = xh_cpu_core_ids("", cpus, MOST_THREADS);

    return hyb_team_create(cpus, (int)xh_smaller(cores, MOST_THREADS),
                           (int)order->threads, team_p);
}

static const hyb_crew_t by_clock;

/* Flop, or bytes of all lines of memory that are read and written. */
static double work_of(const hyb_host_update_t *x)
{
    enum { LINE = 8 };
    int64_t lines = x->parts == HYB_PART_SWAP ? xh_smaller(x->m, x->k)
                                              : xh_units(x->m, LINE);

    return 2.0 * (double)x->n *
           (x->parts == HYB_PART_MULTIPLY
                ? (double)x->m * (double)x->k
                : sizeof(double[LINE]) * (double)lines);
}

static xh_status_t measure_update(const order_t *order, double *rate_p)
{
    hyb_host_update_t x = {.m = order->number[0],
                           .n = order->number[1],
                           .k = xh_larger(1, order->number[2]),
                           .parts = order->parts};
    hyb_team_t *team;
    xh_status_t status;

    XH_TRY(create_team(order, &team));
    status = hyb_host_update_open(&x, order->kernel, team);
    if (status == XH_OK)
        *rate_p =
            work_of(&x) /
            hyb_time_runs(by_clock, NULL, hyb_host_update_run, &x, UPDATE_CALLS)
                .least;
    hyb_host_update_close(&x);
    hyb_team_destroy(team);
    return status;
}

static xh_status_t measure_panel(const order_t *order, double *rate_p)
{
    int64_t m = order->number[0], nb = order->number[1];
    double cols = (double)nb, flop = cols * cols * ((double)m - cols / 3.0);
    hyb_host_panel_t x;
    hyb_team_t *team;
    xh_status_t status;

    if (nb > m) {
        xh_log_error("a panel of %lld columns needs at least as many rows",
                     (long long)nb);
        return XH_ERR_INPUT;
    }
    XH_TRY(create_team(order, &team));
    status = hyb_host_panel_open(&x, order->kernel, team, m, (int)nb);
    if (status == XH_OK)
        *rate_p = flop / hyb_time_runs(by_clock, hyb_host_panel_load,
                                       hyb_host_panel_factor, &x, PANEL_CALLS)
                             .least;
    hyb_host_panel_close(&x);
    hyb_team_destroy(team);
    return status;
}

/* ---- what is asked for --------------------------------------------------- */

static const struct command {
    const char *name;
    int numbers; /* behind THREADS */
    int parts;
    xh_status_t (*measure)(const order_t *order, double *rate_p);
} commands[] = {{"ceiling", 1, 0, measure_ceiling},
                {"update", 3, HYB_PART_MULTIPLY, measure_update},
                {"panel", 2, 0, measure_panel},
                {"swap", 3, HYB_PART_SWAP, measure_update},
                {"pass", 2, HYB_PART_PASS, measure_update}};

static const struct command *find_command(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
        if (argc == 4 + commands[i].numbers &&
            strcmp(argv[1], commands[i].name) == 0)
            return &commands[i];
    xh_log_error("how to call it: xhost ceiling KERNEL THREADS MILLISECONDS, "
                 "xhost update KERNEL THREADS M N K, "
                 "xhost panel KERNEL THREADS M NB, "
                 "xhost swap KERNEL THREADS M N NB, or "
                 "xhost pass KERNEL THREADS M N");
    return NULL;
}

static xh_status_t read_number(const char *text, int64_t most,
                               int64_t *number_p)
{
    char *end;
    long long number = strtoll(text, &end, 10);

    if (end == text || *end != '\0' || number < 1 || number > most) {
        xh_log_error("'%s' is not a number from 1 to %lld", text,
                     (long long)most);
        return XH_ERR_INPUT;
    }
    *number_p = number;
    return XH_OK;
}

/* NULL, which is said: there is none. */
static const hyb_kernel_t *find_kernel(const char *name)
{
    hyb_kernels_t kernels = hyb_kernels_here();
    const hyb_kernel_t *best, *kernel;

    hyb_kernels_measure(&kernels);
    best = hyb_kernels_fastest(&kernels);
    if (strcmp(name, "auto") == 0)
        return best;
    for (int isa = 0; isa < XH_ISA_COUNT; isa++) {
        kernel = hyb_kernel_find((xh_isa_t)isa);
        if (kernel != NULL && strcmp(kernel->name, name) == 0)
            return kernel;
    }
    xh_log_error("'%s' is no kernel for this processor; the best is %s", name,
                 best->name);
    return NULL;
}

static xh_status_t read_order(const struct command *command, char **argv,
                              order_t *order)
{
    order->parts = command->parts;
    order->kernel = find_kernel(argv[2]);
    if (order->kernel == NULL)
        return XH_ERR_INPUT;
    XH_TRY(read_number(argv[3], MOST_THREADS, &order->threads));
    for (int i = 0; i < command->numbers; i++)
        XH_TRY(read_number(argv[4 + i], LARGEST, &order->number[i]));
    return XH_OK;
}

int main(int argc, char **argv)
{
    const struct command *command;
    order_t order = {0};
    double rate;
    xh_status_t status;

    xh_log_identify("xhost", -1, "");
    command = find_command(argc, argv);
    if (command == NULL || read_order(command, argv, &order) != XH_OK)
        return XH_EXIT_INPUT;
    status = command->measure(&order, &rate);
    if (status == XH_OK)
        printf("kernel %s\n%s %.5e\n", order.kernel->name, command->name, rate);
    if (status == XH_ERR_INPUT || status == XH_ERR_MEMORY)
        return XH_EXIT_INPUT;
    return status == XH_OK ? XH_EXIT_PASSED : XH_EXIT_RUNTIME;
}

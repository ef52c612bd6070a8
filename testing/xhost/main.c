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
 * KERNEL is auto, avx512, avx2 or portable. THREADS are pinned to cores of
 * their own where there are as many. What is printed:
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
#include "base/fma.h"
#include "base/log.h"
#include "hybrid/cpu/trial/trial.h"
#include "hybrid/plan/host_panel.h"
#include "hybrid/plan/host_update.h"

enum { MOST_NUMBERS = 3, MOST_THREADS = 4096, LARGEST = 10000000 };
enum { UPDATE_CALLS = 3, PANEL_CALLS = 9 }; /* of which the best counts */

typedef struct {
    const hyb_kernel_t *kernel;
    int64_t threads;
    int64_t number[MOST_NUMBERS];
} order_t;

typedef struct {
    const char *name;
    int numbers; /* behind THREADS */
    xh_status_t (*measure)(const order_t *order, double *rate_p);
} command_t;

/* ---- measuring ----------------------------------------------------------- */

static xh_status_t create_team(const order_t *order, hyb_team_t **team_p)
{
    int cores = xh_cpu_core_ids("", NULL, 0);
    int *cpus = calloc((size_t)cores + 1, sizeof(*cpus));
    xh_status_t status;

    if (cpus == NULL) {
        xh_log_error("no memory for the numbers of %d cores", cores);
        return XH_ERR_MEMORY;
    }
    cores = xh_cpu_core_ids("", cpus, cores);
    status = hyb_team_create(cpus, cores, (int)order->threads, team_p);
    free(cpus);
    return status;
}

static xh_status_t measure_ceiling(const order_t *order, double *rate_p)
{
    *rate_p = xh_fma_ceiling(order->kernel->isa, NULL, (int)order->threads,
                             1e-3 * (double)order->number[0]);
    if (*rate_p > 0.0)
        return XH_OK;
    xh_log_error("cannot start %lld threads", (long long)order->threads);
    return XH_ERR_INTERNAL;
}

/* k  in  as of hyb_update_shape_t */
static xh_status_t measure_part(const order_t *order, hyb_update_part_t part,
                                int64_t k, double *rate_p)
{
    hyb_update_shape_t shape = {
        .m = order->number[0], .n = order->number[1], .k = k};
    hyb_host_update_t *update;
    hyb_team_t *team;
    xh_status_t status = create_team(order, &team);

    if (status != XH_OK)
        return status;
    status = hyb_host_update_create(order->kernel, team, shape, &update);
    if (status == XH_OK) {
        double work = part == HYB_UPDATE_MULTIPLY
                          ? 2.0 * (double)shape.m * (double)shape.n * (double)k
                          : hyb_host_update_bytes(update, part);

        *rate_p =
            work / hyb_host_update_seconds(update, part, UPDATE_CALLS).least;
        hyb_host_update_destroy(update);
    }
    hyb_team_destroy(team);
    return status;
}

static xh_status_t measure_update(const order_t *order, double *rate_p)
{
    return measure_part(order, HYB_UPDATE_MULTIPLY, order->number[2], rate_p);
}

static xh_status_t measure_swap(const order_t *order, double *rate_p)
{
    return measure_part(order, HYB_UPDATE_SWAP, order->number[2], rate_p);
}

static xh_status_t measure_pass(const order_t *order, double *rate_p)
{
    return measure_part(order, HYB_UPDATE_PASS, 1, rate_p);
}

static xh_status_t measure_panel(const order_t *order, double *rate_p)
{
    int64_t m = order->number[0], nb = order->number[1];
    double cols = (double)nb, flop = cols * cols * ((double)m - cols / 3.0);
    hyb_host_panel_t *panel;
    hyb_team_t *team;
    xh_status_t status;

    if (nb > m) {
        xh_log_error("a panel of %lld columns needs at least as many rows",
                     (long long)nb);
        return XH_ERR_INPUT;
    }
    status = create_team(order, &team);
    if (status != XH_OK)
        return status;
    status = hyb_host_panel_create(order->kernel, team, m, (int)nb, &panel);
    if (status == XH_OK) {
        *rate_p = flop / hyb_host_panel_seconds(panel, hyb_team_size(team),
                                                PANEL_CALLS)
                             .least;
        hyb_host_panel_destroy(panel);
    }
    hyb_team_destroy(team);
    return status;
}

/* ---- what is asked for --------------------------------------------------- */

static const command_t commands[] = {{"ceiling", 1, measure_ceiling},
                                     {"update", 3, measure_update},
                                     {"panel", 2, measure_panel},
                                     {"swap", 3, measure_swap},
                                     {"pass", 2, measure_pass}};

static const command_t *find_command(int argc, char **argv)
{
    size_t i;

    for (i = 0; i < sizeof(commands) / sizeof(commands[0]) && argc > 1; i++)
        if (strcmp(argv[1], commands[i].name) == 0 &&
            argc == 4 + commands[i].numbers)
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

static xh_status_t find_kernel(const char *name, const hyb_kernel_t **kernel_p)
{
    hyb_kernels_t kernels = hyb_kernels_here();
    const hyb_kernel_t *kernel;
    int isa;

    hyb_kernels_measure(&kernels);
    *kernel_p = hyb_kernels_fastest(&kernels);
    if (strcmp(name, "auto") == 0)
        return XH_OK;
    for (isa = 0; isa < XH_ISA_COUNT; isa++) {
        kernel = hyb_kernel_find((xh_isa_t)isa);
        if (kernel != NULL && strcmp(kernel->name, name) == 0) {
            *kernel_p = kernel;
            return XH_OK;
        }
    }
    xh_log_error("'%s' is no kernel for this processor; the best is %s", name,
                 (*kernel_p)->name);
    return XH_ERR_INPUT;
}

static xh_status_t read_order(const command_t *command, char **argv,
                              order_t *order_p)
{
    xh_status_t status = find_kernel(argv[2], &order_p->kernel);
    int i;

    if (status == XH_OK)
        status = read_number(argv[3], MOST_THREADS, &order_p->threads);
    for (i = 0; i < command->numbers && status == XH_OK; i++)
        status = read_number(argv[4 + i], LARGEST, &order_p->number[i]);
    return status;
}

int main(int argc, char **argv)
{
    const command_t *command;
    order_t order;
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

/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/model.h"

#include <math.h>
#include <mpi.h>
#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/checksum.h"
#include "base/clock.h"
#include "base/log.h"
#include "hpl/pauxil/abort.h"

/* Data of one process; the simulator gives each process data of its own. */
static sim_model_t model = {.rate = 2e12,
                            .half = 16,
                            .solve = 1e12,
                            .panel = 1e12,
                            .move = 100e9,
                            .search = 200e9,
                            .call = 1e-7,
                            .noise = 0,
                            .column = 0.5e-6,
                            .poll = 100e-6,
                            .polls = 4,
                            .factor = 1};
static int known, process;
static double debt; /* s charged that have not passed yet */

/* ---- parameters ---------------------------------------------------------- */

static double *field(const char *name)
{
    static const struct {
        const char *name;
        double *value;
    } fields[] = {{"rate", &model.rate},     {"half", &model.half},
                  {"half_m", &model.half_m}, {"half_n", &model.half_n},
                  {"solve", &model.solve},   {"panel", &model.panel},
                  {"move", &model.move},     {"search", &model.search},
                  {"call", &model.call},     {"noise", &model.noise},
                  {"column", &model.column}, {"poll", &model.poll},
                  {"polls", &model.polls},   {"cores", &model.cores},
                  {"first", &model.first},   {"last", &model.last},
                  {"factor", &model.factor}};

    for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
        if (strcmp(fields[i].name, name) == 0)
            return fields[i].value;
    return NULL;
}

static void set(char *word)
{
    char *equals = strchr(word, '=');
    double *value;

    if (equals != NULL)
        *equals = '\0';
    value = equals != NULL ? field(word) : NULL;
    if (value == NULL) {
        xh_log_error("SIM_MODEL has no \"%s\"", word);
        hpl_abort_job();
    }
    *value = strtod(equals + 1, NULL);
}

static uint64_t mix(uint64_t x)
{
    return xh_mixed(x + 0x9e3779b97f4a7c15u);
}

/* A random number, 0 <= x < 1, always the same for the same `number`. */
static double drawn(uint64_t number)
{
    return (double)(mix(number) >> 11) * 0x1p-53;
}

/* The fraction of all rates that this process reaches. */
static double part_of_rates(const char *path)
{
    FILE *file = fopen(path, "r");
    double part = -1.0;

    for (int i = 0; file != NULL && i <= process; i++)
        if (fscanf(file, "%lf", &part) != 1)
            part = -1.0;
    if (file != NULL)
        fclose(file);
    if (part > 0.0)
        return part;
    xh_log_error("SIM_RATES has no rate of process %d", process);
    hpl_abort_job();
}

static void differ(void)
{
    const char *path = getenv("SIM_RATES");
    double part = path != NULL ? part_of_rates(path) : 1.0;

    model.rate *= part;
    model.solve *= part;
    model.panel *= part;
}

const sim_model_t *sim_model(void)
{
    const char *given = getenv("SIM_MODEL");
    char text[1024], *state, *word;

    if (known)
        return &model;
    known = 1;
    snprintf(text, sizeof(text), "%s", given != NULL ? given : "");
    for (word = strtok_r(text, " ", &state); word != NULL;
         word = strtok_r(NULL, " ", &state))
        set(word);
    MPI_Comm_rank(MPI_COMM_WORLD, &process);
    differ();
    return &model;
}

/* ---- time ---------------------------------------------------------------- */

double sim_now(void)
{
    return simgrid_get_clock() + debt;
}

/* Compute for `seconds`. Processes that compute on the same cores share them
 * evenly; a process that waits uses none. */
static void compute(double seconds)
{
    if (sim_model()->cores > 0)
        sg_actor_execute(seconds * sg_host_get_speed(sg_host_self()));
    else
        sg_actor_sleep_for(seconds);
}

double sim_pass(double seconds)
{
    const double worth_it = 1e-6;
    double before, now;

    debt += seconds;
    if (debt < worth_it)
        return 0.0;
    now = debt;
    debt = 0.0;
    before = sim_now();
    compute(now);
    return sim_model()->cores > 0 ? sim_now() - before - now : 0.0;
}

double __wrap_xh_clock_now(void)
{
    return sim_now();
}

double __wrap_xh_clock_wall(void)
{
    return sim_now();
}

/* smpicc renames the C library's function to this. Processor time equals
 * simulated time. */
int __wrap_smpi_clock_gettime(clockid_t clock, struct timespec *t)
{
    (void)clock;
    *t = xh_clock_timespec(sim_now());
    return 0;
}

/* ---- chance -------------------------------------------------------------- */

int64_t sim_pivot(int64_t n, int64_t column)
{
    return column + (int64_t)(drawn((uint64_t)column) * (double)(n - column));
}

/* A random factor from one half of a normal distribution: calls are sometimes
 * slow, but never faster than the machine. */
double sim_varied(double noise)
{
    static uint64_t calls;
    const double pi = acos(-1.0), mean = sqrt(2.0 / pi);
    double u = drawn(2 * ++calls + mix((uint64_t)process)),
           v = drawn(2 * calls + 1 + mix((uint64_t)process)),
           normal = sqrt(-2.0 * log(1.0 - u)) * cos(2.0 * pi * v);

    return 1.0 + noise * (fabs(normal) - mean) / sqrt(1.0 - mean * mean);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "hpl/pauxil/abort.h"
#include "sim/model.h"

/* Data that all processes of the simulation share; they run in turns. */
enum { PANELS_MOST = 1 << 20 };

typedef struct {
    int ended;
    double messages, bytes, seconds; /* sums over processes */
    double spent[SIM_KINDS];
    double began;
    int panels;
    double known[PANELS_MOST]; /* when the last process knew panel k */
} shared_t;

/* Data of one process. */
static shared_t *shared;
static double spent[SIM_KINDS], since;

static void *allocate(size_t size)
{
    return calloc(1, size);
}

static shared_t *all(void)
{
    if (shared == NULL)
        shared = SMPI_SHARED_CALL(allocate, "sim_report", sizeof(shared_t));
    if (shared == NULL)
        hpl_abort_job();
    return shared;
}

void sim_report_spent(sim_kind_t kind, double seconds)
{
    spent[kind] += seconds;
}

double sim_report_busy(void)
{
    double busy = 0.0;

    for (int i = 0; i < SIM_KINDS; i++)
        busy += spent[i];
    return busy;
}

void sim_report_message(double bytes)
{
    all()->messages++;
    all()->bytes += bytes;
}

/* ---- the file ------------------------------------------------------------ */

static void write_all(FILE *file)
{
    static const char *const names[] = {"products", "solves", "panels", "rows",
                                        "pivots"};
    const shared_t *s = all();

    fprintf(file, "messages %.0f\nbytes %.0f\nseconds %.17g\nbegan %.17g\n",
            s->messages, s->bytes, s->seconds, s->began);
    for (int i = 0; i < SIM_KINDS; i++)
        fprintf(file, "%s %.17g\n", names[i], s->spent[i]);
    for (int k = 0; k < s->panels; k++)
        fprintf(file, "panel%d %.17g\n", k, s->known[k]);
}

static void write_report(void)
{
    const char *path = getenv("SIM_REPORT");
    FILE *file = path != NULL ? fopen(path, "w") : NULL;

    if (path == NULL)
        return;
    if (file != NULL)
        write_all(file);
    if (file == NULL || fclose(file) != 0)
        hpl_abort_job();
}

void sim_report_end(void)
{
    int size;

    MPI_Comm_size(MPI_COMM_WORLD, &size);
    all()->seconds += sim_now() - since;
    for (int i = 0; i < SIM_KINDS; i++)
        all()->spent[i] += spent[i];
    if (++all()->ended == size)
        write_report();
}

/* ---- panels -------------------------------------------------------------- */

static void begin(void)
{
    since = sim_now();
    for (int i = 0; i < SIM_KINDS; i++)
        spent[i] = 0.0;
}

bool sim_report_begins(void)
{
    all()->began = sim_now();
    return sim_model()->factor != 0;
}

/* End the simulation when the last process arrives here. */
static void end(void)
{
    int size;

    MPI_Comm_size(MPI_COMM_WORLD, &size);
    sim_report_end();
    if (all()->ended == size)
        _exit(0);
}

void sim_report_panel(int k)
{
    const sim_model_t *s = sim_model();
    const double now = sim_now();

    if (k >= PANELS_MOST)
        return;
    if (all()->known[k] < now)
        all()->known[k] = now;
    if (all()->panels < k + 1)
        all()->panels = k + 1;
    if (k == (int)s->first)
        begin();
    if (s->last > 0 && k == (int)s->last)
        end();
}

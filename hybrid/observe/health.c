/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "hybrid/observe/health.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "base/settings.h"
#include "hpl.h"
#include "hybrid/observe/sensors.h"

enum { TAG = 32001 };

static const double least_apart = 0.1; /* s */
static const double between_senses = 2.0;
static const double each = 1e-4; /* s that the first has for a report */

void hyb_health_begin(hyb_health_t *health, const hyb_observer_t *run,
                      double planned)
{
    char host[MPI_MAX_PROCESSOR_NAME];
    int rank, length;

    *health = (hyb_health_t){
        .comm = run->grid->all_comm,
        .run = run,
        .wanted = strcmp(xh_settings_text("diagnosis"), "on") == 0,
        .request = MPI_REQUEST_NULL,
        .mine = {.column = run->grid->mycol, .planned = planned}};
    if (!health->wanted)
        return;
    MPI_Comm_rank(health->comm, &health->me);
    MPI_Comm_size(health->comm, &health->count);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Get_processor_name(host, &length);
    health->mine.rank = rank;
    snprintf(health->mine.host, sizeof(health->mine.host), "%.63s", host);
    health->apart = fmax(least_apart, each * health->count);
    health->next = xh_clock_now() + health->apart;
    if (health->me != 0)
        return;
    health->done = calloc((size_t)health->count, sizeof(*health->done));
    health->peers = hyb_peers_create(health->count, run->grid->npcol);
    if (health->done == NULL || health->peers == NULL)
        HPL_pabort(__LINE__, "hyb_health_begin", "out of memory");
}

static void measure(const hyb_observer_t *run, hyb_report_t *mine)
{
    const hyb_lap_t lap = hyb_timer_lap(run->worker, run->members);

    mine->flop = lap.paced_flop;
    mine->seconds = lap.paced_seconds;
    mine->run_delay = lap.run_delay;
    mine->cpu = lap.paced_cpu;
    memcpy(mine->leader, lap.leader, sizeof(mine->leader));
}

static void sense(hyb_health_t *health, double now)
{
    const int cpu = sched_getcpu();
    hpl_clocks_t sensors;

    if (now < health->sense)
        return;
    health->sense = now + between_senses;
    sensors = hyb_sensors_clocks("", &cpu, 1);
    health->mine.mhz = sensors.mean;
    health->mine.celsius = sensors.celsius;
}

/* Unless the last message is on its way yet. */
static void tell(hyb_health_t *health)
{
    int done;

    MPI_Test(&health->request, &done, MPI_STATUS_IGNORE);
    if (!done)
        return;
    health->sent = health->mine;
    MPI_Isend(&health->sent, sizeof(health->sent), MPI_BYTE, 0, TAG,
              health->comm, &health->request);
}

/* What is an index or a text is not taken as it came. */
static void make_safe(const hyb_health_t *health, int source,
                      hyb_report_t *report)
{
    const HPL_T_grid *grid = health->run->grid;

    report->column = grid->order == HPL_ROW_MAJOR ? source % grid->npcol
                                                  : source / grid->nprow;
    report->host[sizeof(report->host) - 1] = '\0';
}

/* One may be done while the first is not, and tell of its next factorization
 * before others are: each is heard up to its last message. */
static void hear(hyb_health_t *health, int source)
{
    hyb_report_t report;

    MPI_Recv(&report, sizeof(report), MPI_BYTE, source, TAG, health->comm,
             MPI_STATUS_IGNORE);
    make_safe(health, source, &report);
    if (report.last != 0.0)
        health->done[source] = true;
    else
        hyb_peers_hear(health->peers, source, &report);
}

static void listen(hyb_health_t *health)
{
    for (int source = 1; source < health->count; source++)
        for (int sent = 1; sent && !health->done[source];) {
            MPI_Iprobe(source, TAG, health->comm, &sent, MPI_STATUS_IGNORE);
            if (sent)
                hear(health, source);
        }
}

void hyb_health_turn(hyb_health_t *health)
{
    double now = xh_clock_now();

    if (!health->wanted || now < health->next)
        return;
    health->next = now + health->apart;
    health->mine.time = now;
    measure(health->run, &health->mine);
    sense(health, now);
    if (health->me != 0) {
        tell(health);
        return;
    }
    listen(health);
    hyb_peers_hear(health->peers, 0, &health->mine);
    hyb_peers_judge(health->peers, now);
}

void hyb_health_end(hyb_health_t *health)
{
    if (!health->wanted)
        return;
    health->mine.last = 1.0;
    if (health->me != 0) {
        MPI_Wait(&health->request, MPI_STATUS_IGNORE);
        MPI_Send(&health->mine, sizeof(health->mine), MPI_BYTE, 0, TAG,
                 health->comm);
        return;
    }
    for (int source = 1; source < health->count; source++)
        while (!health->done[source])
            hear(health, source);
    free(health->done);
    hyb_peers_destroy(health->peers);
}

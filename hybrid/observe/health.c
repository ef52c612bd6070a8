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

/* in seconds */
static const double least_interval = 0.1; /* between reports */
static const double per_process = 1e-4;   /* time of process 0 per report */
static const double sensor_interval = 2.0;

void hyb_health_begin(hyb_health_t *health, const hyb_observer_t *run,
                      double planned)
{
    char host[MPI_MAX_PROCESSOR_NAME];
    int rank, length;

    *health = (hyb_health_t){
        .comm = run->grid->all_comm,
        .run = run,
        .is_on = strcmp(xh_settings_text("diagnosis"), "on") == 0,
        .request = MPI_REQUEST_NULL,
        .report = {.column = run->grid->mycol, .planned = planned}};
    if (!health->is_on)
        return;
    MPI_Comm_rank(health->comm, &health->me);
    MPI_Comm_size(health->comm, &health->count);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Get_processor_name(host, &length);
    health->report.rank = rank;
    snprintf(health->report.host, sizeof(health->report.host), "%.63s", host);
    health->interval = fmax(least_interval, per_process * health->count);
    health->next_report = xh_clock_now() + health->interval;
    if (health->me != 0)
        return;
    health->is_done = calloc((size_t)health->count, sizeof(*health->is_done));
    health->peers = hyb_peers_create(health->count, run->grid->npcol);
    if (health->is_done == NULL || health->peers == NULL)
        HPL_pabort(__LINE__, "hyb_health_begin", "out of memory");
}

static void measure(const hyb_observer_t *run, hyb_health_report_t *report)
{
    const hyb_lap_t lap = hyb_timer_lap(run->worker, run->members);

    report->flop = lap.paced_flop;
    report->seconds = lap.paced_seconds;
    report->run_delay = lap.run_delay;
    report->cpu = lap.paced_cpu;
    memcpy(report->leader, lap.leader, sizeof(report->leader));
}

static void read_sensors(hyb_health_t *health, double now)
{
    const int cpu = sched_getcpu();
    hpl_clocks_t sensors;

    if (now < health->next_sensors)
        return;
    health->next_sensors = now + sensor_interval;
    sensors = hyb_sensors_clocks("", &cpu, 1);
    health->report.mhz = sensors.mean;
    health->report.celsius = sensors.celsius;
}

/* Send a copy of the report, unless the last one is still being sent. */
static void send_report(hyb_health_t *health)
{
    int done;

    MPI_Test(&health->request, &done, MPI_STATUS_IGNORE);
    if (!done)
        return;
    health->sent = health->report;
    MPI_Isend(&health->sent, sizeof(health->sent), MPI_BYTE, 0, TAG,
              health->comm, &health->request);
}

/* Do not trust a received index or text. */
static void make_safe(const hyb_health_t *health, int source,
                      hyb_health_report_t *report)
{
    const HPL_T_grid *grid = health->run->grid;

    report->column = grid->order == HPL_ROW_MAJOR ? source % grid->npcol
                                                  : source / grid->nprow;
    report->host[sizeof(report->host) - 1] = '\0';
}

/* Receive a report. A process may finish, and report on its next factorization,
 * before other processes have finished: reports after its last one are left for
 * later. */
static void receive_report(hyb_health_t *health, int source)
{
    hyb_health_report_t report;

    MPI_Recv(&report, sizeof(report), MPI_BYTE, source, TAG, health->comm,
             MPI_STATUS_IGNORE);
    make_safe(health, source, &report);
    if (report.is_last != 0.0)
        health->is_done[source] = true;
    else
        hyb_peers_add(health->peers, source, &report);
}

static void receive_reports(hyb_health_t *health)
{
    for (int source = 1; source < health->count; source++)
        for (int sent = 1; sent && !health->is_done[source];) {
            MPI_Iprobe(source, TAG, health->comm, &sent, MPI_STATUS_IGNORE);
            if (sent)
                receive_report(health, source);
        }
}

void hyb_health_step(hyb_health_t *health)
{
    double now = xh_clock_now();

    if (!health->is_on || now < health->next_report)
        return;
    health->next_report = now + health->interval;
    health->report.time = now;
    measure(health->run, &health->report);
    read_sensors(health, now);
    if (health->me != 0) {
        send_report(health);
        return;
    }
    receive_reports(health);
    hyb_peers_add(health->peers, 0, &health->report);
    hyb_peers_judge(health->peers, now);
}

void hyb_health_end(hyb_health_t *health)
{
    if (!health->is_on)
        return;
    health->report.is_last = 1.0;
    if (health->me != 0) {
        MPI_Wait(&health->request, MPI_STATUS_IGNORE);
        MPI_Send(&health->report, sizeof(health->report), MPI_BYTE, 0, TAG,
                 health->comm);
        return;
    }
    for (int source = 1; source < health->count; source++)
        while (!health->is_done[source])
            receive_report(health, source);
    free(health->is_done);
    hyb_peers_destroy(health->peers);
}

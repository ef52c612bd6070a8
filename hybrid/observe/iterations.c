/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/observe/iterations.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/log.h"

/* a run, and where its rows lie */
typedef struct {
    hyb_iterations_run_t what;
    hyb_iteration_t *row;
    int64_t rows, room;
} run_t;

struct hyb_iterations {
    run_t *run;
    size_t runs;
    run_t *current; /* that rows are added to, or NULL */
};

/* the columns that are times, rates or shares */
typedef struct {
    const char *name;
    size_t offset; /* of a double in hyb_iteration_t */
} column_t;

#define AT(member) offsetof(hyb_iteration_t, member)

static const column_t columns[] = {
    {"seconds", AT(seconds)},
    {"gflops", AT(gflops)},
    {"share_used", AT(share_used)},
    {"share_measured", AT(share_measured)},
    {"panel", AT(panel)},
    {"broadcast", AT(broadcast)},
    {"exchange", AT(exchange)},
    {"swap", AT(swap)},
    {"solve", AT(solve)},
    {"update_host", AT(update_host)},
    {"wait_panel", AT(wait_panel)},
    {"wait_exchange", AT(wait_exchange)},
    {"wait_device", AT(wait_device)},
};

enum { COLUMNS = sizeof(columns) / sizeof(columns[0]) };

xh_status_t hyb_iterations_open(hyb_iterations_t **log_p)
{
    hyb_iterations_t *log = calloc(1, sizeof(*log));

    if (log == NULL)
        return XH_ERR_MEMORY;
    *log_p = log;
    return XH_OK;
}

void hyb_iterations_close(hyb_iterations_t *log)
{
    if (log == NULL)
        return;
    for (size_t i = 0; i < log->runs; i++)
        free(log->run[i].row);
    free(log->run);
    free(log);
}

xh_status_t hyb_iterations_begin(hyb_iterations_t *log,
                                 const hyb_iterations_run_t *run)
{
    int64_t room = run->iterations > 0 ? run->iterations : 1;
    hyb_iteration_t *row = calloc((size_t)room, sizeof(*row));
    run_t *grown = realloc(log->run, (log->runs + 1) * sizeof(*log->run));

    log->current = NULL;
    if (grown != NULL)
        log->run = grown;
    if (row == NULL || grown == NULL) {
        xh_log_warning("no record of %" PRId64 " iterations: there is no "
                       "memory for it",
                       room);
        free(row);
        return XH_ERR_MEMORY;
    }
    log->current = &log->run[log->runs++];
    *log->current = (run_t){.what = *run, .row = row, .room = room};
    return XH_OK;
}

void hyb_iterations_add(hyb_iterations_t *log, const hyb_iteration_t *row)
{
    run_t *run = log->current;

    if (run != NULL && run->rows < run->room)
        run->row[run->rows++] = *row;
}

static void write_device_names(FILE *out, const char *name)
{
    for (int d = 0; d < HYB_ITERATION_DEVICES; d++)
        fprintf(out, ",%s_%d", name, d);
}

static void write_names(FILE *out)
{
    fputs("rank,run,n,nb,p,q,iteration,mode,reason,columns_left,"
          "panel_threads,begin",
          out);
    for (int i = 0; i < COLUMNS; i++)
        fprintf(out, ",%s", columns[i].name);
    write_device_names(out, "update_device");
    write_device_names(out, "device_wait");
    putc('\n', out);
}

/* Quoted, as a reason may hold commas. */
static void write_text(FILE *out, const char *text)
{
    if (text == NULL)
        return;
    putc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            putc('"', out);
        putc(*text, out);
    }
    putc('"', out);
}

static void write_number(FILE *out, double x)
{
    putc(',', out);
    if (isfinite(x))
        fprintf(out, "%.9g", x);
}

/* Of the first devices; the others' cells are empty. */
static void write_devices(FILE *out, const double *value, int devices)
{
    for (int d = 0; d < HYB_ITERATION_DEVICES; d++)
        write_number(out, d < devices ? value[d] : NAN);
}

static void write_row(FILE *out, const hyb_iteration_t *row, double zero)
{
    fprintf(out, "%d,%d,", row->iteration, row->mode);
    write_text(out, row->reason);
    fprintf(out, ",%" PRId64 ",%d", row->columns_left, row->panel_threads);
    write_number(out, row->begin - zero);
    for (int i = 0; i < COLUMNS; i++)
        write_number(out, *(const double *)(const void *)((const char *)row +
                                                          columns[i].offset));
    write_devices(out, row->update_device, row->devices);
    write_devices(out, row->device_wait, row->devices);
    putc('\n', out);
}

static void write_runs(FILE *out, const hyb_iterations_t *log, int rank,
                       double zero)
{
    for (size_t s = 0; s < log->runs; s++) {
        const run_t *run = &log->run[s];

        for (int64_t i = 0; i < run->rows; i++) {
            fprintf(out, "%d,%zu,%d,%d,%d,%d,", rank, s, run->what.n,
                    run->what.nb, run->what.nprow, run->what.npcol);
            write_row(out, &run->row[i], zero);
        }
    }
}

xh_status_t hyb_iterations_csv(const hyb_iterations_t *log, int rank,
                               double zero, char **csv_p, size_t *size_p)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    bool failed = true;

    if (out != NULL) {
        if (rank == 0)
            write_names(out);
        write_runs(out, log, rank, zero);
        failed = ferror(out) != 0;
        failed = fclose(out) != 0 || failed;
    }
    if (failed) {
        xh_log_error("cannot write the iterations: there is no memory for it");
        free(text);
        return XH_ERR_MEMORY;
    }
    *csv_p = text;
    *size_p = size;
    return XH_OK;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/observe/iterations.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include "base/log.h"
#include "base/text.h"

/* a row, and what it belongs to */
typedef struct {
    hyb_iterations_run_t run;
    int number; /* of the run */
    hyb_iteration_t row;
} entry_t;

struct hyb_iterations {
    entry_t *entry;
    int64_t entries, room;
    hyb_iterations_run_t run; /* that rows are added to */
    int runs;
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
    if (log != NULL)
        free(log->entry);
    free(log);
}

xh_status_t hyb_iterations_begin(hyb_iterations_t *log,
                                 const hyb_iterations_run_t *run)
{
    int64_t room = log->entries + run->iterations + 1;
    entry_t *grown = realloc(log->entry, (size_t)room * sizeof(*grown));

    log->run = *run;
    log->runs++;
    log->room = log->entries;
    if (grown == NULL) {
        xh_log_warning("no record of %" PRId64 " iterations: there is no "
                       "memory for it",
                       run->iterations);
        return XH_ERR_MEMORY;
    }
    log->entry = grown;
    log->room += run->iterations;
    return XH_OK;
}

void hyb_iterations_add(hyb_iterations_t *log, const hyb_iteration_t *row)
{
    if (log->entries < log->room)
        log->entry[log->entries++] =
            (entry_t){.run = log->run, .number = log->runs - 1, .row = *row};
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

static void write_entries(FILE *out, const hyb_iterations_t *log, int rank,
                          double zero)
{
    if (rank == 0)
        write_names(out);
    for (int64_t i = 0; i < log->entries; i++) {
        const entry_t *e = &log->entry[i];

        fprintf(out, "%d,%d,%d,%d,%d,%d,", rank, e->number, e->run.n, e->run.nb,
                e->run.nprow, e->run.npcol);
        write_row(out, &e->row, zero);
    }
}

xh_status_t hyb_iterations_csv(const hyb_iterations_t *log, int rank,
                               double zero, char **csv_p, size_t *size_p)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    xh_status_t status;

    if (out != NULL)
        write_entries(out, log, rank, zero);
    status = xh_text_close(out, &text, "the iterations");
    if (status == XH_OK) {
        *csv_p = text;
        *size_p = size;
    }
    return status;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/observe/iterations.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "base/text.h"

/* One row of the log, and the cells of its run. */
typedef struct hyb_iterations_entry {
    char run[sizeof(((hyb_iterations_t *)NULL)->run)];
    hyb_iteration_t row;
} entry_t;

/* A column of numbers: times, rates or shares. */
typedef struct {
    const char *name;
    size_t offset; /* in hyb_iteration_t */
    size_t cells;  /* 1, or the number of devices */
} column_t;

#define CELLS(name) (sizeof(((hyb_iteration_t *)NULL)->name) / sizeof(double))
#define COLUMN(name) #name, offsetof(hyb_iteration_t, name), CELLS(name)

static const column_t columns[] = {
    {COLUMN(seconds)},        {COLUMN(gflops)},        {COLUMN(share_used)},
    {COLUMN(share_measured)}, {COLUMN(panel)},         {COLUMN(broadcast)},
    {COLUMN(exchange)},       {COLUMN(swap)},          {COLUMN(solve)},
    {COLUMN(update_host)},    {COLUMN(wait_panel)},    {COLUMN(wait_exchange)},
    {COLUMN(wait_device)},    {COLUMN(update_device)}, {COLUMN(device_wait)},
    {COLUMN(link_wait)},      {COLUMN(panel_device)}};

enum { COLUMNS = sizeof(columns) / sizeof(columns[0]) };

void hyb_iterations_free(hyb_iterations_t *log)
{
    free(log->entry);
    *log = (hyb_iterations_t){.entry = NULL};
}

void hyb_iterations_begin(hyb_iterations_t *log, const hyb_observer_t *run)
{
    int64_t capacity = log->entries + run->iterations;
    entry_t *grown =
        realloc(log->entry, ((size_t)capacity + 1) * sizeof(*grown));

    snprintf(log->run, sizeof(log->run), "%d,%d,%d,%d,%d", log->runs++, run->n,
             run->nb, run->grid->nprow, run->grid->npcol);
    if (grown == NULL)
        xh_log_warning("no record of %d iterations: there is no memory for it",
                       run->iterations);
    else
        log->entry = grown;
    log->capacity = grown != NULL ? capacity : log->entries;
}

void hyb_iterations_add(hyb_iterations_t *log, const hyb_iteration_t *row)
{
    entry_t *entry;

    if (log->entries >= log->capacity)
        return;
    entry = &log->entry[log->entries++];
    memcpy(entry->run, log->run, sizeof(entry->run));
    entry->row = *row;
}

static void write_names(FILE *out)
{
    fputs("rank,run,n,nb,p,q,iteration,mode,reason,columns_left,"
          "panel_threads,begin",
          out);
    for (int i = 0; i < COLUMNS; i++)
        if (columns[i].cells == 1)
            fprintf(out, ",%s", columns[i].name);
        else
            for (int d = 0; d < HYB_ITERATION_DEVICES; d++)
                fprintf(out, ",%s_%d", columns[i].name, d);
    putc('\n', out);
}

/* Write `text` in quotes, because a reason may contain commas. */
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

/* Write a column's cells; cells of missing devices stay empty. */
static void write_column(FILE *out, const hyb_iteration_t *row,
                         const column_t *column)
{
    const double *value = (const void *)((const char *)row + column->offset);

    if (column->cells == 1)
        write_number(out, *value);
    else
        for (int d = 0; d < HYB_ITERATION_DEVICES; d++)
            write_number(out, d < row->devices ? value[d] : NAN);
}

static void write_row(FILE *out, const hyb_iteration_t *row, double zero)
{
    fprintf(out, "%d,%d,", row->iteration, row->mode);
    write_text(out, row->reason);
    fprintf(out, ",%" PRId64 ",%d", row->columns_left, row->panel_threads);
    write_number(out, row->begin - zero);
    for (int i = 0; i < COLUMNS; i++)
        write_column(out, row, &columns[i]);
    putc('\n', out);
}

static void write_entries(FILE *out, const hyb_iterations_t *log, int rank,
                          double zero)
{
    if (rank == 0)
        write_names(out);
    for (int64_t i = 0; i < log->entries; i++) {
        fprintf(out, "%d,%s,", rank, log->entry[i].run);
        write_row(out, &log->entry[i].row, zero);
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

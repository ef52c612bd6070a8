/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/xdgemm/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/blas_library.h"
#include "base/cpu.h"
#include "base/memory.h"
#include "base/settings.h"
#include "base/product.h"
#include "testing/xdgemm/json.h"

/* ---- the beginning ------------------------------------------------------ */

static json_t *settings(void)
{
    json_t *object = json_object();

    for (int i = 0; i < xh_settings_count(); i++) {
        const xh_setting_t *row = xh_settings_row(i);

        if (row->type == XH_SETTING_INT)
            xdg_json_set_count(object, row->name, xh_settings_int(row->name));
        else if (row->type == XH_SETTING_REAL)
            xdg_json_set_number(object, row->name, xh_settings_real(row->name));
        else
            xdg_json_set_text(object, row->name, xh_settings_text(row->name));
    }
    return object;
}

static json_t *blas(void)
{
    xh_blas_library_t library = xh_blas_library_identify();
    json_t *object = json_object();

    xdg_json_set_text(object, "name", library.name);
    xdg_json_set_text(object, "version", library.version);
    xdg_json_set_text(object, "kernel", library.kernel);
    return object;
}

/* What the node says of itself, a line an entry. */
static json_t *found(hyb_machine_t *node)
{
    json_t *array = json_array();
    char *text = NULL, *rest, *line;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (out == NULL)
        return array;
    hyb_machine_describe(node, "", out);
    fclose(out);
    for (line = strtok_r(text, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest))
        json_array_append_new(array, json_string(line));
    free(text);
    return array;
}

static json_t *machine(hyb_machine_t *node, const xdg_executors_t *executors)
{
    json_t *object = json_object(), *devices = json_array();
    uint64_t bytes = 0;

    xdg_json_set_text(object, "processor", xh_cpu_model());
    xdg_json_set_text(object, "isa", xh_cpu_isa_name(xh_cpu_isa()));
    xdg_json_set_count(object, "cores", xh_cpu_cores());
    xdg_json_set_count(object, "threads",
                       hyb_team_size(hyb_machine_team(node)));
    if (xh_memory_available(&bytes) == XH_OK)
        xdg_json_set_count(object, "memory_available", (int64_t)bytes);
    json_object_set_new(object, "blas", blas());
    json_object_set_new(object, "found", found(node));
    for (int i = 0; i + 1 < executors->count; i++)
        json_array_append_new(devices, xdg_json_device(&executors->device[i],
                                                       executors->name[i + 1]));
    json_object_set_new(object, "devices", devices);
    return object;
}

static json_t *product_of(const xh_gemm_t *p)
{
    json_t *object = json_object();

    xdg_json_set_count(object, "m", p->c.rows);
    xdg_json_set_count(object, "n", p->c.cols);
    xdg_json_set_count(object, "k", xh_gemm_depth(p));
    json_object_set_new(object, "transa", json_boolean(p->trans_a == XH_TRANS));
    json_object_set_new(object, "transb", json_boolean(p->trans_b == XH_TRANS));
    xdg_json_set_number(object, "alpha", p->alpha);
    xdg_json_set_number(object, "beta", p->beta);
    xdg_json_set_count(object, "lda", p->a.ld);
    xdg_json_set_count(object, "ldb", p->b.ld);
    xdg_json_set_count(object, "ldc", p->c.ld);
    return object;
}

json_t *xdg_record_begin(hyb_machine_t *node, const xdg_executors_t *executors,
                         const xh_gemm_t *product)
{
    json_t *record = json_object();

    xdg_json_set_text(record, "program", "xdgemm");
    xdg_json_set_text(record, "version", XH_VERSION);
    json_object_set_new(record, "machine", machine(node, executors));
    json_object_set_new(record, "settings", settings());
    json_object_set_new(record, "product", product_of(product));
    return record;
}

/* ---- rates -------------------------------------------------------------- */

static json_t *work_of(const hyb_report_t *report, int index, const char *name)
{
    const hyb_work_t *w = xdg_executors_work(report, index);
    json_t *object = json_object();

    xdg_json_set_text(object, "executor", name);
    xdg_json_set_count(object, "tiles", w->tiles);
    xdg_json_set_number(object, "flop", w->flop);
    xdg_json_set_number(object, "seconds", w->seconds);
    xdg_json_set_number(object, "compute_seconds", w->compute_seconds);
    xdg_json_set_number(object, "in_seconds", w->in_seconds);
    xdg_json_set_number(object, "out_seconds", w->out_seconds);
    xdg_json_set_number(object, "span_seconds", w->span_seconds);
    xdg_json_set_number(object, "idle", xdg_executors_idle(report, index));
    xdg_json_set_count(object, "bytes_in", (int64_t)w->bytes_in);
    xdg_json_set_count(object, "bytes_out", (int64_t)w->bytes_out);
    json_object_set_new(object, "dropped", json_boolean(w->dropped));
    return object;
}

static json_t *tiling_of(const hyb_tiling_t *t)
{
    json_t *object = json_object();

    xdg_json_set_count(object, "rows", t->rows);
    xdg_json_set_count(object, "cols", t->cols);
    xdg_json_set_count(object, "tile_rows", t->tile_rows);
    xdg_json_set_count(object, "tile_cols", t->tile_cols);
    xdg_json_set_count(object, "depth", t->depth);
    xdg_json_set_count(object, "chunks", t->chunks);
    return object;
}

/* What the run with the median time was like. */
static void add_median(json_t *object, const hyb_report_t *report,
                       const xdg_executors_t *executors)
{
    json_t *work = json_array();

    xdg_json_set_number(object, "median_seconds", report->seconds);
    if (report->owner != NULL) {
        xdg_json_set_number(object, "share", report->share);
        json_object_set_new(object, "tiling", tiling_of(&report->tiling));
    }
    for (int e = 0; e < executors->count; e++)
        json_array_append_new(work, work_of(report, e, executors->name[e]));
    json_object_set_new(object, "work", work);
}

static json_t *series_of(const xdg_series_t *series,
                         const xdg_executors_t *executors, double flop)
{
    json_t *object = json_object(), *seconds = json_array();
    const hyb_report_t *report = xdg_series_median(series);

    xdg_json_set_text(object, "by", series->name);
    xdg_json_set_number(object, "rate", xdg_series_rate(series, flop));
    for (int64_t r = 0; r < series->count; r++)
        json_array_append_new(seconds,
                              xdg_json_number(series->report[r].seconds));
    json_object_set_new(object, "seconds", seconds);
    if (report != NULL)
        add_median(object, report, executors);
    return object;
}

void xdg_record_rates(json_t *record, const xdg_rates_t *rates,
                      const xdg_executors_t *executors, double flop)
{
    const xdg_series_t *together = xdg_rates_together(rates);
    json_t *array = json_array();

    for (int i = 0; i < rates->count; i++)
        json_array_append_new(array,
                              series_of(&rates->series[i], executors, flop));
    json_object_set_new(record, "rates", array);
    xdg_json_set_number(record, "efficiency",
                        together == NULL ? NAN
                                         : xdg_series_rate(together, flop) /
                                               xdg_rates_sum(rates, flop));
}

/* ---- the other runs ----------------------------------------------------- */

void xdg_record_verified(json_t *record, const xdg_verifier_t *verifier)
{
    json_t *object = json_object(), *tiles = json_object();

    xdg_json_set_count(object, "products", verifier->checked);
    xdg_json_set_count(object, "wrong", verifier->wrong);
    for (int e = 0; e < verifier->executors->count; e++)
        xdg_json_set_count(tiles, verifier->executors->name[e],
                           verifier->wrong_tiles[e]);
    json_object_set_new(object, "wrong_tiles", tiles);
    json_object_set_new(record, "verified", object);
}

static json_t *range_of(xdg_range_t range)
{
    json_t *object = json_object();

    xdg_json_set_number(object, "least", range.least);
    xdg_json_set_number(object, "most", range.most);
    return object;
}

void xdg_record_torture(json_t *record, const xdg_torture_t *torture,
                        const xdg_executors_t *executors, double flop)
{
    json_t *object = json_object(), *sensors = json_object();

    xdg_json_set_count(object, "products", torture->products);
    xdg_json_set_count(object, "checks", torture->checks);
    xdg_json_set_number(object, "seconds", torture->seconds);
    xdg_json_set_number(object, "check_seconds", torture->check_seconds);
    xdg_json_set_number(object, "rate", xdg_torture_rate(torture, flop));
    for (int i = 0; i + 1 < executors->count; i++) {
        json_t *told = json_object();

        json_object_set_new(told, "temperature",
                            range_of(torture->device[i].temperature));
        json_object_set_new(told, "clock", range_of(torture->device[i].clock));
        json_object_set_new(told, "power", range_of(torture->device[i].power));
        json_object_set_new(sensors, executors->name[i + 1], told);
    }
    json_object_set_new(object, "sensors", sensors);
    json_object_set_new(record, "torture", object);
}

void xdg_record_probe(json_t *record, const char *name,
                      const xdg_probe_t *probe)
{
    json_t *all = json_object_get(record, "probe"), *object = json_object();

    xdg_json_set_number(object, "in", probe->in);
    xdg_json_set_number(object, "out", probe->out);
    xdg_json_set_number(object, "both", probe->both);
    xdg_json_set_number(object, "resident", probe->resident);
    if (all == NULL) {
        all = json_object();
        json_object_set_new(record, "probe", all);
    }
    json_object_set_new(all, name, object);
}

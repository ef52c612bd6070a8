/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/xdgemm/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/blas_library.h"
#include "base/cpu.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/settings.h"
#include "base/product.h"
#include "testing/json/json.h"

/* ---- the beginning ------------------------------------------------------ */

static json_t *value_of(const xh_setting_t *row)
{
    if (row->type == XH_SETTING_INT)
        return json_integer(xh_settings_int(row->name));
    if (row->type == XH_SETTING_REAL)
        return xh_json_number(xh_settings_real(row->name));
    return json_string(xh_settings_text(row->name));
}

static json_t *settings(void)
{
    json_t *object = json_object();

    for (int i = 0; i < xh_settings_count(); i++)
        json_object_set_new(object, xh_settings_row(i)->name,
                            value_of(xh_settings_row(i)));
    return object;
}

static json_t *blas(void)
{
    xh_blas_library_t library = xh_blas_library_identify();

    return XH_JSON_OBJECT({"name", json_string(library.name)},
                          {"version", json_string(library.version)},
                          {"kernel", json_string(library.kernel)});
}

/* The node's description of itself, one element per line. */
static json_t *found(hyb_machine_t *machine)
{
    json_t *array = json_array();
    char *text = NULL, *rest, *line;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (out == NULL)
        return array;
    hyb_machine_describe(machine, "", out);
    fclose(out);
    for (line = strtok_r(text, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest))
        json_array_append_new(array, json_string(line));
    free(text);
    return array;
}

json_t *xdg_record_device(const hyb_device_info_t *info, const char *name)
{
    return XH_JSON_OBJECT({"executor", json_string(name)},
                          {"name", json_string(info->name)},
                          {"backend", json_string(info->backend)},
                          {"index", json_integer(info->index)},
                          {"memory", json_integer((int64_t)info->memory)},
                          {"pci_address", json_string(info->pci_address)},
                          {"serial", json_string(info->serial)},
                          {"models_time", json_boolean(info->models_time)});
}

static json_t *machine(const xdg_gemm_t *gemm)
{
    const xdg_executors_t *executors = &gemm->executors;
    int threads = hyb_team_size(hyb_machine_team(gemm->machine));
    json_t *devices = json_array();
    json_t *object =
        XH_JSON_OBJECT({"processor", json_string(xh_cpu_model())},
                       {"isa", json_string(xh_cpu_isa_name(xh_cpu_isa()))},
                       {"cores", json_integer(xh_cpu_cores(""))},
                       {"threads", json_integer(threads)});
    uint64_t bytes = 0;

    for (int i = 0; i + 1 < executors->count; i++)
        json_array_append_new(
            devices,
            xdg_record_device(&executors->device[i], executors->name[i + 1]));
    if (xh_memory_available("", &bytes) == XH_OK)
        json_object_set_new(object, "memory_available",
                            json_integer((int64_t)bytes));
    return XH_JSON_SET(object, {"blas", blas()},
                       {"found", found(gemm->machine)}, {"devices", devices});
}

static json_t *product_of(const xh_gemm_t *p)
{
    return XH_JSON_OBJECT(
        {"m", json_integer(p->c.rows)}, {"n", json_integer(p->c.cols)},
        {"k", json_integer(xh_gemm_depth(p))},
        {"transa", json_boolean(p->trans_a == XH_TRANS)},
        {"transb", json_boolean(p->trans_b == XH_TRANS)},
        {"alpha", xh_json_number(p->alpha)}, {"beta", xh_json_number(p->beta)},
        {"lda", json_integer(p->a.ld)}, {"ldb", json_integer(p->b.ld)},
        {"ldc", json_integer(p->c.ld)});
}

json_t *xdg_record_begin(const xdg_gemm_t *gemm, const xh_gemm_t *product)
{
    return XH_JSON_OBJECT({"program", json_string("xdgemm")},
                          {"version", json_string(XH_VERSION)},
                          {"machine", machine(gemm)}, {"settings", settings()},
                          {"product", product_of(product)});
}

/* ---- rates -------------------------------------------------------------- */

static json_t *work_of(const hyb_report_t *report, int index, const char *name)
{
    const hyb_work_t *w = xdg_work(report, index);

    return XH_JSON_OBJECT(
        {"executor", json_string(name)}, {"tiles", json_integer(w->tiles)},
        {"flop", xh_json_number(w->flop)},
        {"seconds", xh_json_number(w->seconds)},
        {"compute_seconds", xh_json_number(w->compute_seconds)},
        {"in_seconds", xh_json_number(w->in_seconds)},
        {"out_seconds", xh_json_number(w->out_seconds)},
        {"span_seconds", xh_json_number(w->span_seconds)},
        {"idle", xh_json_number(xdg_work_idle(report, index))},
        {"bytes_in", json_integer((int64_t)w->bytes_in)},
        {"bytes_out", json_integer((int64_t)w->bytes_out)});
}

static json_t *tiling_of(const hyb_tiling_t *t)
{
    return XH_JSON_OBJECT(
        {"rows", json_integer(t->rows)}, {"cols", json_integer(t->cols)},
        {"tile_rows", json_integer(t->tile_rows)},
        {"tile_cols", json_integer(t->tile_cols)},
        {"depth", json_integer(t->depth)}, {"chunks", json_integer(t->chunks)});
}

/* Add the run with the median time. */
static void add_median(json_t *object, const hyb_report_t *report,
                       const xdg_executors_t *executors)
{
    json_t *work = json_array();

    XH_JSON_SET(object, {"median_seconds", xh_json_number(report->seconds)});
    if (report->owner != NULL)
        XH_JSON_SET(object, {"share", xh_json_number(report->share)},
                    {"tiling", tiling_of(&report->tiling)});
    for (int e = 0; e < executors->count; e++)
        json_array_append_new(work, work_of(report, e, executors->name[e]));
    json_object_set_new(object, "work", work);
}

static json_t *series_of(const xdg_series_t *series,
                         const xdg_executors_t *executors)
{
    json_t *seconds = json_array(), *object;

    for (int64_t r = 0; r < series->count; r++)
        json_array_append_new(seconds,
                              xh_json_number(series->report[r].seconds));
    object = XH_JSON_OBJECT({"by", json_string(series->name)},
                            {"rate", xh_json_number(series->rate)},
                            {"seconds", seconds});
    if (series->median != NULL)
        add_median(object, series->median, executors);
    return object;
}

void xdg_record_rates(json_t *record, const xdg_rates_t *rates)
{
    const xdg_series_t *together = xdg_rates_together(rates);
    double efficiency =
        together == NULL ? NAN : together->rate / xdg_rates_sum(rates);
    json_t *array = json_array();

    for (int i = 0; i < rates->count; i++)
        json_array_append_new(
            array, series_of(&rates->series[i], &rates->gemm->executors));
    XH_JSON_SET(record, {"rates", array},
                {"efficiency", xh_json_number(efficiency)});
}

/* ---- the other runs ----------------------------------------------------- */

void xdg_record_verified(json_t *record, const xdg_verifier_t *verifier)
{
    const xdg_executors_t *executors = &verifier->gemm->executors;
    json_t *tiles = json_object();

    for (int e = 0; e < executors->count; e++)
        json_object_set_new(tiles, executors->name[e],
                            json_integer(verifier->wrong_tiles[e]));
    json_object_set_new(
        record, "verified",
        XH_JSON_OBJECT({"products", json_integer(verifier->checked)},
                       {"wrong", json_integer(verifier->wrong)},
                       {"wrong_tiles", tiles}));
}

static json_t *reading_of(xdg_reading_t reading)
{
    return XH_JSON_OBJECT({"least", xh_json_number(reading.least)},
                          {"most", xh_json_number(reading.most)},
                          {"end", xh_json_number(reading.end)});
}

void xdg_record_torture(json_t *record, const xdg_torture_t *torture)
{
    const xdg_executors_t *executors = &torture->gemm->executors;
    json_t *array = json_array();

    for (int i = 0; i < executors->count; i++) {
        const xdg_tortured_t *e = &torture->executor[i];

        json_array_append_new(
            array, XH_JSON_OBJECT(
                       {"executor", json_string(executors->name[i])},
                       {"products", json_integer(e->products)},
                       {"wrong", json_integer(e->wrong)},
                       {"start_rate", xh_json_number(e->start_rate)},
                       {"end_rate", xh_json_number(e->end_rate)},
                       {"kept", xh_json_number(xdg_torture_kept(e))},
                       {"temperature", reading_of(e->sensor[XDG_TEMPERATURE])},
                       {"clock", reading_of(e->sensor[XDG_CLOCK])},
                       {"power", reading_of(e->sensor[XDG_POWER])}));
    }
    json_object_set_new(
        record, "torture",
        XH_JSON_OBJECT({"seconds", xh_json_number(torture->seconds)},
                       {"executors", array}));
}

/* The object called name, which is created if it is missing. */
static json_t *part_of(json_t *record, const char *name)
{
    if (json_object_get(record, name) == NULL)
        json_object_set_new(record, name, json_object());
    return json_object_get(record, name);
}

void xdg_record_probe(json_t *record, const char *name,
                      const xdg_probe_t *probe)
{
    json_object_set_new(
        part_of(record, "probe"), name,
        XH_JSON_OBJECT({"in", xh_json_number(probe->in)},
                       {"out", xh_json_number(probe->out)},
                       {"both", xh_json_number(probe->both)},
                       {"resident", xh_json_number(probe->resident)}));
}

void xdg_record_operation(json_t *record, const char *executor,
                          const char *name, const xdg_operation_t *operation)
{
    json_object_set_new(
        part_of(part_of(record, "operations"), executor), name,
        XH_JSON_OBJECT({"rate", xh_json_number(operation->rate)},
                       {"seconds", xh_json_number(operation->seconds)},
                       {"wrong", json_integer(operation->wrong)}));
}

/* ---- the file ----------------------------------------------------------- */

xh_status_t xdg_record_write(const json_t *record, FILE *out)
{
    if (record == NULL) {
        xh_log_error("no memory for the record");
        return XH_ERR_MEMORY;
    }
    if (json_dumpf(record, out, JSON_INDENT(2)) == 0 && fputc('\n', out) >= 0)
        return XH_OK;
    xh_log_error("the record cannot be written");
    return XH_ERR_IO;
}

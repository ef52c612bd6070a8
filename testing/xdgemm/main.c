/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * xdgemm: multiply two matrices on all processors of a node; measure the rate
 *         and check the result.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include "base/blas_library.h"
#include "base/log.h"
#include "base/output.h"
#include "base/product.h"
#include "base/settings.h"
#include "testing/xdgemm/options.h"
#include "testing/xdgemm/record.h"
#include "testing/xdgemm/tune.h"

#define PROBE_SHARE 0.8 /* of a device's free memory, for the matrices */

enum { BY_SIGNAL = 128 }; /* added to the signal's number: the exit status */

typedef struct {
    const xdg_options_t *options;
    hyb_machine_t *machine;
    xdg_gemm_t gemm;
    xdg_problem_t problem;
    xdg_verifier_t verifier; /* for a run that checks results */
    json_t *record;          /* NULL: not requested, or no memory */
    xh_output_t json, map;   /* all zero: not requested */
} session_t;

/* ---- files and the exit status ------------------------------------------ */

/* Open the files that options name before the work, so that an unwritable file
 * is refused. */
static xh_status_t open_files(session_t *s)
{
    const xdg_options_t *o = s->options;

    if (o->json != NULL)
        XH_TRY(xh_output_open("--json", o->json,
                              o->force ? NULL : XDG_RECORD_MARK, &s->json));
    if (o->map != NULL)
        XH_TRY(xh_output_open("--map", o->map, o->force ? NULL : XDG_MAP_MARK,
                              &s->map));
    return XH_OK;
}

static xh_status_t end_file(xh_output_t *file, FILE *out, const char *path,
                            xh_status_t status)
{
    if (xh_output_end(file, out, status == XH_OK) || status != XH_OK)
        return status;
    xh_log_error("cannot write all of %s: %s", path, strerror(errno));
    return XH_ERR_IO;
}

static int exit_status_of(xh_status_t status)
{
    if (status == XH_OK)
        return XH_EXIT_PASSED;
    return status == XH_ERR_INPUT || status == XH_ERR_MEMORY ? XH_EXIT_INPUT
                                                             : XH_EXIT_RUNTIME;
}

static int exit_status(const session_t *s, xh_status_t status)
{
    int number = xdg_torture_signal();

    if (status != XH_OK)
        return exit_status_of(status);
    if (s->verifier.wrong > 0)
        return XH_EXIT_FAILED;
    return number != 0 ? BY_SIGNAL + number : XH_EXIT_PASSED;
}

/* ---- runs ---------------------------------------------------------------- */

static bool checks(const session_t *s)
{
    return s->options->verify || s->options->ask == XDG_ASK_TORTURE ||
           s->options->ask == XDG_ASK_OPERATIONS;
}

static void report_verification(session_t *s)
{
    printf("\nverified: %lld products, %lld wrong\n",
           (long long)s->verifier.checked, (long long)s->verifier.wrong);
    xdg_record_verified(s->record, &s->verifier);
}

static xh_status_t write_map(session_t *s, const hyb_report_t *report)
{
    FILE *out = xh_output_begin(&s->map);

    if (out != NULL)
        xdg_tile_map_write(report, &s->gemm.executors, s->problem.product.c,
                           out);
    return end_file(&s->map, out, s->options->map, XH_OK);
}

static xh_status_t write_record(session_t *s)
{
    FILE *out = xh_output_begin(&s->json);
    xh_status_t status = out != NULL ? xdg_record_write(s->record, out) : XH_OK;

    return end_file(&s->json, out, s->options->json, status);
}

static xh_status_t run_rates(session_t *s)
{
    xdg_rates_t rates = {.gemm = &s->gemm,
                         .problem = &s->problem,
                         .verifier = checks(s) ? &s->verifier : NULL};
    const hyb_report_t *report;
    xh_status_t status;

    if (checks(s) && s->problem.product.beta == 0.0)
        s->problem.start.distribution = XDG_NAN; /* C must not be read */
    status = xdg_rates_measure(&rates, s->options->repeat);
    if (status == XH_OK) {
        xdg_rates_print(&rates, stdout);
        report = rates.series[rates.count - 1].median;
        if (s->map.name != NULL && report != NULL)
            status = write_map(s, report);
    }
    xdg_record_rates(s->record, &rates);
    xdg_rates_release(&rates);
    if (checks(s))
        report_verification(s);
    return status;
}

/* The sizes of the product that each row of a table is about. */
static void print_sizes(const session_t *s)
{
    const xh_gemm_t *product = &s->problem.product;

    printf("m = %lld, n = %lld, k = %lld", (long long)product->c.rows,
           (long long)product->c.cols, (long long)xh_gemm_depth(product));
}

static xh_status_t run_torture(session_t *s)
{
    xdg_torture_t torture;
    xh_status_t status =
        xdg_torture_run(&s->gemm, &s->problem, s->options->torture, &torture);

    s->verifier.gemm = &s->gemm;
    for (int i = 0; i < s->gemm.executors.count; i++) {
        s->verifier.checked += torture.executor[i].products;
        s->verifier.wrong += torture.executor[i].wrong;
    }
    print_sizes(s);
    printf(", ");
    xdg_torture_print(&torture, stdout);
    report_verification(s);
    xdg_record_torture(s->record, &torture);
    return status;
}

static void print_repeated(const session_t *s)
{
    print_sizes(s);
    printf(", median of %lld\n\n", (long long)s->options->repeat);
}

static xh_status_t run_probe(session_t *s)
{
    const xh_gemm_t *product = &s->problem.product;
    xdg_probe_t p;

    print_repeated(s);
    printf("%-12s %12s %12s %12s %12s\n", "device", "in GB/s", "out GB/s",
           "both GB/s", "Gflop/s");
    for (int i = 0; i + 1 < s->gemm.executors.count; i++) {
        const char *name = s->gemm.executors.name[i + 1];

        XH_TRY(xdg_probe_device(hyb_machine_device(s->machine, i), product,
                                s->options->repeat, &p));
        printf("%-12s %12.3f %12.3f %12.3f %12.2f\n", name, p.in / 1e9,
               p.out / 1e9, p.both / 1e9, p.resident / 1e9);
        xdg_record_probe(s->record, name, &p);
    }
    return XH_OK;
}

static xh_status_t run_operation(session_t *s, int device, int number)
{
    const char *executor = s->gemm.executors.name[device + 1];
    xdg_operation_t o;

    XH_TRY(xdg_operation_measure(&s->gemm, device, number, &s->problem.product,
                                 s->options->repeat, &o));
    printf("%-12s %-9s %12.2f %12.6f %7lld\n", executor,
           xdg_operation_name(number), o.rate / 1e9, o.seconds,
           (long long)o.wrong);
    s->verifier.checked += s->options->repeat;
    s->verifier.wrong += o.wrong;
    xdg_record_operation(s->record, executor, xdg_operation_name(number), &o);
    return XH_OK;
}

static xh_status_t run_operations(session_t *s)
{
    s->verifier.gemm = &s->gemm;
    print_repeated(s);
    printf("%-12s %-9s %12s %12s %7s\n", "device", "operation", "Gflop/s",
           "seconds", "wrong");
    for (int i = 0; i + 1 < s->gemm.executors.count; i++)
        for (int o = 0; xdg_operation_name(o) != NULL; o++)
            XH_TRY(run_operation(s, i, o));
    report_verification(s);
    return XH_OK;
}

/* ---- before and after them ----------------------------------------------- */

/* The product that options request, adapted to this kind of run. */
static xh_gemm_t product_for(const session_t *s)
{
    const xdg_executors_t *executors = &s->gemm.executors;
    xh_gemm_t product = s->options->product;

    if (s->options->ask == XDG_ASK_TORTURE) {
        product.alpha = 1.0;
        product.beta = 0.0;
    }
    if (s->options->ask == XDG_ASK_TORTURE ||
        s->options->ask == XDG_ASK_PROBE ||
        s->options->ask == XDG_ASK_OPERATIONS)
        for (int i = 0; i + 1 < executors->count; i++)
            product = xdg_shrink_to_fit(
                &product,
                PROBE_SHARE * (double)executors->device[i].memory_free);
    return product;
}

static xh_status_t open_machine(session_t *s)
{
    XH_TRY(hyb_machine_open((int)s->options->threads, NULL, NULL, &s->machine));
    XH_TRY(xdg_gemm_open(s->machine, &s->gemm));
    if (checks(s) && hyb_machine_models_time(s->machine)) {
        xh_log_error("emu_dry=on computes nothing: there is nothing to check");
        return XH_ERR_INPUT;
    }
    if (!s->options->quiet)
        hyb_machine_describe(s->machine, "xdgemm: ", stderr);
    return XH_OK;
}

static xh_status_t open_problem(session_t *s)
{
    xh_gemm_t product = product_for(s);
    bool torture = s->options->ask == XDG_ASK_TORTURE;

    XH_TRY(xdg_check_memory(&product));
    if (s->options->ask == XDG_ASK_OPERATIONS)
        s->problem.product =
            product; /* each operation has operands of its own */
    else
        XH_TRY(xdg_problem_open(s->machine, &product,
                                torture ? XDG_NORMAL : XDG_UNIFORM,
                                &s->problem));
    if (s->json.name != NULL)
        s->record = xdg_record_begin(&s->gemm, &s->problem.product);
    return XH_OK;
}

/* Run, and write the record even if the run fails. */
static xh_status_t run(session_t *s)
{
    xdg_ask_t ask = s->options->ask;
    xh_status_t status = XH_OK, written = XH_OK;

    if (checks(s) && ask == XDG_ASK_RATES)
        status = xdg_verifier_open(&s->gemm, &s->problem, &s->verifier);
    if (status == XH_OK)
        status = ask == XDG_ASK_TORTURE      ? run_torture(s)
                 : ask == XDG_ASK_PROBE      ? run_probe(s)
                 : ask == XDG_ASK_OPERATIONS ? run_operations(s)
                                             : run_rates(s);
    json_object_set_new(s->record, "exit_status",
                        json_integer(exit_status(s, status)));
    if (s->json.name != NULL)
        written = write_record(s);
    return status == XH_OK ? written : status;
}

static xh_status_t run_tune(const session_t *s)
{
    const xdg_options_t *o = s->options;
    int devices = hyb_machine_devices(s->machine);

    if (devices == 0) {
        xh_log_error("--tune: there is no device");
        return XH_ERR_INPUT;
    }
    for (int i = 0; i < devices; i++)
        XH_TRY(xdg_tune(hyb_machine_device(s->machine, i), o->m, o->n, o->k,
                        o->tune / devices, stdout));
    return XH_OK;
}

static xh_status_t run_mode(session_t *s)
{
    XH_TRY(xdg_check_memory(&s->options->product));
    XH_TRY(open_files(s));
    XH_TRY(open_machine(s));
    if (s->options->ask == XDG_ASK_TUNE)
        return run_tune(s);
    XH_TRY(open_problem(s));
    return run(s);
}

static int run_session(const xdg_options_t *options)
{
    session_t s = {.options = options};
    xh_status_t status;

    xh_blas_library_set_threads(1); /* threads of the team call the BLAS */
    status = run_mode(&s);
    xh_output_close(&s.json);
    xh_output_close(&s.map);
    json_decref(s.record);
    xdg_verifier_close(&s.verifier);
    xdg_problem_close(s.machine, &s.problem);
    xdg_gemm_close(&s.gemm);
    hyb_machine_close(s.machine);
    return exit_status(&s, status);
}

static int list_devices(const xdg_options_t *options)
{
    session_t s = {.options = options};
    xh_status_t status = open_files(&s);
    FILE *out = NULL;

    if (status == XH_OK && options->json != NULL) {
        out = xh_output_begin(&s.json);
        if (out == NULL)
            status = end_file(&s.json, NULL, options->json, XH_OK);
    }
    if (status == XH_OK)
        status = xdg_device_list(out);
    if (out != NULL)
        status = end_file(&s.json, out, options->json, status);
    xh_output_close(&s.json);
    return exit_status_of(status);
}

int main(int argc, char **argv)
{
    xdg_options_t options;
    int status = XH_EXIT_PASSED;

    xh_log_identify("xdgemm", -1, "");
    signal(SIGXFSZ, SIG_IGN); /* a failed write is reported */
    if (xh_settings_load() != XH_OK ||
        xdg_options_parse(argc, argv, &options) != XH_OK)
        return XH_EXIT_INPUT;
    if (options.quiet)
        xh_log_limit(XH_LOG_WARNING);
    if (options.ask == XDG_ASK_HELP)
        xdg_options_print_help(stdout);
    else if (options.ask == XDG_ASK_VERSION)
        printf("xdgemm %s\n", XH_VERSION);
    else if (xh_blas_library_try_room() != XH_OK)
        status = XH_EXIT_INPUT;
    else if (options.ask == XDG_ASK_DEVICES)
        status = list_devices(&options);
    else
        status = run_session(&options);
    if (fflush(stdout) == 0)
        return status;
    xh_log_error("cannot write all of the report");
    return XH_EXIT_RUNTIME;
}

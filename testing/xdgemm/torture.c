/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/xdgemm/runs.h"

#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include "base/clock.h"
#include "base/log.h"
#include "base/product.h"
#include "base/text.h"

#define GIGA 1e9
#define SAME_SIGNAL                                                            \
    500000000LL /* nanoseconds in which repeated signals count as one */

enum {
    LINE = 1024,     /* bytes of a log line with all sensors */
    LOG_SECONDS = 1, /* between two such lines */
    MOST = 64,       /* products between two checks */
    CHECK_EVERY = 10 /* checks take 1 / CHECK_EVERY of the time */
};

typedef struct {
    xdg_gemm_t *gemm;
    xdg_verifier_t *verifier;
    xdg_torture_t sum;
    double start_time, log_time;
    double rate;          /* flop/s of the last product */
    hyb_report_t *report; /* of products since the last check */
    int count;            /* number of reports */
    int summed;           /* number of products that C is the sum of */
    int next_check;       /* number of products up to the next check */
    xdg_pattern_t *pattern[HYB_EXECUTORS - 1]; /* by device; NULL: none */
} torture_t;

/* ---- signals ------------------------------------------------------------ */

static atomic_int signal_number; /* 0: no signal */
static atomic_llong signal_time; /* nanoseconds; 0: never */

/* A signal handler; uses only async-signal-safe functions. */
static void handle_signal(int number)
{
    long long first = 0, now;
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    now = t.tv_sec * 1000000000LL + t.tv_nsec;
    if (atomic_compare_exchange_strong(&signal_time, &first, now)) {
        atomic_store(&signal_number, number);
    } else if (now - first > SAME_SIGNAL) {
        signal(number, SIG_DFL);
        raise(number); /* takes effect at the end of this function */
    }
}

static void catch_signal(int number)
{
    struct sigaction before,
        ours = {.sa_handler = handle_signal, .sa_flags = SA_RESTART};

    sigemptyset(&ours.sa_mask);
    if (sigaction(number, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(number, &ours, NULL);
}

int xdg_torture_signal(void)
{
    return atomic_load(&signal_number);
}

/* ---- sensors ------------------------------------------------------------ */

static const struct {
    const char *unit;
    double scale; /* of the unit of hyb_device_sensors */
} sensors[XDG_SENSORS] = {[XDG_TEMPERATURE] = {"C", 1.0},
                          [XDG_CLOCK] = {"MHz", 1e6},
                          [XDG_POWER] = {"W", 1.0}};

/* Read the sensors of device into its ranges and append them to line. */
static void add_sensors(torture_t *t, int device, char line[LINE])
{
    hyb_device_sensors_t read = {NAN, NAN, NAN, NAN};
    hyb_device_t *d = hyb_machine_device(t->gemm->machine, device);
    const char *name = t->gemm->executors.name[device + 1];

    if (!hyb_device_failed(d))
        hyb_device_sensors(d, &read);
    for (int i = 0; i < XDG_SENSORS; i++) {
        const double value[] = {read.temperature, read.clock, read.power};
        xdg_range_t *range = &t->sum.device[device][i];

        if (isnan(value[i]))
            continue;
        range->least = fmin(range->least, value[i]);
        range->most = fmax(range->most, value[i]);
        xh_text_append(line, LINE, "%s%s %.0f %s", name != NULL ? "; " : "",
                       name != NULL ? name : "", value[i] / sensors[i].scale,
                       sensors[i].unit);
        name = NULL; /* print it once */
    }
}

static void log_sensors(torture_t *t)
{
    char line[LINE] = "";
    double now = xh_clock_now();

    for (int i = 0; i + 1 < t->gemm->executors.count; i++)
        add_sensors(t, i, line);
    if (t->sum.products > 1 && now - t->log_time < LOG_SECONDS)
        return;
    t->log_time = now;
    xh_log_info("%.1f s: product %lld, %.1f Gflop/s, %lld wrong%s",
                now - t->start_time, (long long)t->sum.products, t->rate / GIGA,
                (long long)t->verifier->wrong, line);
}

/* ---- checks ------------------------------------------------------------- */

static void free_reports(torture_t *t)
{
    for (int i = 0; i < t->count; i++)
        free(t->report[i].owner);
    t->count = 0;
}

/* Number of products between checks of `check` seconds, for products as fast as
 * those since the last check. */
static int products_per_check(const torture_t *t, double check)
{
    double product = 0.0; /* mean */

    for (int i = 0; i < t->count; i++)
        product += t->report[i].seconds / t->count;
    if (t->verifier->unsure || !(product > 0.0))
        return 1;
    return (int)fmin(fmax(ceil((CHECK_EVERY - 1) * check / product), 1.0),
                     MOST);
}

/* Check the pattern in the memory of device; there may be none, for lack of
 * memory or of checksums. */
static xh_status_t check_pattern(torture_t *t, int device)
{
    int64_t *damaged = &t->sum.damaged[device], before = *damaged;
    xh_status_t status = XH_OK;

    if (t->pattern[device] != NULL)
        status = xdg_pattern_check(t->pattern[device], damaged);
    t->verifier->wrong += *damaged - before;
    return status;
}

static void open_pattern(torture_t *t, int device)
{
    const xh_view_t c = t->verifier->problem->product.c;
    hyb_device_t *d = hyb_machine_device(t->gemm->machine, device);

    if (hyb_device_has(d, HYB_OP_CHECKSUM))
        xdg_pattern_open(d, t->gemm->executors.name[device + 1],
                         hyb_machine_team(t->gemm->machine), c.rows, c.cols,
                         &t->sum.damaged[device], &t->pattern[device]);
    t->verifier->wrong += t->sum.damaged[device];
}

static xh_status_t check(torture_t *t)
{
    int64_t wrong = t->verifier->wrong;
    bool sure = !t->verifier->unsure;
    double started = xh_clock_now(), seconds;
    long long last = t->sum.products;
    char name[64] = "";
    xh_status_t status;

    if (t->count == 1)
        xh_text_append(name, sizeof(name), "product %lld", last);
    else
        xh_text_append(name, sizeof(name), "products %lld to %lld",
                       last - t->count + 1, last);
    status = xdg_verify(t->verifier, name, t->report, t->count, t->summed);
    for (int i = 0; i + 1 < t->gemm->executors.count && status == XH_OK; i++)
        status = check_pattern(t, i);
    seconds = xh_clock_now() - started;
    t->sum.checks++;
    t->sum.check_seconds += seconds;
    t->next_check = products_per_check(t, seconds);
    if (sure && t->verifier->unsure)
        xh_log_warning("from now on each product is checked alone, to tell "
                       "whose error it is");
    /* a wrong C must not spoil the next product and its verdict; over a single
     * product, a tile that is not written would look right */
    if (t->summed > 1 || t->verifier->wrong > wrong)
        t->summed = 0;
    free_reports(t);
    return status;
}

/* ---- products ----------------------------------------------------------- */

static xh_status_t multiply(torture_t *t)
{
    xh_gemm_t product = t->verifier->problem->product;
    hyb_report_t *report = &t->report[t->count];

    product.beta = t->summed > 0 ? 1.0 : 0.0;
    XH_TRY(xdg_gemm(t->gemm, &product, xdg_all_executors, report));
    t->count++;
    t->summed++;
    t->sum.products++;
    t->sum.product_seconds += report->seconds;
    t->rate = xh_gemm_flop(&product) / report->seconds;
    return XH_OK;
}

static xh_status_t multiply_for(torture_t *t, double seconds)
{
    xh_status_t status = XH_OK;
    bool over = false;
    int number;

    while (status == XH_OK && !over) {
        status = multiply(t);
        number = xdg_torture_signal();
        if (number != 0)
            xh_log_warning("signal %d ends the run, after a last check; "
                           "another signal ends it at once",
                           number);
        over = number != 0 || xh_clock_now() - t->start_time >= seconds;
        if (status == XH_OK && (over || t->count >= t->next_check))
            status = check(t);
        if (status == XH_OK)
            log_sensors(t);
    }
    t->sum.seconds = xh_clock_now() - t->start_time;
    return status;
}

xh_status_t xdg_torture_run(xdg_gemm_t *gemm, xdg_verifier_t *verifier,
                            double seconds, xdg_torture_t *torture_p)
{
    torture_t t = {.gemm = gemm,
                   .verifier = verifier,
                   .sum.verifier = verifier,
                   .start_time = xh_clock_now(),
                   .report = calloc(MOST, sizeof(*t.report)),
                   .next_check = 1};
    xh_status_t status = XH_ERR_MEMORY;

    for (int i = 0; i + 1 < gemm->executors.count; i++)
        open_pattern(&t, i);
    for (int i = 0; i < HYB_EXECUTORS - 1; i++)
        for (int s = 0; s < XDG_SENSORS; s++)
            t.sum.device[i][s] = (xdg_range_t){INFINITY, -INFINITY};
    catch_signal(SIGINT);
    catch_signal(SIGTERM);
    if (t.report != NULL)
        status = multiply_for(&t, seconds);
    else
        xh_log_error("no memory for the reports of %d products", MOST);
    for (int i = 0; i < HYB_EXECUTORS - 1; i++)
        xdg_pattern_close(t.pattern[i]);
    free_reports(&t);
    free(t.report);
    *torture_p = t.sum;
    return status;
}

/* ---- what is said of it ------------------------------------------------- */

double xdg_torture_rate(const xdg_torture_t *torture)
{
    const xh_gemm_t *product = &torture->verifier->problem->product;

    return torture->products > 0
               ? xh_gemm_flop(product) * (double)torture->products /
                     torture->product_seconds
               : NAN;
}

static void print_executor(const xdg_torture_t *torture, int index, FILE *out)
{
    const xdg_verifier_t *verifier = torture->verifier;

    fprintf(out, "%-12s wrong tiles %lld",
            verifier->gemm->executors.name[index],
            (long long)verifier->wrong_tiles[index]);
    for (int i = 0; i < XDG_SENSORS && index > 0; i++) {
        xdg_range_t r = torture->device[index - 1][i];

        if (r.least <= r.most)
            fprintf(out, "  %s %.0f to %.0f", sensors[i].unit,
                    r.least / sensors[i].scale, r.most / sensors[i].scale);
    }
    if (index > 0 && torture->damaged[index - 1] > 0)
        fprintf(out, "  damaged %lld times",
                (long long)torture->damaged[index - 1]);
    if (index > 0 && !hyb_machine_works(verifier->gemm->machine, index - 1))
        fprintf(out, "  lost");
    fprintf(out, "\n");
}

void xdg_torture_print(const xdg_torture_t *torture, FILE *out)
{
    double rate = xdg_torture_rate(torture);

    fprintf(out,
            "%lld products in %.1f s, %.2f Gflop/s while multiplying, %lld "
            "wrong\n",
            (long long)torture->products, torture->seconds,
            isnan(rate) ? 0.0 : rate / GIGA,
            (long long)torture->verifier->wrong);
    fprintf(out, "%lld checks took %.1f%% of the time\n",
            (long long)torture->checks,
            torture->seconds > 0.0
                ? 100.0 * torture->check_seconds / torture->seconds
                : 0.0);
    if (torture->verifier->gemm->executors.count == 1)
        fprintf(out, "no device took part: the host alone was tested\n");
    for (int i = 0; i < torture->verifier->gemm->executors.count; i++)
        print_executor(torture, i, out);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/xdgemm/tune.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "base/clock.h"
#include "base/median.h"
#include "base/memory.h"
#include "base/sequence.h"
#include "hybrid/cpu/product/gemm.h"
#include "hybrid/device/rates.h"

#define PATIENCE 600.0 /* seconds for one product */

enum {
    TIMES = 3,  /* that a candidate is measured */
    ROUNDS = 5, /* of the default and the best in turn */
    LESS_M = 3, /* rows, columns and depth that a product that is checked */
    LESS_N = 5, /* has less, so that it has edges */
    LESS_K = 1
};

typedef struct {
    hyb_device_t *device;
    hyb_device_info_t info;
    const hyb_gemm_parameter_t *parameters;
    int parameter_count;
    int64_t m, n, deepest;
    xh_view_t a, b, c, right; /* on the host; right: what C is to be */
    void *memory;
    size_t bytes;
    hyb_buffer_t *there; /* A, B, C on the device */
    hyb_queue_t *queue;
    hyb_event_t *begin, *end;

    int d;          /* whose depth is tuned */
    bool begun;     /* the device's own is tried in any case */
    double until;   /* when its time is up */
    double fastest; /* seconds of a product so far */
    int64_t wrong;  /* candidates */
    xh_status_t status;
} tuner_t;

/* ---- what it takes ------------------------------------------------------- */

static void fill(xh_view_t v, uint64_t seed)
{
    for (int64_t i = 0; i < v.rows * v.cols; i++) {
        seed = xh_jump_apply(xh_jump_step, seed);
        v.data[i] = xh_sequence_entry(seed);
    }
}

static xh_status_t open_host(tuner_t *t)
{
    int64_t doubles = (t->m + t->n) * t->deepest + 2 * t->m * t->n;
    double *next;

    t->bytes = (size_t)doubles * sizeof(double);
    XH_TRY(xh_memory_allocate(t->bytes, &t->memory));
    next = t->memory;
    t->a = xh_view_take(&next, t->m, t->deepest);
    t->b = xh_view_take(&next, t->deepest, t->n);
    t->c = xh_view_take(&next, t->m, t->n);
    t->right = xh_view_take(&next, t->m, t->n);
    fill(t->a, 1);
    fill(t->b, 2);
    return XH_OK;
}

/* The first columns of A, the first rows of B, and all of C. */
static hyb_device_view_t a_of(const tuner_t *t, int64_t rows, int64_t depth)
{
    return (hyb_device_view_t){t->there, 0, rows, depth, t->m};
}

static hyb_device_view_t b_of(const tuner_t *t, int64_t depth, int64_t cols)
{
    return (hyb_device_view_t){t->there, t->m * t->deepest, depth, cols,
                               t->deepest};
}

static hyb_device_view_t c_of(const tuner_t *t, int64_t rows, int64_t cols)
{
    int64_t first = (t->m + t->n) * t->deepest;

    return (hyb_device_view_t){t->there, first, rows, cols, t->m};
}

static xh_status_t open_device(tuner_t *t)
{
    size_t bytes = t->bytes - (size_t)(t->m * t->n) * sizeof(double);

    XH_TRY(hyb_buffer_create(t->device, bytes, &t->there));
    XH_TRY(hyb_queue_create(t->device, HYB_QUEUE_NORMAL, &t->queue));
    XH_TRY(hyb_event_create(t->device, &t->begin));
    XH_TRY(hyb_event_create(t->device, &t->end));
    XH_TRY(hyb_queue_copy_in(t->queue, t->a, a_of(t, t->m, t->deepest)));
    return hyb_queue_copy_in(t->queue, t->b, b_of(t, t->deepest, t->n));
}

static void close_tuner(tuner_t *t)
{
    hyb_queue_destroy(t->queue);
    hyb_event_destroy(t->begin);
    hyb_event_destroy(t->end);
    hyb_buffer_destroy(t->there);
    xh_memory_free(t->memory, t->bytes);
}

/* ---- one candidate ------------------------------------------------------- */

static xh_status_t finish(const tuner_t *t)
{
    XH_TRY(hyb_event_record(t->queue, t->end));
    return hyb_event_await(t->end, PATIENCE);
}

static xh_status_t seconds_of_product(const tuner_t *t, double *seconds_p)
{
    int64_t k = hyb_gemm_config_depth(t->d);

    XH_TRY(hyb_event_record(t->queue, t->begin));
    XH_TRY(hyb_queue_gemm(t->queue, &(hyb_gemm_t){.alpha = -1,
                                                  .beta = 1,
                                                  .a = a_of(t, t->m, k),
                                                  .b = b_of(t, k, t->n),
                                                  .c = c_of(t, t->m, t->n)}));
    XH_TRY(finish(t));
    return hyb_event_elapsed(t->begin, t->end, seconds_p);
}

/* The shortest of some times; one that is far from the best is enough. */
static xh_status_t measure(tuner_t *t, double *seconds_p)
{
    double seconds, least = INFINITY;

    for (int i = 0; i < 1 + TIMES && (i == 0 || least < 2 * t->fastest); i++) {
        XH_TRY(seconds_of_product(t, &seconds));
        least = fmin(least, seconds);
    }
    *seconds_p = least;
    return XH_OK;
}

static int64_t depth_to_check(const tuner_t *t)
{
    return hyb_gemm_config_depth(t->d) - LESS_K;
}

/* On the host, beside what the product is to leave alone. */
static xh_status_t compute_right(tuner_t *t)
{
    int64_t m = t->m - LESS_M, n = t->n - LESS_N, k = depth_to_check(t);

    for (int64_t i = 0; i < t->m * t->n; i++)
        t->right.data[i] = NAN;
    return hyb_gemm_alone(
        &(xh_gemm_t){.alpha = 1,
                     .a = xh_view_part(t->a, 0, 0, m, k),
                     .b = xh_view_part(t->b, 0, 0, k, n),
                     .c = xh_view_part(t->right, 0, 0, m, n)});
}

/* Both sums of k products, each at most 1/4, have rounded k times. */
static bool is_right(const tuner_t *t)
{
    double k = (double)depth_to_check(t), bound = k * k * 0x1p-53;

    for (int64_t i = 0; i < t->m * t->n; i++) {
        double x = t->c.data[i], right = t->right.data[i];

        if (isnan(right) ? !isnan(x) : !(fabs(x - right) <= bound))
            return false;
    }
    return true;
}

static xh_status_t check(tuner_t *t, bool *is_right_p)
{
    int64_t m = t->m - LESS_M, n = t->n - LESS_N, k = depth_to_check(t);
    const hyb_device_view_t all = c_of(t, t->m, t->n);

    for (int64_t i = 0; i < t->m * t->n; i++)
        t->c.data[i] = NAN;
    XH_TRY(hyb_queue_copy_in(t->queue, t->c, all));
    XH_TRY(hyb_queue_gemm(t->queue, &(hyb_gemm_t){.alpha = 1,
                                                  .a = a_of(t, m, k),
                                                  .b = b_of(t, k, n),
                                                  .c = c_of(t, m, n)}));
    XH_TRY(hyb_queue_copy_out(t->queue, all, t->c));
    XH_TRY(finish(t));
    *is_right_p = is_right(t);
    return XH_OK;
}

/* C gets numbers, as some devices are slower on others. */
static xh_status_t reset(tuner_t *t)
{
    fill(t->c, 3);
    return hyb_queue_copy_in(t->queue, t->c, c_of(t, t->m, t->n));
}

static xh_status_t rate_candidate(tuner_t *t, const hyb_gemm_config_t *config,
                                  double *rate_p)
{
    xh_status_t status = hyb_device_set_gemm_config(t->device, t->d, config);
    double flop = 2.0 * (double)t->m * (double)t->n;
    double seconds = INFINITY;
    bool right = false;

    if (status == XH_OK)
        status = check(t, &right);
    if (status == XH_OK && !right)
        t->wrong++;
    if (status == XH_OK)
        status = reset(t);
    if (status == XH_OK && right)
        status = measure(t, &seconds);
    if (status != XH_OK && status != XH_ERR_ARG)
        return status;
    t->fastest = fmin(t->fastest, seconds);
    *rate_p = flop * (double)hyb_gemm_config_depth(t->d) / seconds;
    return XH_OK;
}

static double rate_of(void *context, const hyb_gemm_config_t *config)
{
    tuner_t *t = context;
    double rate = 0;

    if (t->status != XH_OK || (t->begun && xh_clock_now() > t->until))
        return -1;
    t->begun = true;
    t->status = rate_candidate(t, config, &rate);
    return t->status == XH_OK ? rate : -1;
}

/* ---- one depth ----------------------------------------------------------- */

/* flop/s of two configurations, medians of measurements in turn. */
static xh_status_t compare(tuner_t *t,
                           const hyb_gemm_config_t *const configs[2],
                           double rates_p[2])
{
    double flop =
        2.0 * (double)t->m * (double)t->n * (double)hyb_gemm_config_depth(t->d);
    double seconds[2][ROUNDS];

    t->fastest = INFINITY;
    for (int i = 0; i < ROUNDS; i++)
        for (int which = 0; which < 2; which++) {
            XH_TRY(hyb_device_set_gemm_config(t->device, t->d, configs[which]));
            XH_TRY(measure(t, &seconds[which][i]));
        }
    for (int which = 0; which < 2; which++)
        rates_p[which] = flop / xh_median(seconds[which], ROUNDS);
    return XH_OK;
}

static void print_row(const tuner_t *t, const double rates[2], int64_t tried,
                      const hyb_gemm_config_t *config, FILE *out)
{
    fprintf(out, "%6" PRId64 " %12.2f %12.2f %8.3f %7" PRId64 " %7" PRId64 "  ",
            hyb_gemm_config_depth(t->d), rates[0] / 1e9, rates[1] / 1e9,
            rates[1] / rates[0], tried, t->wrong);
    for (int i = 0; i < t->parameter_count; i++)
        fprintf(out, " %s=%d", t->parameters[i].name, config->values[i]);
    fprintf(out, "\n");
    fflush(out);
}

/* The best configuration for depth d, and its rate, into table; the search
 * begins with the device's own, and with what was best before. */
static xh_status_t tune_depth(tuner_t *t, int d, double seconds,
                              hyb_gemm_table_t *table, FILE *out)
{
    double rates[2];
    xdg_search_t search;
    hyb_gemm_config_t own;

    t->d = d;
    t->fastest = INFINITY;
    t->wrong = 0;
    t->begun = false;
    XH_TRY(hyb_device_set_gemm_config(t->device, d, NULL));
    XH_TRY(hyb_device_gemm_config(t->device, d, &own));
    XH_TRY(compute_right(t));
    t->until = xh_clock_now() + seconds;
    XH_TRY(xdg_search(t->parameters, t->parameter_count, &own, (uint64_t)d + 1,
                      rate_of, t, &search));
    XH_TRY(t->status);
    if (search.rate == 0)
        search.best = own;
    XH_TRY(
        compare(t, (const hyb_gemm_config_t *[]){&own, &search.best}, rates));
    if (rates[1] <= rates[0] || memcmp(&search.best, &own, sizeof(own)) == 0) {
        search.best = own;
        rates[1] = rates[0];
    }
    print_row(t, rates, search.tried, &search.best, out);
    if (t->wrong > 0)
        xh_log_warning("%s: %" PRId64 " of %" PRId64 " candidates computed "
                       "wrong numbers",
                       t->info.name, t->wrong, search.tried);
    table->config[d] = search.best;
    table->rate[d] = rates[1];
    return hyb_device_set_gemm_config(t->device, d, &search.best);
}

/* ---- all depths ---------------------------------------------------------- */

/* The depths from d to the last that are tuned. */
static void choose_depths(int64_t k, int *first_p, int *last_p)
{
    *first_p = 0;
    *last_p = HYB_GEMM_DEPTHS - 1;
    if (k > 0) {
        while (*first_p < *last_p && hyb_gemm_config_depth(*first_p) < k)
            ++*first_p;
        *last_p = *first_p;
    }
}

/* What is kept of the model, or the device's own. */
static xh_status_t known_configs(const tuner_t *t, hyb_gemm_table_t *table_p)
{
    *table_p = (hyb_gemm_table_t){.rate = {0}};
    for (int d = 0; d < HYB_GEMM_DEPTHS; d++)
        XH_TRY(hyb_device_gemm_config(t->device, d, &table_p->config[d]));
    hyb_gemm_table_load(t->info.name, t->parameters, t->parameter_count,
                        table_p);
    return XH_OK;
}

static xh_status_t tune(tuner_t *t, int first, int last, double seconds,
                        FILE *out)
{
    double end = xh_clock_now() + seconds;
    hyb_gemm_table_t table;

    XH_TRY(known_configs(t, &table));
    XH_TRY(open_host(t));
    XH_TRY(open_device(t));
    fprintf(out,
            "%s, m = %" PRId64 ", n = %" PRId64 "\n%6s %12s %12s %8s %7s "
            "%7s   %s\n",
            t->info.name, t->m, t->n, "k", "default", "tuned", "ratio", "tried",
            "wrong", "Gflop/s, and the configuration");
    for (int d = first; d <= last; d++)
        XH_TRY(tune_depth(t, d, (end - xh_clock_now()) / (last - d + 1), &table,
                          out));
    XH_TRY(hyb_gemm_table_save(t->info.name, t->parameters, t->parameter_count,
                               &table));
    hyb_rate_table_forget(t->info.name); /* they were of other configurations */
    return XH_OK;
}

xh_status_t xdg_tune(hyb_device_t *device, int64_t m, int64_t n, int64_t k,
                     double seconds, FILE *out)
{
    tuner_t t = {.device = device,
                 .m = m > LESS_M ? m : LESS_M + 1,
                 .n = n > LESS_N ? n : LESS_N + 1};
    xh_status_t status;
    int first, last;

    choose_depths(k, &first, &last);
    t.deepest = hyb_gemm_config_depth(last);
    t.parameters = hyb_device_gemm_parameters(device, &t.parameter_count);
    XH_TRY(hyb_device_describe(device, &t.info));
    if (t.parameters == NULL) {
        fprintf(out, "%s: its GEMM has no tuning parameters\n", t.info.name);
        return XH_OK;
    }
    status = tune(&t, first, last, seconds, out);
    close_tuner(&t);
    return status;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/xdgemm/runs.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include "base/clock.h"
#include "base/log.h"
#include "base/pin.h"
#include "base/product.h"
#include "base/settings.h"
#include "base/text.h"
#include "testing/xdgemm/pace.h"
#include "testing/xdgemm/resident.h"

#define GIGA 1e9
#define SAME_SIGNAL                                                            \
    500000000LL /* nanoseconds in which repeated signals count as one */

enum {
    SEED = 5,         /* of the vectors of checks */
    LINE = 4096,      /* bytes of a log line */
    LOG_SECONDS = 1,  /* least between two log lines ... */
    LOG_LINES = 60,   /* ... of which a longer test has so many */
    REPORTED_MOST = 8 /* wrong products of an executor */
};

struct torture;

typedef struct { /* an executor */
    struct torture *torture;
    int index; /* of the executor; the device is one less */
    xdg_resident_t *resident;
    pthread_t thread;
    bool has_thread;
    xh_status_t status; /* of the thread */

    /* the fields below are guarded by the torture's lock */
    int64_t products, wrong;
    xdg_mark_t logged; /* at the last log line */
    xdg_pace_t rate, sensor[XDG_SENSORS];
    xdg_reading_t reading[XDG_SENSORS];
    double sum[XDG_SENSORS]; /* of readings times seconds */
} worker_t;

typedef struct torture {
    const xdg_gemm_t *gemm;
    const xh_gemm_t *product;
    xdg_row_check_t check;
    double started, seconds;
    atomic_bool failed; /* an executor has failed */
    atomic_bool warned; /* of the signal */
    pthread_mutex_t lock;
    pthread_cond_t changed; /* the test is over */
    bool over;
    worker_t worker[HYB_EXECUTORS];
} torture_t;

static double now(const torture_t *t)
{
    return xh_clock_now() - t->started;
}

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

/* ---- one product ----------------------------------------------------------
 */

/* "emu:1 (emulated device)", with the serial number where known. */
static void append_name(const torture_t *t, int index, char *text, size_t size)
{
    const xdg_executors_t *executors = &t->gemm->executors;
    const hyb_device_info_t *info =
        index > 0 ? &executors->device[index - 1] : NULL;

    xh_text_append(text, size, "%s", executors->name[index]);
    if (info != NULL)
        xh_text_append(text, size, " (%s%s%s)", info->name,
                       info->serial[0] != '\0' ? ", serial number " : "",
                       info->serial);
}

static void report_wrong(const worker_t *w, const xdg_wrong_rows_t *wrong)
{
    char text[256] = "";

    append_name(w->torture, w->index, text, sizeof(text));
    xh_log_error("%s: product %lld is wrong in %lld %s, %lld to %lld; row %lld "
                 "is off by %.3g where rounding explains %.3g",
                 text, (long long)w->products, (long long)wrong->count,
                 wrong->count == 1 ? "row" : "rows", (long long)wrong->first,
                 (long long)wrong->last, (long long)wrong->worst, wrong->error,
                 wrong->bound);
    if (w->wrong == REPORTED_MOST)
        xh_log_error("%s: further wrong products are only counted", text);
}

static bool is_over(torture_t *t)
{
    int number = xdg_torture_signal();

    if (number != 0 && !atomic_exchange(&t->warned, true))
        xh_log_warning("signal %d ends the run, after the products in flight; "
                       "another signal ends it at once",
                       number);
    return number != 0 || atomic_load(&t->failed) || now(t) >= t->seconds;
}

static bool count_product(void *worker, const xdg_wrong_rows_t *wrong)
{
    worker_t *w = worker;
    torture_t *t = w->torture;

    pthread_mutex_lock(&t->lock);
    w->products++;
    xdg_pace_add(&w->rate, now(t),
                 (double)w->products * xh_gemm_flop(t->product));
    if (wrong->count > 0 && w->wrong++ < REPORTED_MOST)
        report_wrong(w, wrong);
    pthread_mutex_unlock(&t->lock);
    return !is_over(t);
}

/* ---- sensors and log lines ------------------------------------------------
 */

static const struct {
    const char *name, *unit;
    double scale; /* of the unit of hyb_device_sensors */
} sensors[XDG_SENSORS] = {[XDG_TEMPERATURE] = {"temperature", "C", 1.0},
                          [XDG_CLOCK] = {"clock", "MHz", 1e6},
                          [XDG_POWER] = {"power", "W", 1.0}};

/* Note a reading, which held since the previous one. */
static void note(worker_t *w, int sensor, double value, double time)
{
    xdg_reading_t *reading = &w->reading[sensor];

    reading->least = fmin(reading->least, value);
    reading->most = fmax(reading->most, value);
    w->sum[sensor] += value * (time - w->sensor[sensor].last.time);
    xdg_pace_add(&w->sensor[sensor], time, w->sum[sensor]);
}

/* Append rate and sensors of an executor to a log line. */
static void append_worker(worker_t *w, const hyb_device_sensors_t *read,
                          char line[LINE])
{
    const double value[] = {read->temperature, read->clock, read->power};
    const xdg_mark_t last = w->rate.last;
    double seconds = last.time - w->logged.time;

    xh_text_append(
        line, LINE, "%s%s %.1f Gflop/s", w->index > 0 ? "; " : "",
        w->torture->gemm->executors.name[w->index],
        seconds > 0.0 ? (last.total - w->logged.total) / seconds / GIGA : 0.0);
    w->logged = last;
    for (int i = 0; i < XDG_SENSORS; i++)
        if (!isnan(value[i])) {
            note(w, i, value[i], now(w->torture));
            xh_text_append(line, LINE, " %.0f %s", value[i] / sensors[i].scale,
                           sensors[i].unit);
        }
}

static void log_line(torture_t *t)
{
    hyb_device_sensors_t read[HYB_EXECUTORS];
    char line[LINE] = "";
    long long wrong = 0;

    for (int i = 0; i < t->gemm->executors.count; i++) {
        hyb_device_t *d =
            i > 0 ? hyb_machine_device(t->gemm->machine, i - 1) : NULL;

        read[i] = (hyb_device_sensors_t){NAN, NAN, NAN, NAN};
        if (d != NULL && !hyb_device_failed(d))
            hyb_device_sensors(d, &read[i]);
    }
    pthread_mutex_lock(&t->lock);
    for (int i = 0; i < t->gemm->executors.count; i++) {
        append_worker(&t->worker[i], &read[i], line);
        wrong += t->worker[i].wrong;
    }
    pthread_mutex_unlock(&t->lock);
    xh_log_info("%.1f s: %s; %lld wrong", now(t), line, wrong);
}

/* Wait `seconds`, or until the test is over; returns whether it is. */
static bool pause_until_over(torture_t *t, double seconds)
{
    const struct timespec end = xh_clock_timespec(xh_clock_wall() + seconds);
    int error = 0;
    bool over;

    pthread_mutex_lock(&t->lock);
    while (!t->over && error == 0)
        error = pthread_cond_timedwait(&t->changed, &t->lock, &end);
    over = t->over;
    pthread_mutex_unlock(&t->lock);
    return over;
}

static void pin_to_core(const torture_t *t, int device)
{
    int core = hyb_machine_core(t->gemm->machine, device);

    xh_pin_thread(&core, 1);
}

/* Log a line from time to time, and at the end if there was none. */
static void *watch(void *torture)
{
    torture_t *t = torture;
    const double pause = fmax(LOG_SECONDS, t->seconds / LOG_LINES);
    bool logged = false;

    if (t->gemm->executors.count > 1)
        pin_to_core(t, 0);
    while (!pause_until_over(t, pause) || !logged) {
        log_line(t);
        logged = true;
    }
    return NULL;
}

/* ---- all ------------------------------------------------------------------
 */

static void *keep_busy(void *worker)
{
    worker_t *w = worker;
    torture_t *t = w->torture;

    pin_to_core(t, w->index - 1);
    w->status = xdg_resident_run(w->resident, count_product, w);
    if (w->status != XH_OK) {
        xh_log_error("%s is lost: %s", t->gemm->executors.name[w->index],
                     xh_status_text(w->status));
        atomic_store(&t->failed, true);
    }
    return NULL;
}

static xh_status_t start_thread(pthread_t *thread, void *(*run)(void *),
                                void *context)
{
    if (pthread_create(thread, NULL, run, context) == 0)
        return XH_OK;
    xh_log_error("a thread cannot be started");
    return XH_ERR_MEMORY;
}

static xh_status_t open_workers(torture_t *t)
{
    XH_TRY(xdg_row_check_create(hyb_machine_team(t->gemm->machine), t->product,
                                SEED, &t->check));
    for (int i = 1; i < t->gemm->executors.count; i++)
        XH_TRY(xdg_resident_open(
            hyb_machine_device(t->gemm->machine, i - 1), t->product, &t->check,
            xh_settings_real("stall_seconds"), &t->worker[i].resident));
    return XH_OK;
}

static xh_status_t start_workers(torture_t *t)
{
    for (int i = 1; i < t->gemm->executors.count; i++) {
        worker_t *w = &t->worker[i];

        XH_TRY(start_thread(&w->thread, keep_busy, w));
        w->has_thread = true;
    }
    return XH_OK;
}

/* Let all executors work until the test is over; the status of the first that
 * failed. */
static xh_status_t work(torture_t *t)
{
    xh_status_t status = start_workers(t);

    if (status == XH_OK)
        status = xdg_host_run(t->gemm->host, t->product, &t->check,
                              count_product, &t->worker[0]);
    if (status != XH_OK)
        atomic_store(&t->failed, true);
    for (int i = 1; i < t->gemm->executors.count; i++) {
        worker_t *w = &t->worker[i];

        if (w->has_thread)
            pthread_join(w->thread, NULL);
        if (status == XH_OK)
            status = w->status;
    }
    return status;
}

static xh_status_t run(torture_t *t)
{
    pthread_t watcher;
    xh_status_t status;

    XH_TRY(open_workers(t));
    t->started = xh_clock_now();
    XH_TRY(start_thread(&watcher, watch, t));
    status = work(t);
    pthread_mutex_lock(&t->lock);
    t->over = true;
    pthread_cond_signal(&t->changed);
    pthread_mutex_unlock(&t->lock);
    pthread_join(watcher, NULL);
    return status;
}

static xdg_tortured_t result_of(const worker_t *w)
{
    xdg_tortured_t result = {.products = w->products,
                             .wrong = w->wrong,
                             .start_rate = xdg_pace_start(&w->rate),
                             .end_rate = xdg_pace_end(&w->rate)};

    for (int i = 0; i < XDG_SENSORS; i++) {
        result.sensor[i] = w->reading[i];
        result.sensor[i].end = xdg_pace_end(&w->sensor[i]);
    }
    return result;
}

static void begin(torture_t *t)
{
    pthread_condattr_t attributes;

    pthread_mutex_init(&t->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&t->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    for (int i = 0; i < HYB_EXECUTORS; i++) {
        worker_t *w = &t->worker[i];

        w->torture = t;
        w->index = i;
        xdg_pace_begin(&w->rate, t->seconds);
        for (int s = 0; s < XDG_SENSORS; s++) {
            xdg_pace_begin(&w->sensor[s], t->seconds);
            w->reading[s] = (xdg_reading_t){INFINITY, -INFINITY, NAN};
        }
    }
    catch_signal(SIGINT);
    catch_signal(SIGTERM);
}

static void end(torture_t *t)
{
    for (int i = 0; i < HYB_EXECUTORS; i++)
        xdg_resident_close(t->worker[i].resident);
    xdg_row_check_free(&t->check);
    pthread_cond_destroy(&t->changed);
    pthread_mutex_destroy(&t->lock);
    free(t);
}

xh_status_t xdg_torture_run(const xdg_gemm_t *gemm,
                            const xdg_problem_t *problem, double seconds,
                            xdg_torture_t *torture_p)
{
    torture_t *t = calloc(1, sizeof(*t));
    xh_status_t status;

    *torture_p = (xdg_torture_t){.gemm = gemm};
    if (t == NULL)
        return XH_ERR_MEMORY;
    t->gemm = gemm;
    t->product = &problem->product;
    t->seconds = seconds;
    begin(t);
    status = run(t);
    torture_p->seconds = t->started > 0.0 ? now(t) : 0.0;
    for (int i = 0; i < HYB_EXECUTORS; i++)
        torture_p->executor[i] = result_of(&t->worker[i]);
    end(t);
    if (status == XH_ERR_MEMORY)
        xh_log_error("no memory for the matrices and vectors of all executors");
    return status;
}

/* ---- what is said of it ----------------------------------------------------
 */

double xdg_torture_kept(const xdg_tortured_t *tortured)
{
    return tortured->end_rate / tortured->start_rate;
}

/* A number, or "-" if it is unknown. */
static void print_number(double x, int width, int digits, FILE *out)
{
    if (isnan(x))
        fprintf(out, " %*s", width, "-");
    else
        fprintf(out, " %*.*f", width, digits, x);
}

static void print_executor(const xdg_torture_t *torture, int index, FILE *out)
{
    const xdg_tortured_t *e = &torture->executor[index];

    fprintf(out, "%-12s %9lld %7lld", torture->gemm->executors.name[index],
            (long long)e->products, (long long)e->wrong);
    print_number(e->start_rate / GIGA, 10, 2, out);
    print_number(e->end_rate / GIGA, 10, 2, out);
    print_number(100.0 * xdg_torture_kept(e), 7, 1, out);
    for (int i = 0; i < XDG_SENSORS; i++)
        print_number(e->sensor[i].end / sensors[i].scale, 6, 0, out);
    for (int i = 0; i < XDG_SENSORS; i++)
        if (e->sensor[i].least <= e->sensor[i].most)
            fprintf(out, "  %s %.0f to %.0f", sensors[i].unit,
                    e->sensor[i].least / sensors[i].scale,
                    e->sensor[i].most / sensors[i].scale);
    if (index > 0 && !hyb_machine_works(torture->gemm->machine, index - 1))
        fprintf(out, "  lost");
    fprintf(out, "\n");
}

void xdg_torture_print(const xdg_torture_t *torture, FILE *out)
{
    fprintf(out, "%.1f s of products, back to back\n\n", torture->seconds);
    fprintf(out, "%-12s %9s %7s %10s %10s %7s", "executor", "products", "wrong",
            "at start", "at end", "kept %");
    for (int i = 0; i < XDG_SENSORS; i++)
        fprintf(out, " %6s", sensors[i].unit);
    fprintf(out, "\n");
    for (int i = 0; i < torture->gemm->executors.count; i++)
        print_executor(torture, i, out);
    if (torture->gemm->executors.count == 1)
        fprintf(out, "no device took part: the host alone was tested\n");
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/devices.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "base/median.h"
#include "base/text.h"
#include "hpl.h"
#include "testing/ptest/processes.h"

enum { MOST = 64 };

static const double slow_below =
    0.7; /* fraction of the rate of other devices; less is slow */
static const double least_seconds = 0.2; /* seconds of work that show a rate */

/* ---- gathering ----------------------------------------------------------- */

static double rate_of(double amount, double seconds)
{
    return seconds > least_seconds ? amount / seconds : NAN;
}

static int my_devices(const hpl_system_t *system, xhpl_device_t list_p[MOST])
{
    const hpl_solver_t *solver = hpl_solver();
    hpl_device_work_t work[MOST];
    hpl_device_t device[MOST];
    char host[MPI_MAX_PROCESSOR_NAME];
    int length, count = 0;

    if (solver->device_work != NULL)
        count = solver->device_work(system, MOST, work);
    if (count > 0)
        count = Mmin(count, solver->devices(count, device));
    MPI_Get_processor_name(host, &length);
    for (int i = 0; i < count; i++) {
        xhpl_device_t *d = &list_p[i];

        *d =
            (xhpl_device_t){.rank = xhpl_rank(MPI_COMM_WORLD),
                            .rate = rate_of(work[i].flop, work[i].seconds),
                            .up = rate_of(work[i].up, work[i].up_seconds),
                            .down = rate_of(work[i].down, work[i].down_seconds),
                            .link_wait = work[i].link_wait,
                            .clock = device[i].clock,
                            .celsius = device[i].temperature};
        snprintf(d->host, sizeof(d->host), "%.63s", host);
        memcpy(d->name, device[i].name, sizeof(d->name));
        memcpy(d->model, device[i].model, sizeof(d->model));
    }
    return count;
}

/* Set offset[i] to the sum of bytes before process i; returns the sum of all.
 */
static int set_offsets(int *bytes, int *offset, int processes)
{
    int sum = 0;

    for (int i = 0; i < processes; i++) {
        offset[i] = sum;
        sum += bytes[i];
    }
    return sum;
}

xhpl_device_t *xhpl_devices_gather(MPI_Comm comm, const hpl_system_t *system,
                                   int *count_p)
{
    xhpl_device_t mine[MOST], *all = NULL;
    int size = xhpl_size(comm), sum = 0;
    int count = my_devices(system, mine), bytes = count * (int)sizeof(*mine);
    int *each = calloc(2 * (size_t)size, sizeof(*each)), any = count;

    if (each == NULL)
        HPL_pabort(__LINE__, "xhpl_devices_gather", "out of memory");
    MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, comm);
    if (any > 0) {
        MPI_Gather(&bytes, 1, MPI_INT, each, 1, MPI_INT, 0, comm);
        if (xhpl_rank(comm) == 0) {
            sum = set_offsets(each, each + size, size);
            all = malloc((size_t)sum);
            if (all == NULL)
                HPL_pabort(__LINE__, "xhpl_devices_gather", "out of memory");
        }
        MPI_Gatherv(mine, bytes, MPI_BYTE, all, each, each + size, MPI_BYTE, 0,
                    comm);
    }
    free(each);
    *count_p = sum / (int)sizeof(*all);
    return all;
}

/* ---- comparing ----------------------------------------------------------- */

/* The number at `offset` bytes from the start of `device`. */
static double number(const xhpl_device_t *device, size_t offset)
{
    double x;

    memcpy(&x, (const char *)device + offset, sizeof(x));
    return x;
}

static bool are_alike(const xhpl_device_t *a, const xhpl_device_t *b)
{
    return strcmp(a->model, b->model) == 0;
}

/* Copy the known numbers at offset `of` of the devices of i's model into
 * memory, sorted; returns how many. */
static int sort_model(const xhpl_device_t *list, int count, int i, size_t of,
                      double *sorted)
{
    int known = 0;

    for (int j = 0; j < count; j++)
        if (are_alike(&list[j], &list[i]) && !isnan(number(&list[j], of)))
            sorted[known++] = number(&list[j], of);
    xh_sort(sorted, known);
    return known;
}

/* The median of the other sorted numbers without x; NaN: none is known. */
static double median_of_others(const double *sorted, int known, double x)
{
    return known > 1 && !isnan(x) ? xh_median_without(sorted, known, x) : NAN;
}

/* The median of the rates of other devices of i's model. */
static double of_others(const xhpl_device_t *list, int count, int i, size_t of,
                        double *memory)
{
    int known = sort_model(list, count, i, of, memory);

    return median_of_others(memory, known, number(&list[i], of));
}

static bool is_first_of_model(const xhpl_device_t *list, int i)
{
    for (int j = 0; j < i; j++)
        if (are_alike(&list[j], &list[i]))
            return false;
    return true;
}

/* Compute the rate of each device divided by the median of the other devices of
 * its model; NAN: unknown. */
static void find_shares(const xhpl_device_t *list, int count, size_t of,
                        double *memory, double *share_p)
{
    for (int i = 0; i < count; i++) {
        int known;

        if (!is_first_of_model(list, i))
            continue;
        known = sort_model(list, count, i, of, memory);
        for (int j = i; j < count; j++)
            if (are_alike(&list[j], &list[i]))
                share_p[j] =
                    number(&list[j], of) /
                    median_of_others(memory, known, number(&list[j], of));
    }
}

/* "; its clock is 800 MHz, theirs is 1700 MHz", and so on, as far as known */
static void describe(const xhpl_device_t *list, int count, int i,
                     double *memory, char *text, size_t size)
{
    double clock =
        of_others(list, count, i, offsetof(xhpl_device_t, clock), memory);
    double celsius =
        of_others(list, count, i, offsetof(xhpl_device_t, celsius), memory);

    text[0] = '\0';
    if (!isnan(list[i].clock) && !isnan(clock))
        xh_text_append(text, size,
                       "; its clock is %.0f MHz, theirs is %.0f MHz",
                       1e-6 * list[i].clock, 1e-6 * clock);
    if (!isnan(list[i].celsius) && !isnan(celsius))
        xh_text_append(text, size,
                       "; its temperature is %.0f C, theirs is %.0f C",
                       list[i].celsius, celsius);
}

static void judge_by(const xhpl_device_t *list, int count, size_t of,
                     const char *does, const char *unit, double *memory)
{
    char more[128], others[64] = "";
    double least = slow_below, *share = memory + count;
    int slow = 0, slowest = 0;

    find_shares(list, count, of, memory, share);
    for (int i = 0; i < count; i++) {
        slow += share[i] < slow_below; /* not if it is NAN */
        if (share[i] < least) {
            least = share[i];
            slowest = i;
        }
    }
    if (slow == 0)
        return;
    if (slow > 1)
        snprintf(others, sizeof(others), "; %d more %s slow", slow - 1,
                 slow == 2 ? "is" : "are");
    describe(list, count, slowest, memory, more, sizeof(more));
    xh_log_warning_of(list[slowest].rank, list[slowest].host,
                      "slow: its device %s (%s) %s at %.0f%% of the rate of "
                      "the others of this model, %s %s%s%s",
                      list[slowest].name, list[slowest].model, does,
                      100.0 * least,
                      xh_text_plain(1e-9 * number(&list[slowest], of), 3).text,
                      unit, more, others);
}

void xhpl_devices_judge(const xhpl_device_t *list, int count)
{
    double *memory = malloc((2 * (size_t)count + 1) * sizeof(*memory));

    if (memory == NULL)
        return;
    judge_by(list, count, offsetof(xhpl_device_t, rate), "multiplies",
             "Gflop/s", memory);
    judge_by(list, count, offsetof(xhpl_device_t, up), "is sent to", "GB/s",
             memory);
    judge_by(list, count, offsetof(xhpl_device_t, down), "sends", "GB/s",
             memory);
    free(memory);
}

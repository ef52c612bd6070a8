/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/checkpoint/moments.h"

#include <fcntl.h>
#include <math.h>
#include <unistd.h>
#include "base/clock.h"
#include "hybrid/lu/checkpoint/format.h"
#include "hybrid/lu/checkpoint/store.h"

static const double pulse = 0.2; /* s between signs of life */

static bool is_possible(const hyb_life_sign_t *sign)
{
    return sign->moment > 0.0 && sign->moment < HYB_MOMENT_MOST &&
           sign->elapsed >= 0.0 && sign->elapsed < HYB_MOMENT_MOST;
}

hyb_life_sign_t hyb_moments_last_sign(const hyb_store_t *store)
{
    hyb_life_sign_t sign = {0.0, 0.0};
    int file = hyb_store_open(store, HYB_STORE_ALIVE, O_RDONLY);

    if (file < 0)
        return sign;
    if (!hyb_store_read(file, &sign, sizeof(sign), 0) || !is_possible(&sign))
        sign = (hyb_life_sign_t){0.0, 0.0};
    close(file);
    return sign;
}

static void note_restart(hyb_moments_t *m, const hyb_header_t *origin,
                         const hyb_life_sign_t *sign, hpl_checkpoints_t *report)
{
    static const double tolerance = 0.5; /* s */
    double now = m->start, passed = now - origin->start;

    m->clocks_disagree = origin->clocks_disagree != 0 ||
                         now < sign->moment - tolerance ||
                         passed < sign->elapsed - tolerance;
    m->start = origin->start;
    report->restarts = (int)origin->restarts + 1;
    report->iteration = (int)origin->first;
    report->lost = origin->lost + fmax(0.0, sign->moment - origin->moment);
    report->between = origin->gap + fmax(0.0, now - sign->moment);
    report->before = fmax(passed, sign->elapsed);
    report->clocks_disagree = m->clocks_disagree;
}

void hyb_moments_begin(const hyb_store_t *store, const hyb_header_t *origin,
                       const hyb_life_sign_t *sign, hyb_moments_t *m,
                       hpl_checkpoints_t *report)
{
    *m = (hyb_moments_t){.start = xh_clock_read(CLOCK_REALTIME), .file = -1};
    if (origin->first > 0)
        note_restart(m, origin, sign, report);
    m->zero = xh_clock_wall() - report->before;
    if (store != NULL)
        m->file = hyb_store_open(store, HYB_STORE_ALIVE, O_WRONLY | O_CREAT);
}

void hyb_moments_end(hyb_moments_t *m)
{
    if (m->file >= 0)
        close(m->file);
    m->file = -1;
}

void hyb_moments_poll(void *moments)
{
    hyb_moments_t *m = moments;
    double now;
    hyb_life_sign_t sign;

    if (m->file < 0)
        return;
    now = xh_clock_wall();
    if (now < m->last_sign + pulse)
        return;
    sign = (hyb_life_sign_t){xh_clock_read(CLOCK_REALTIME), now - m->zero};
    hyb_store_write(m->file, &sign, sizeof(sign), 0);
    m->last_sign = now;
}

void hyb_moments_note(const hyb_moments_t *m, const hpl_checkpoints_t *report,
                      hyb_header_t *header)
{
    header->restarts = report->restarts;
    header->start = m->start;
    header->moment = xh_clock_read(CLOCK_REALTIME);
    header->lost = report->lost;
    header->gap = report->between;
    header->elapsed = xh_clock_wall() - m->zero;
    header->clocks_disagree = m->clocks_disagree;
}

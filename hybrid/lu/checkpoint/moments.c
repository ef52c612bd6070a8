/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/checkpoint/moments.h"

#include <fcntl.h>
#include <math.h>
#include <unistd.h>
#include "base/clock.h"
#include "hybrid/lu/checkpoint/format.h"
#include "hybrid/lu/checkpoint/store.h"

static const double pulse = 0.2; /* s between signs of life */

static bool is_possible(const hyb_seen_t *seen)
{
    return seen->moment > 0.0 && seen->moment < HYB_MOMENT_MOST &&
           seen->elapsed >= 0.0 && seen->elapsed < HYB_MOMENT_MOST;
}

hyb_seen_t hyb_moments_last_seen(const hyb_store_t *store)
{
    hyb_seen_t seen = {0.0, 0.0};
    int file = hyb_store_open(store, HYB_STORE_ALIVE, O_RDONLY);

    if (file < 0)
        return seen;
    if (!hyb_store_read(file, &seen, sizeof(seen), 0) || !is_possible(&seen))
        seen = (hyb_seen_t){0.0, 0.0};
    close(file);
    return seen;
}

static void note_restart(hyb_moments_t *m, const hyb_header_t *from,
                         const hyb_seen_t *seen, hpl_checkpoints_t *report)
{
    static const double tolerance = 0.5; /* s */
    double now = m->begun, passed = now - from->begun;

    m->disagree = from->disagree != 0 || now < seen->moment - tolerance ||
                  passed < seen->elapsed - tolerance;
    m->begun = from->begun;
    report->restarts = (int)from->restarts + 1;
    report->iteration = (int)from->first;
    report->lost = from->lost + fmax(0.0, seen->moment - from->moment);
    report->between = from->between + fmax(0.0, now - seen->moment);
    report->before = fmax(passed, seen->elapsed);
    report->clocks_disagree = m->disagree;
}

void hyb_moments_begin(const hyb_store_t *store, const hyb_header_t *from,
                       const hyb_seen_t *seen, hyb_moments_t *m,
                       hpl_checkpoints_t *report)
{
    *m = (hyb_moments_t){.begun = xh_clock_read(CLOCK_REALTIME), .file = -1};
    if (from->first > 0)
        note_restart(m, from, seen, report);
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
    hyb_seen_t seen;

    if (m->file < 0)
        return;
    now = xh_clock_wall();
    if (now < m->shown + pulse)
        return;
    seen = (hyb_seen_t){xh_clock_read(CLOCK_REALTIME), now - m->zero};
    hyb_store_write(m->file, &seen, sizeof(seen), 0);
    m->shown = now;
}

void hyb_moments_note(const hyb_moments_t *m, const hpl_checkpoints_t *report,
                      hyb_header_t *header)
{
    header->restarts = report->restarts;
    header->begun = m->begun;
    header->moment = xh_clock_read(CLOCK_REALTIME);
    header->lost = report->lost;
    header->between = report->between;
    header->elapsed = xh_clock_wall() - m->zero;
    header->disagree = m->disagree;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_BOUNDARY_H
#define HYB_BOUNDARY_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Which columns a checkpoint holds at which stage. The columns of panel p are
 * saved when they have met the panels before their boundary, and no other. The
 * boundaries begin with `first` and are spread over `over` iterations, so that
 * the disk keeps up; none lies behind its own panel. A restart factors panel
 * `first` and goes on: columns on the right, which are ahead, wait until the
 * others have come up.
 */
typedef struct {
    int first;  /* panel that a restart begins with */
    int over;   /* 1 to (panels + 1 - first) / 2, or 1 */
    int panels; /* of the matrix; b counts as the columns of panel `panels` */
} hyb_boundary_t;

/* Panels that the columns of panel have met then; panel >= first. */
static inline int hyb_boundary_of(const hyb_boundary_t *b, int panel)
{
    return b->first + (int)((int64_t)(panel - b->first) * b->over /
                            (b->panels + 1 - b->first));
}

/* The first panel whose columns are ahead: they do not meet panel k. */
static inline int hyb_boundary_ahead(const hyb_boundary_t *b, int k)
{
    int64_t steps = k + 1 - b->first;
    int64_t columns = b->panels + 1 - b->first;

    if (steps >= b->over)
        return b->panels + 1;
    return b->first + (int)((steps * columns + b->over - 1) / b->over);
}

/* As many iterations as writing takes, as far as that is possible. */
static inline int hyb_boundary_over(int first, int panels, double iterations)
{
    int most = (panels + 1 - first) / 2;

    if (!(iterations > 1.0) || most < 1)
        return 1;
    return iterations > most ? most : (int)iterations;
}

#endif

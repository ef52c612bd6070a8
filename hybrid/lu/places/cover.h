/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/*
 * The total time that spans cover; overlapping time counts once. Spans arrive
 * roughly in order: if too many gaps lie between them, the oldest gap counts as
 * covered.
 */
enum { HYB_COVER_PARTS = 64 };

typedef struct {
    double before; /* everything before counts as covered */
    int count;     /* number of disjoint parts, in no order */
    struct {
        double begin, end;
    } part[HYB_COVER_PARTS];
} hyb_cover_t;

/* Add the span from `begin` to `end`, in seconds. Returns how many of its
 * seconds were not covered before. */
double hyb_cover_add(hyb_cover_t *cover, double begin, double end);

/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/*
 * The time that spans cover together; where they overlap, time counts once.
 * Spans come about in order: if too many gaps lie between them, the oldest gap
 * counts as covered.
 */
enum { HYB_COVER_PARTS = 64 };

typedef struct {
    double before; /* everything until then counts as covered */
    int count;     /* parts, disjoint, in no order: */
    struct {
        double begin, end;
    } part[HYB_COVER_PARTS];
} hyb_cover_t;

/* Add the span from `begin` to `end`, in seconds; returns how many seconds of
 * it were not covered. */
double hyb_cover_add(hyb_cover_t *cover, double begin, double end);

/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/xdgemm/fill.h"

#include <math.h>

#define PI 3.14159265358979323846
#define DEVIATION 5.0 /* of the normal distribution */

typedef struct {
    const xdg_random_t *random;
    int64_t row, col;
    xh_view_t v;
    int members;
} task_t;

/* Bits of x, mixed: the finalizer of SplitMix64 (Steele, Lea, Flood 2014). */
static uint64_t mixed(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static uint64_t bits_of(uint64_t seed, uint64_t counter)
{
    return mixed(mixed(seed) + (counter + 1) * UINT64_C(0x9e3779b97f4a7c15));
}

/* In [0, 1). */
static double unit(uint64_t bits)
{
    return (double)(bits >> 11) * 0x1p-53;
}

/* Box and Muller (1958): two elements of a pair from two uniform numbers. */
static double normal(uint64_t seed, uint64_t counter)
{
    uint64_t first = counter & ~UINT64_C(1);
    double radius = sqrt(-2.0 * log(1.0 - unit(bits_of(seed, first))));
    double angle = 2.0 * PI * unit(bits_of(seed, first + 1));

    return DEVIATION * radius * (counter & 1 ? sin(angle) : cos(angle));
}

static double element(const xdg_random_t *random, uint64_t counter)
{
    switch (random->distribution) {
    case XDG_UNIFORM:
        return unit(bits_of(random->seed, counter)) - 0.5;
    case XDG_NORMAL:
        return normal(random->seed, counter);
    default:
        return NAN;
    }
}

static uint64_t counter_of(int64_t i, int64_t j)
{
    return (uint64_t)j << 32 | (uint64_t)i;
}

double xdg_random_element(const xdg_random_t *random, int64_t i, int64_t j)
{
    return element(random, counter_of(i, j));
}

static void fill_share(void *argument, int member)
{
    const task_t *t = argument;
    int64_t first = t->v.cols * member / t->members;
    int64_t end = t->v.cols * (member + 1) / t->members;

    for (int64_t j = first; j < end; j++) {
        uint64_t counter = counter_of(t->row, t->col + j);
        double *column = t->v.data + j * t->v.ld;

        for (int64_t i = 0; i < t->v.rows; i++)
            column[i] = element(t->random, counter + (uint64_t)i);
    }
}

void xdg_fill(hyb_team_t *team, const xdg_random_t *random, int64_t row,
              int64_t col, xh_view_t v)
{
    task_t task = {random, row, col, v, hyb_team_size(team)};

    hyb_team_run(team, fill_share, &task);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hpl.h"
#include "testing/unit/hpl/small_system.h"
#include "testing/unit/hpl/processes.h"
#include "testing/unit/unit.h"
#include "testing/unit/node/small_team.h"

enum { MOST_TEAM = 3 }; /* threads */

/* What is tested with each team on each grid; returns the errors. */
typedef int everywhere_t(hyb_team_t *team, HPL_T_grid *grid, int n, int nb);

/*
 * On every P x Q grid of the job's processes, with teams of 1 to MOST_TEAM
 * threads.
 *
 * shapes  in  n and nb, count of them
 */
static inline void everywhere(everywhere_t *errors_of, const int (*shapes)[2],
                              size_t count)
{
    int p, q, size, errors = 0;
    hyb_team_t *team;
    HPL_T_grid grid;
    size_t i;

    for (p = 1; p <= unit_processes(); p++)
        for (q = 1; p * q <= unit_processes(); q++) {
            bool inside = small_grid_open(&grid, p, q);

            for (size = 1; inside && size <= MOST_TEAM; size++) {
                team = small_team(size);
                for (i = 0; i < count; i++)
                    errors +=
                        errors_of(team, &grid, shapes[i][0], shapes[i][1]);
                hyb_team_destroy(team);
            }
            small_grid_close(&grid);
        }
    assert_int_equal(errors, 0);
}

/* A case: the shapes { n, nb } everywhere. */
#define TEST_EVERYWHERE(sentence, errors_of, ...)                              \
    TEST(sentence)                                                             \
    {                                                                          \
        static const int shapes[][2] = {__VA_ARGS__};                          \
        everywhere(errors_of, shapes, COUNT_OF(shapes));                       \
    }

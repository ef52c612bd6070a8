/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks: 4; 1 more */
/*
 * Devices that refuse memory, or are wrong, inside a
 * factorization. Lost ones end the run: test_device_faults.py.
 */
#include "testing/unit/unit_mpi.h"

#include "testing/unit/base/capture.h"
#include "testing/unit/hpl/combinations.h"
#include "testing/unit/lu/solver_fixture.h"

/* One system on all processes, of several iterations on each. */
static combination_t medium(const char *mode)
{
    const combinations_t of = {NARROWED({N, 250, 250, 1}, {NB, 24, 24, 1})};
    uint64_t random = (uint64_t)mode[0];
    combination_t c = combination_next(&of, &random);

    c.value[P] = c.value[Q] = unit_processes() == 4 ? 2 : 1;
    return c;
}

/* Solve with so many devices a process, all with a fault. What stderr had goes
 * to said_p. */
static const char *solve_with(int devices, const char *fault, const char *mode,
                              const char **said_p)
{
    combination_t c = medium(mode);
    char settings[120];
    const char *wrong;

    snprintf(settings, sizeof(settings),
             "threads=2 split=fixed:0.9 stall_seconds=60 lookahead=%s "
             "emu_fault=%s",
             mode, fault);
    solver_open_with_devices(devices, settings);
    *said_p = heard(wrong = combination_solve(&c));
    solver_close();
    return wrong;
}

TEST(where_memory_is_refused_the_others_solve)
{
    static const char *const modes[] = {"2", "1", "mixed", "0"};
    const char *said, *wrong;
    int missed = 0;

    for (int i = 0; i < 4; i++) {
        wrong = solve_with(1 + i % 2, "oom@alloc:1", modes[i], &said);
        missed += wrong != NULL || strstr(said, "device 0 is not used") == NULL;
    }
    combinations_end(missed);
}

/* Of a large element one of the high bits. */
TEST(a_flipped_bit_is_found_by_the_residual)
{
    static const char *const flips[] = {"flip@gemm:3", "flip@copy_out:5",
                                        "flip@copy_in:2"};
    const char *said, *wrong;
    int missed = 0;

    for (size_t i = 0; i < COUNT_OF(flips); i++) {
        wrong = solve_with(1, flips[i], "mixed", &said);
        missed += wrong == NULL || strstr(wrong, "residual") == NULL;
    }
    combinations_end(missed);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks: 4; 1 more */
/*
 * Devices that are lost inside a factorization: others compute what they
 * leave, the result is right, and stderr names them.
 */
#include "testing/unit/unit_mpi.h"

#include "testing/unit/capture.h"
#include "testing/unit/combinations.h"
#include "testing/unit/driver_fixture.h"
#include "testing/unit/small_system.h"

/* which devices of a process have the fault */
typedef enum { ALL_DEVICES, FIRST_DEVICE } victims_t;

/* One system on all processes, of several iterations on each. */
static combination_t medium(const char *mode)
{
    const combinations_t of = {NARROWED({N, 250, 250, 1}, {NB, 24, 24, 1})};
    uint64_t random = (uint64_t)mode[0];
    combination_t c = combination_next(&of, &random);

    c.value[P] = c.value[Q] = unit_processes() == 4 ? 2 : 1;
    return c;
}

/* Devices are dealt in turn: this process's first one has its rank's number. */
static int first_device(void)
{
    return unit_rank();
}

/* Solve with so many devices a process, and one of the faults on victims. What
 * stderr had goes to said_p. */
static const char *solve_with(int devices, victims_t victims, const char *fault,
                              const char *mode, const char **said_p)
{
    combination_t c = medium(mode);
    char settings[120], number[16] = "";
    const char *wrong;

    if (victims == FIRST_DEVICE)
        snprintf(number, sizeof(number), "%d:", first_device());
    snprintf(settings, sizeof(settings),
             "threads=2 tile=40 split=fixed:0.9 stall_seconds=%s "
             "lookahead=%s emu_fault=%s%s",
             fault[0] == 's' ? "0.2" : "60", mode, number, fault);
    driver_open_with_devices(devices, settings);
    *said_p = heard(wrong = combination_solve(&c));
    driver_close();
    return wrong;
}

static bool names(const char *said, int device)
{
    char lost[64], smaller[64];

    snprintf(lost, sizeof(lost), "device %d is dropped", device);
    snprintf(smaller, sizeof(smaller), "device %d lacks ", device);
    return strstr(said, lost) != NULL || strstr(said, smaller) != NULL;
}

/* The result is right, and the device that is lost, or has less memory, is
 * named. One of two may be lucky, and get too few tiles for the fault. */
static int misses(int devices, victims_t victims, const char *fault,
                  const char *mode)
{
    const char *said;
    const char *wrong = solve_with(devices, victims, fault, mode, &said);
    bool happened = strstr(said, fault) != NULL;
    bool named = names(said, 0) ||
                 (devices > 1 && victims == ALL_DEVICES && names(said, 1));

    if (wrong == NULL && happened == named && (happened || devices > 1))
        return 0;
    fprintf(stderr, "%s of %d devices, lookahead=%s: %s; stderr:\n%s\n", fault,
            devices, mode, wrong != NULL ? wrong : "not named", said);
    return 1;
}

static void lose(const char *const faults[], size_t count)
{
    static const char *const modes[] = {"2", "1", "mixed", "0"};
    size_t turn = 0;
    int failures = 0;

    for (size_t i = 0; i < count; i++) {
        failures += misses(1, ALL_DEVICES, faults[i], modes[turn++ % 4]);
        failures += misses(2, FIRST_DEVICE, faults[i], modes[turn++ % 4]);
        failures += misses(2, ALL_DEVICES, faults[i], modes[turn++ % 4]);
    }
    combinations_end(failures);
}

#define TEST_LOSE(sentence, ...)                                               \
    TEST(sentence)                                                             \
    {                                                                          \
        static const char *const faults[] = {__VA_ARGS__};                     \
        lose(faults, COUNT_OF(faults));                                        \
    }

TEST_LOSE(a_device_that_fails_is_made_up_for, "fail@gemm:5", "fail@copy_in:7",
          "fail@copy_out:2")
TEST_LOSE(a_device_that_stalls_is_made_up_for, "stall@gemm:1",
          "stall@copy_out:1")
TEST_LOSE(a_device_out_of_memory_is_made_up_for, "oom@alloc:1", "oom@gemm:4")

/* One process alone loses its device: others must not notice. */
TEST(a_loss_on_one_process_is_its_own_affair)
{
    const char *mine = first_device() == 0 ? "fail@gemm:4" : "";
    const char *said, *wrong;

    wrong = solve_with(1, ALL_DEVICES, mine, "2", &said);
    assert_int_equal(strstr(said, "is dropped") != NULL, first_device() == 0);
    combinations_end(wrong != NULL);
}

/* Of a large element one of the high bits. */
TEST(a_flipped_bit_is_found_by_the_residual)
{
    static const char *const flips[] = {"flip@gemm:3", "flip@copy_out:5",
                                        "flip@copy_in:2"};
    const char *said, *wrong;
    int missed = 0;

    for (size_t i = 0; i < COUNT_OF(flips); i++) {
        wrong = solve_with(1, ALL_DEVICES, flips[i], "mixed", &said);
        missed += wrong == NULL || strstr(wrong, "residual") == NULL;
    }
    combinations_end(missed);
}

TEST_MPI_MAIN()

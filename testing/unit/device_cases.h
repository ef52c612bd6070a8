/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/*
 * What the devices of every backend do, as cases for each backend's test. Where
 * there is no such device the cases are skipped, and each case that needs work
 * which the device lacks.
 */
#include "hybrid/device/device.h"
#include "testing/unit/unit.h"

enum { DEVICE_PATIENCE = 60 }; /* seconds; only what is broken takes so long */

enum { DEVICE_ORDER = 96 }; /* of the fixture's matrices */

typedef struct {
    hyb_device_t *device;
    hyb_queue_t *queue;
    hyb_block_t a, c; /* of undefined content */
} device_fixture_t;

/*
 * Open the first device of backend, with the rest; *state_p is the fixture, or
 * NULL if there is no such plug-in or no device. Returns 0, or -1 if there is
 * one that cannot be opened.
 */
int device_cases_open(const char *backend, void **state_p);
int device_cases_close(void **state);

/* The fixture; without one the running case is skipped. */
device_fixture_t *device_cases_fixture(void **state);

/* The backend called name, which is there. */
const hyb_backend_t *device_cases_backend(const char *name);

hyb_queue_t *device_cases_queue(hyb_device_t *device);
hyb_event_t *device_cases_event(hyb_device_t *device);

/* A matrix in device memory, alone in its buffer. */
hyb_block_t device_cases_matrix(hyb_device_t *device, int64_t rows,
                                int64_t cols);

/* Wait for event, or until all that is on queue has run; what came of it. */
xh_status_t device_cases_wait(hyb_event_t *event);
xh_status_t device_cases_finish(hyb_device_t *device, hyb_queue_t *queue);

/* All of them; open calls device_cases_open. By file: device_cases.c,
 * device_work.c, device_resident.c, device_generate.c, device_panel.c. */
#define DEVICE_CASES(open)                                                     \
    DEVICE_CASE(it_describes_itself, open)                                     \
    DEVICE_CASE(its_sensors_tell_what_is_possible_or_nothing, open)            \
    DEVICE_CASE(more_memory_than_there_is_keeps_the_device, open)              \
    DEVICE_CASE(an_event_never_recorded_has_passed, open)                      \
    DEVICE_CASE(a_wait_ends_with_its_time_or_with_the_work, open)              \
    DEVICE_CASE(a_wait_orders_the_work_of_two_queues, open)                    \
    DEVICE_CASE(time_runs_from_event_to_event, open)                           \
    DEVICE_CASE(queues_come_and_go, open)                                      \
    DEVICE_CASE(several_threads_use_one_device, open)                          \
    DEVICE_CASE(destroying_a_queue_finishes_what_is_queued, open)              \
    DEVICE_CASE(a_device_given_up_closes, open)                                \
    DEVICE_CASE(whole_matrices_come_back, open)                                \
    DEVICE_CASE(copies_keep_every_element_and_touch_no_other, open)            \
    DEVICE_CASE(traffic_is_the_bytes_of_copies, open)                          \
    DEVICE_CASE(products_are_those_of_three_loops, open)                       \
    DEVICE_CASE(a_product_over_nothing_scales, open)                           \
    DEVICE_CASE(with_beta_zero_c_is_not_read, open)                            \
    DEVICE_CASE(copies_on_the_device_touch_no_other_element, open)             \
    DEVICE_CASE(rows_change_places_as_listed, open)                            \
    DEVICE_CASE(rows_are_packed_one_after_the_other, open)                     \
    DEVICE_CASE(packed_rows_go_where_the_list_says, open)                      \
    DEVICE_CASE(a_solve_is_forward_substitution, open)                         \
    DEVICE_CASE(a_matrix_times_a_vector_is_subtracted, open)                   \
    DEVICE_CASE(a_matrix_times_itself_is_added_below_the_diagonal, open)       \
    DEVICE_CASE(checksums_are_those_of_the_host, open)                         \
    DEVICE_CASE(a_checksum_sees_any_bit_that_changes, open)                    \
    DEVICE_CASE(a_generated_part_has_the_matrixs_bits, open)                   \
    DEVICE_CASE(a_part_of_a_large_matrix_is_generated, open)                   \
    DEVICE_CASE(a_panel_step_eliminates_with_pivots, open)                     \
    DEVICE_CASE(of_equal_pivots_the_first_row_counts, open)                    \
    DEVICE_CASE(a_zero_pivot_divides_nothing, open)                            \
    DEVICE_CASE(a_tiny_pivot_divides, open)                                    \
    DEVICE_CASE(a_panels_nan_counts_as_infinite, open)                         \
    DEVICE_CASE(two_parts_of_a_panel_agree_on_pivots, open)                    \
    DEVICE_CASE(a_part_without_rows_proposes_none, open)

#define DEVICE_CASE(name, open) void name(void **state);
DEVICE_CASES(declared)
#undef DEVICE_CASE
#define DEVICE_CASE(name, open) TEST_SHARED(name, open, device_cases_close)

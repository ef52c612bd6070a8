/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks: 1 */
#include "testing/unit/unit_mpi.h"

#include <math.h>
#include <stdio.h>
#include "testing/ptest/devices.h"
#include "testing/unit/base/capture.h"

enum { COUNT = 5 };

/* Alike, but for what a case changes. */
static xhpl_device_t list[COUNT];

static void fill(void)
{
    for (int i = 0; i < COUNT; i++) {
        list[i] = (xhpl_device_t){.rank = i / 2,
                                  .host = "node7",
                                  .model = "NVIDIA H200",
                                  .rate = 6e13 + i * 1e11,
                                  .up = 5e10,
                                  .down = 4e10,
                                  .clock = 1.7e9,
                                  .celsius = 60.0};
        snprintf(list[i].name, sizeof(list[i].name), "cuda:%d", i);
    }
}

static const char *said(int count)
{
    return heard(xhpl_devices_judge(list, count));
}

TEST(devices_that_are_alike_are_not_mentioned)
{
    fill();
    for (int count = 0; count <= COUNT; count++)
        assert_string_equal(said(count), "");
}

TEST(a_slow_device_is_named_with_its_clock_and_temperature)
{
    fill();
    list[3].rate = 3e13;
    list[3].clock = 8e8;
    list[3].celsius = 91.0;
    assert_in(said(COUNT),
              "rank 1 on node7: slow: its device cuda:3 (NVIDIA H200) "
              "multiplies at 50% of the rate of the others of this model, "
              "30000 Gflop/s; its clock is 800 MHz, theirs is 1700 MHz; its "
              "temperature is 91 C, theirs is 60 C");
    assert_null(strstr(said(COUNT), "more"));
}

TEST(of_several_slow_devices_the_slowest_is_named_and_links_each_way)
{
    fill();
    list[0].rate = 4e13;
    list[4].rate = 2e13;
    list[1].up = 2.5e10;
    list[2].down = 1e10;
    assert_in(said(COUNT), "cuda:4 (NVIDIA H200) multiplies at 33%");
    assert_in(said(COUNT), "1 more is slow");
    assert_in(said(COUNT), "cuda:1 (NVIDIA H200) is sent to at 50%");
    assert_in(said(COUNT), "25 GB/s");
    assert_in(said(COUNT), "cuda:2 (NVIDIA H200) sends at 25%");
}

TEST(devices_are_compared_with_their_own_model_only)
{
    fill();
    strcpy(list[2].model, "NVIDIA L4");
    list[2].rate = 4e11;
    assert_string_equal(said(COUNT), "");
}

TEST(what_is_not_known_is_not_compared)
{
    fill();
    for (int i = 0; i < COUNT; i++)
        list[i].up = list[i].clock = list[i].celsius = NAN;
    list[0].rate = NAN;
    list[1].rate = 1e13;
    assert_in(said(COUNT), "Gflop/s\n");
    list[1].rate = 6e13;
    assert_string_equal(said(COUNT), "");
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/unit/unit.h"

enum { MOST = 64 };

static struct CMUnitTest cases[MOST];
static size_t count;

void unit_add(struct CMUnitTest added)
{
    if (count == MOST)
        abort();
    cases[count++] = added;
}

int unit_run(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return _cmocka_run_group_tests("group", cases, count, NULL, NULL) != 0;
}

__attribute__((weak)) int main(void)
{
    return unit_run();
}

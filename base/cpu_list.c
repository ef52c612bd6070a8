/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/cpu_list.h"

#include <ctype.h>
#include <stdlib.h>

enum { MOST = 1 << 20 }; /* numbers are below */

int xh_cpu_list(const char *list, int *numbers, int capacity)
{
    int count = 0;

    while (isdigit((unsigned char)*list)) {
        char *end;
        long first = strtol(list, &end, 10);
        long last = *end == '-' ? strtol(end + 1, &end, 10) : first;

        for (; first <= last && first < MOST; first++, count++)
            if (count < capacity)
                numbers[count] = (int)first;
        list = end + (*end == ',');
    }
    return count;
}

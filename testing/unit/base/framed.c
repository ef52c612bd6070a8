/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/unit/base/framed.h"

#include <math.h>
#include "testing/unit/unit.h"

enum { MARGIN = 3 };

double *framed_doubles(int64_t count)
{
    size_t bytes = ((size_t)count * sizeof(double) / 64 + 1) * 64;
    double *memory = aligned_alloc(64, bytes);

    assert_non_null(memory);
    memset(memory, 0xff, bytes);
    return memory;
}

double framed_drawn(void)
{
    return (double)rand() / RAND_MAX - 0.5;
}

framed_t framed(int64_t rows, int64_t cols)
{
    framed_t f;
    int64_t ld = rows + 2 * MARGIN + rand() % 4, i;

    f.total = ld * (cols + 2 * MARGIN);
    f.all = framed_doubles(f.total);
    for (i = 0; i < f.total; i++)
        f.all[i] = framed_drawn();
    f.v = (xh_view_t){f.all + MARGIN + MARGIN * ld, rows, cols, ld};
    return f;
}

framed_t framed_copy(framed_t f)
{
    framed_t copy = f;

    copy.all = framed_doubles(f.total);
    memcpy(copy.all, f.all, (size_t)f.total * sizeof(double));
    copy.v.data = copy.all + (f.v.data - f.all);
    return copy;
}

void framed_release(framed_t f)
{
    free(f.all);
}

void framed_compare(framed_t got, framed_t want, double most)
{
    for (int64_t i = 0; i < got.total; i++)
        assert_true(fabs(got.all[i] - want.all[i]) <= most);
}

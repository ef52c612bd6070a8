/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/exact.h"

#include <inttypes.h>
#include <string.h>
#include "base/checksum.h"
#include "base/integers.h"
#include "base/log.h"

/* ---- matrices ------------------------------------------------------------ */

static uint64_t mixed(uint64_t seed, int64_t i, int64_t j)
{
    return xh_mixed(seed * 0xd1342543de82ef95 +
                    (uint64_t)j * 0x9e3779b97f4a7c15 +
                    (uint64_t)i * 0xbf58476d1ce4e5b9);
}

static double integer(int bits, uint64_t random)
{
    int64_t most = ((int64_t)1 << bits) - 1;

    return (double)((int64_t)(random >> 2) % (2 * most + 1) - most);
}

int xh_exact_bits(int64_t terms)
{
    int bits = 20;

    while (bits > 1 && terms > (int64_t)1 << (52 - 2 * bits))
        bits--;
    return bits;
}

void xh_exact_integers(xh_view_t v, int bits, uint64_t seed)
{
    for (int64_t j = 0; j < v.cols; j++)
        for (int64_t i = 0; i < v.rows; i++)
            *xh_at(v, i, j) = integer(bits, mixed(seed, i, j));
}

/* Within the triangle a row uses rows of a lower third only, so the triangle is
 * I + N with N^3 = 0: its inverse I - N + N^2 is exact. */
static double below(xh_view_t v, int64_t i, int64_t j, uint64_t seed)
{
    enum { THIRDS = 3 };
    bool uses = i >= v.cols || j % THIRDS < i % THIRDS;

    return uses ? 0.25 * (double)((int64_t)(mixed(seed, i, j) % 7) - 3) : 0.0;
}

void xh_exact_lower(xh_view_t v, uint64_t seed)
{
    for (int64_t j = 0; j < v.cols; j++)
        for (int64_t i = 0; i < v.rows; i++)
            *xh_at(v, i, j) = i > j ? below(v, i, j, seed) : i == j;
}

void xh_exact_upper(xh_view_t v, uint64_t seed)
{
    enum { BITS = 10 };
    static const double power[] = {1.0, -2.0, 4.0, -0.5};

    for (int64_t j = 0; j < v.cols; j++) {
        for (int64_t i = 0; i < v.rows; i++)
            *xh_at(v, i, j) = i < j ? integer(BITS, mixed(seed, i, j)) : 0.0;
        *xh_at(v, j, j) = power[mixed(seed, j, j) % 4];
    }
}

void xh_exact_multiply(double sign, xh_view_t a, xh_view_t b, xh_view_t c)
{
    for (int64_t j = 0; j < c.cols; j++)
        for (int64_t p = 0; p < a.cols; p++) {
            const double *from = xh_at(a, 0, p),
                         factor = sign * *xh_at(b, p, j);
            double *to = xh_at(c, 0, j);

            for (int64_t i = 0; i < c.rows; i++)
                to[i] += from[i] * factor;
        }
}

void xh_exact_copy(xh_view_t from, xh_view_t to)
{
    for (int64_t j = 0; j < from.cols; j++)
        memcpy(xh_at(to, 0, j), xh_at(from, 0, j),
               (size_t)from.rows * sizeof(double));
}

/* ---- comparing ----------------------------------------------------------- */

typedef struct {
    int64_t wrong, row, col; /* how many; where the first one is */
} mistakes_t;

static mistakes_t compare(xh_view_t found, xh_view_t expected)
{
    mistakes_t m = {.wrong = 0};

    for (int64_t j = 0; j < expected.cols; j++)
        for (int64_t i = 0; i < expected.rows; i++)
            if (!(*xh_at(found, i, j) == *xh_at(expected, i, j)) &&
                m.wrong++ == 0) {
                m.row = i;
                m.col = j;
            }
    return m;
}

bool xh_exact_is_right(xh_exact_t *checks, xh_view_t found, xh_view_t expected,
                       const char *what, const char *where)
{
    mistakes_t m = compare(found, expected);

    if (m.wrong > 0 && atomic_fetch_add(&checks->wrong, 1) == 0)
        xh_log_error("trust: wrong result: %s, on %s: element (%" PRId64
                     ", %" PRId64 ") of %" PRId64 " x %" PRId64
                     ": expected %.17g, found %.17g; %" PRId64
                     " elements are wrong",
                     what, where, m.row, m.col, expected.rows, expected.cols,
                     *xh_at(expected, m.row, m.col),
                     *xh_at(found, m.row, m.col), m.wrong);
    return m.wrong == 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/xdgemm/shape.h"

#include <math.h>
#include <string.h>
#include "base/log.h"
#include "base/memory.h"
#include "base/settings.h"

#define MIB 1048576.0
#define GIB (1024 * MIB)

double xdg_shape_bytes(const xdg_shape_t *shape)
{
    return 8.0 * ((double)shape->lda * (double)xdg_a_cols(shape) +
                  (double)shape->ldb * (double)xdg_b_cols(shape) +
                  (double)shape->ldc * (double)shape->n);
}

static int64_t scaled(int64_t size, double factor)
{
    return (int64_t)fmax(1.0, floor((double)size * factor));
}

static xdg_shape_t shrunk(const xdg_shape_t *shape, double factor)
{
    xdg_shape_t s = *shape;

    s.m = scaled(shape->m, factor);
    s.n = scaled(shape->n, factor);
    s.k = scaled(shape->k, factor);
    s.lda = xdg_a_rows(&s);
    s.ldb = xdg_b_rows(&s);
    s.ldc = s.m;
    return s;
}

xdg_shape_t xdg_shape_fitting(const xdg_shape_t *shape, double bytes)
{
    enum { STEPS = 60 };
    double fits = 0.0, fails = 1.0;
    xdg_shape_t s = shrunk(shape, 1.0);

    if (xdg_shape_bytes(&s) <= bytes)
        return s;
    for (int step = 0; step < STEPS; step++) {
        double middle = (fits + fails) / 2;

        s = shrunk(shape, middle);
        if (xdg_shape_bytes(&s) <= bytes)
            fits = middle;
        else
            fails = middle;
    }
    return shrunk(shape, fits);
}

xh_status_t xdg_shape_check_memory(const xdg_shape_t *shape)
{
    double need = xdg_shape_bytes(shape), room;
    xdg_shape_t largest;
    uint64_t available;

    if (strcmp(xh_settings_text("memory_check"), "on") != 0 ||
        xh_memory_available("", &available) != XH_OK)
        return XH_OK;
    room = (double)available - MIB * (double)xh_settings_int("memory_reserve");
    if (need <= room)
        return XH_OK;
    largest = xdg_shape_fitting(shape, room);
    xh_log_error("the matrices take %.1f GiB, %.1f GiB are available; the "
                 "largest of this shape that fits is -m %lld -n %lld -k %lld",
                 need / GIB, fmax(room, 0.0) / GIB, (long long)largest.m,
                 (long long)largest.n, (long long)largest.k);
    return XH_ERR_MEMORY;
}

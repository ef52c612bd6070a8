/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/device/pins.h"

#include <stddef.h>
#include "base/integers.h"
#include "base/log.h"
#include "hybrid/device/machine_private.h"

/* ---- segments ------------------------------------------------------------ */

int64_t hyb_pins_segment(xh_view_t matrix, int64_t bytes)
{
    enum { PAGE = 4096 };
    int64_t column = matrix.ld * (int64_t)sizeof(double), unit = 1;

    while (unit * column % PAGE != 0) /* at most PAGE / 8 times: 2^n */
        unit *= 2;
    return xh_larger(unit, bytes / (unit * column) * unit);
}

static const hyb_pin_t *find(const hyb_pins_t *pins, uintptr_t at)
{
    int i;

    for (i = 0; i < pins->count; i++) {
        const xh_view_t *m = &pins->pin[i].matrix;
        uintptr_t begin = (uintptr_t)m->data;

        if (at >= begin && at < (uintptr_t)(m->data + m->ld * m->cols))
            return &pins->pin[i];
    }
    return NULL;
}

int64_t hyb_pins_together(const hyb_pins_t *pins, xh_view_t v)
{
    const hyb_pin_t *pin =
        pins != NULL && v.cols > 1 ? find(pins, (uintptr_t)v.data) : NULL;
    int64_t segment, end;

    if (pin == NULL)
        return v.cols;
    segment = pin->columns * pin->matrix.ld;
    end = segment - (v.data - pin->matrix.data) % segment; /* after v.data */
    if (end < v.rows)
        return 1;
    return xh_smaller(v.cols, (end - v.rows) / v.ld + 1);
}

/* ---- all devices --------------------------------------------------------- */

/* Columns of m that begin with the first of segment number i. */
static xh_view_t segment_of(const hyb_pin_t *pin, int64_t i)
{
    const xh_view_t *m = &pin->matrix;
    int64_t first = i * pin->columns;

    return xh_view_part(*m, 0, first, m->rows,
                        xh_smaller(pin->columns, m->cols - first));
}

static int64_t segments_of(const hyb_pin_t *pin)
{
    return xh_units(pin->matrix.cols, pin->columns);
}

static size_t bytes_of(xh_view_t v)
{
    return (size_t)(v.ld * v.cols) * sizeof(double);
}

/* What is refused MOST times is not asked for again: each time is said. */
static void pin_on(hyb_device_t *device, const hyb_pin_t *pin)
{
    enum { MOST = 3 };
    int64_t i, count = segments_of(pin), refused = 0;
    xh_status_t status = XH_OK;

    for (i = 0; i < count && refused < MOST && status != XH_ERR_DEVICE; i++) {
        xh_view_t v = segment_of(pin, i);

        status = hyb_device_pin(device, v.data, bytes_of(v));
        refused += status == XH_ERR_MEMORY;
    }
    if (refused > 0 && count > 1)
        xh_log_warning("%lld of %lld segments of a matrix are pinned",
                       (long long)(i - refused), (long long)count);
}

void hyb_machine_pin(hyb_machine_t *machine, xh_view_t matrix)
{
    hyb_pins_t *pins = &machine->pins;
    hyb_pin_t *pin = &pins->pin[pins->count];
    int i;

    if (matrix.rows == 0 || matrix.cols == 0 || pins->count == HYB_PINS)
        return;
    *pin =
        (hyb_pin_t){matrix, hyb_pins_segment(matrix, machine->segment_bytes)};
    pins->count++;
    for (i = 0; i < machine->devices; i++)
        if (hyb_machine_works(machine, i))
            pin_on(hyb_machine_device(machine, i), pin);
}

void hyb_machine_pin_flat(hyb_machine_t *machine, double *memory, size_t bytes)
{
    int64_t count = (int64_t)(bytes / sizeof(double));

    hyb_machine_pin(machine, (xh_view_t){memory, count, 1, count});
}

void hyb_machine_unpin(hyb_machine_t *machine, const double *memory)
{
    hyb_pins_t *pins = &machine->pins;
    int64_t segment;
    int i, j = 0;

    while (j < pins->count && pins->pin[j].matrix.data != memory)
        j++;
    if (j == pins->count)
        return;
    for (i = 0; i < machine->devices; i++)
        for (segment = 0; segment < segments_of(&pins->pin[j]); segment++)
            hyb_device_unpin(hyb_machine_device(machine, i),
                             segment_of(&pins->pin[j], segment).data);
    pins->pin[j] = pins->pin[--pins->count];
}

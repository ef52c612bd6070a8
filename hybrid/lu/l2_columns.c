/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/l2_columns.h"

#include <stdlib.h>
#include <string.h>
#include "base/integers.h"
#include "base/memory.h"
#include "hybrid/lu/units.h"

enum {
    FORMS = 2,
    ROWS = 480 /* copied at a time, a multiple of all tiles' heights */
};

/* one iteration's */
typedef struct {
    double *data;
    hyb_tiles_t tiles;
    hyb_units_t units; /* of ROWS rows */
} form_t;

struct hyb_l2_columns {
    form_t form[FORMS];
    double *memory;
    size_t bytes;
};

static size_t form_doubles(int64_t rows, int64_t nb)
{
    enum { LINE = 8 };

    return ((size_t)rows * (size_t)nb + LINE) / LINE * LINE;
}

uint64_t hyb_l2_columns_bytes(int64_t rows, int64_t nb)
{
    return FORMS * form_doubles(rows, nb) * sizeof(double);
}

xh_status_t hyb_l2_columns_create(int64_t rows, int64_t nb,
                                  hyb_l2_columns_t **flat_p)
{
    hyb_l2_columns_t *flat = calloc(1, sizeof(*flat));
    int i;

    if (flat == NULL)
        return XH_ERR_MEMORY;
    flat->bytes = (size_t)hyb_l2_columns_bytes(rows, nb);
    if (xh_memory_allocate(flat->bytes, (void **)&flat->memory) != XH_OK) {
        free(flat);
        return XH_ERR_MEMORY;
    }
    for (i = 0; i < FORMS; i++)
        flat->form[i].data = flat->memory + (size_t)i * form_doubles(rows, nb);
    *flat_p = flat;
    return XH_OK;
}

void hyb_l2_columns_destroy(hyb_l2_columns_t *flat)
{
    if (flat == NULL)
        return;
    xh_memory_free(flat->memory, flat->bytes);
    free(flat);
}

double *hyb_l2_columns_memory(const hyb_l2_columns_t *flat, size_t *bytes_p)
{
    *bytes_p = flat->bytes;
    return flat->memory;
}

void hyb_l2_columns_begin(hyb_l2_columns_t *flat, int k, const hyb_tiles_t *l2)
{
    form_t *form = &flat->form[k % FORMS];

    form->tiles = *l2;
    hyb_units_begin(&form->units, xh_units(l2->rows, ROWS));
}

xh_view_t hyb_l2_columns_view(const hyb_l2_columns_t *flat, int k)
{
    const form_t *form = &flat->form[k % FORMS];
    int64_t rows = form->tiles.rows;

    return (xh_view_t){form->data, rows, form->tiles.cols, rows > 0 ? rows : 1};
}

/* Rows of tiles, from the first row of one on, into columns. */
static void copy(const hyb_tiles_t *tiles, int64_t from, xh_view_t v)
{
    int64_t i, j;

    for (i = 0; i < v.rows; i += tiles->height)
        for (j = 0; j < v.cols; j++)
            memcpy(v.data + i + j * v.ld, hyb_tiles_at(tiles, from + i, j),
                   (size_t)xh_smaller(tiles->height, v.rows - i) *
                       sizeof(double));
}

void hyb_l2_columns_fill(hyb_l2_columns_t *flat, int k)
{
    form_t *form = &flat->form[k % FORMS];
    xh_view_t all;
    int64_t unit, from;

    while ((unit = hyb_units_take(&form->units)) >= 0) {
        all = hyb_l2_columns_view(flat, k);
        from = unit * ROWS;
        copy(&form->tiles, from,
             xh_view_part(all, from, 0, xh_smaller(ROWS, all.rows - from),
                          all.cols));
        hyb_units_settle(&form->units);
    }
}

bool hyb_l2_columns_complete(const hyb_l2_columns_t *flat, int k)
{
    return hyb_units_are_settled(&flat->form[k % FORMS].units);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/dat_writer.h"

enum { FIRST = 4, LAST = 31, WIDTH = 12 }; /* lines of numbers; a column */

/* The quantity whose values, or whose count, stand in line. */
static xhpl_quantity_t quantity_of(int line)
{
    int q = 0;

    while (xhpl_quantity(q)->line != line &&
           xhpl_quantity(q)->count_line != line)
        q++;
    return q;
}

static void write_comment(FILE *out, int length, const char *before,
                          const char *what)
{
    fprintf(out, "%*s %s%s\n", length < WIDTH ? WIDTH - length : 0, "", before,
            what);
}

static void write_values(FILE *out, xhpl_quantity_t quantity,
                         const xhpl_parameters_t *parameters)
{
    const xhpl_list_t *list = &parameters->list[quantity];
    int length = 0;

    if (quantity == XHPL_THRESHOLD)
        length = fprintf(out, "%.17g", parameters->threshold);
    for (int i = 0; i < list->count && quantity != XHPL_THRESHOLD; i++)
        length += fprintf(out, "%s%d", i > 0 ? " " : "", list->value[i]);
    write_comment(out, length, "", xhpl_quantity(quantity)->what);
}

static void write_line(FILE *out, int line, const xhpl_parameters_t *parameters)
{
    xhpl_quantity_t quantity = quantity_of(line);

    if (xhpl_quantity(quantity)->line == line)
        write_values(out, quantity, parameters);
    else
        write_comment(out, fprintf(out, "%d", parameters->list[quantity].count),
                      "how many values: ", xhpl_quantity(quantity)->what);
}

void xhpl_dat_write(FILE *out, const xhpl_parameters_t *parameters)
{
    fprintf(out, "HPLinpack benchmark input file\nwritten by xhpl\n");
    fprintf(out, "%s output file\n", parameters->output);
    for (int line = FIRST; line <= LAST; line++)
        write_line(out, line, parameters);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "hybrid/device/cache_file.h"
#include "hybrid/device/rates.h"

static const char kind[] = "tiles";

/* Write the file's text into the HYB_RATE_TEXT bytes of `text_p`. */
static bool format(const hyb_rate_table_t *table, const char *model,
                   char *text_p)
{
    FILE *out = fmemopen(text_p, HYB_RATE_TEXT, "w");

    if (out == NULL)
        return false;
    fprintf(out,
            "tile rates 6\n%s\n%.6g bytes/s each way\n"
            "flop/s of sizes, a line a depth:\n",
            model, table->link_rate);
    for (int d = 0; d < HYB_RATE_DEPTHS; d++)
        for (int s = 0; s < HYB_RATE_SIZES; s++)
            fprintf(out, "%.6g%c", table->rate[d][s],
                    s + 1 < HYB_RATE_SIZES ? ' ' : '\n');
    return fclose(out) == 0;
}

static bool is_rate(double x)
{
    return x >= 0.0 && isfinite(x);
}

/* Read a text. A text that differs from what format() would write is refused at
 * the end. */
static bool parse(char *text, const char *model, hyb_rate_table_t *table_p)
{
    char again[HYB_RATE_TEXT] = "", *at;
    hyb_rate_table_t table;
    int used = 0;
    bool good = sscanf(text,
                       "%*[^\n]\n%*[^\n]\n%lf bytes/s each way\n"
                       "%*[^\n]\n%n",
                       &table.link_rate, &used) == 1 &&
                is_rate(table.link_rate);

    at = text + used;
    for (int d = 0; d < HYB_RATE_DEPTHS; d++)
        for (int s = 0; s < HYB_RATE_SIZES; s++) {
            table.rate[d][s] = strtod(at, &at);
            good = good && is_rate(table.rate[d][s]);
        }
    good = good && format(&table, model, again) && strcmp(again, text) == 0;
    if (good)
        *table_p = table;
    return good;
}

bool hyb_rate_table_load(const char *model, hyb_rate_table_t *table_p)
{
    size_t bytes;
    char *text = hyb_cache_load(model, kind, &bytes);
    bool good = text != NULL && parse(text, model, table_p);

    if (text != NULL && !good)
        hyb_cache_ignore(model, kind, "tile rates");
    free(text);
    return good;
}

xh_status_t hyb_rate_table_save(const char *model,
                                const hyb_rate_table_t *table)
{
    char text[HYB_RATE_TEXT] = "";

    return format(table, model, text)
               ? hyb_cache_store(model, kind, text, strlen(text),
                                 "the tile rates")
               : XH_ERR_IO;
}

void hyb_rate_table_forget(const char *model)
{
    hyb_cache_remove(model, kind);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/plan_options.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "base/log.h"
#include "base/text.h"

enum { UNITS_MOST = 4 };

/* a unit: its letter, its factor, and the largest amount */
typedef struct {
    const char *letter;
    double factor, most;
} unit_t;

#define WHOLE "a whole number from 1 to 1048576, such as 4"

static const struct {
    const char *option, *allowed;
    int units;
    unit_t unit[UNITS_MOST];
} limits[] = {
    [XHPL_TIME] = {"time",
                   "a number of seconds, or with s, m or h, such as 10m",
                   4,
                   {{"s", 1.0, 1e7},
                    {"", 1.0, 1e7},
                    {"m", 60.0, 1e7},
                    {"h", 3600.0, 1e7}}},
    [XHPL_MEMORY] = {"memory",
                     "a part of what is available, such as 80%, or of each "
                     "node in M, G or T, such as 12G",
                     4,
                     {{"%", 0.01, 1.0},
                      {"M", 0x1p20, 1e18},
                      {"G", 0x1p30, 1e18},
                      {"T", 0x1p40, 1e18}}},
    [XHPL_NODES] = {"nodes", WHOLE, 1, {{"", 1.0, XHPL_PROCESSES_MOST}}},
    [XHPL_RANKS_PER_NODE] = {
        "ranks-per-node", WHOLE, 1, {{"", 1.0, XHPL_PROCESSES_MOST}}}};

static const unit_t *nearest_unit(xhpl_limit_t limit, const char *letter)
{
    const char *letters[UNITS_MOST];

    for (int i = 0; i < limits[limit].units; i++)
        letters[i] = limits[limit].unit[i].letter;
    return &limits[limit]
                .unit[xh_text_nearest(letter, letters, limits[limit].units)];
}

/* The valid amount that is nearest to amount; 0: none. */
static double nearest_amount(xhpl_limit_t limit, const unit_t *unit,
                             double amount)
{
    if (amount * unit->factor > unit->most)
        return floor(unit->most / unit->factor);
    return limit < XHPL_NODES ? amount : fmax(1.0, round(amount));
}

static void store_limit(xhpl_limit_t limit, const unit_t *unit, double amount,
                        xhpl_plan_options_t *options)
{
    bool is_share = unit->letter[0] == '%';

    amount *= unit->factor;
    if (limit == XHPL_TIME) {
        options->seconds = amount;
    } else if (limit == XHPL_MEMORY) {
        options->memory_share = is_share ? amount : 0.0;
        options->memory_bytes = is_share ? 0.0 : amount;
    } else {
        *(limit == XHPL_NODES ? &options->nodes : &options->ranks_per_node) =
            (int)amount;
    }
}

xh_status_t xhpl_plan_option_read(xhpl_limit_t limit, const char *text,
                                  xhpl_plan_options_t *options)
{
    size_t digits = strspn(text, "0123456789.");
    const unit_t *unit = nearest_unit(limit, text + digits);
    char number[32], advice[64] = "", *end;
    double amount, nearest;

    snprintf(number, sizeof(number), "%.*s", (int)fmin(31, digits), text);
    amount = strtod(number, &end);
    nearest = nearest_amount(limit, unit, amount);
    if (amount > 0.0 && amount == nearest && (size_t)(end - number) == digits &&
        strcmp(unit->letter, text + digits) == 0) {
        store_limit(limit, unit, amount, options);
        return XH_OK;
    }
    if (digits > 0 && nearest > 0.0 &&
        strncasecmp(unit->letter, text + digits, 1) == 0)
        snprintf(advice, sizeof(advice), "; the nearest is %.15g%s", nearest,
                 unit->letter);
    xh_log_error("--%s: '%.80s' is not allowed; allowed: %s%s",
                 limits[limit].option, text, limits[limit].allowed, advice);
    return XH_ERR_INPUT;
}

xhpl_extent_t xhpl_plan_option_extent(const xhpl_plan_options_t *options,
                                      const xhpl_extent_t *started)
{
    xhpl_extent_t extent = *started;

    if (options->nodes > 0)
        extent.nodes = options->nodes;
    if (options->ranks_per_node > 0)
        extent.ranks_per_node = options->ranks_per_node;
    if (options->nodes > 0 || options->ranks_per_node > 0)
        extent.processes = (int64_t)extent.nodes * extent.ranks_per_node;
    return extent;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/request.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "base/text.h"

/* a unit after a number, its factor, and the largest amount */
typedef struct {
    const char *letter;
    double factor, most;
} unit_t;

static const double memory_share = 0.8; /* without --memory */

enum {
    LONGEST = 10000000, /* s */
    LETTERS = 4         /* of a quantity */
};
#define MOST_MEMORY 1e18 /* bytes */

static const unit_t of_time[] = {{"s", 1.0, LONGEST},
                                 {"", 1.0, LONGEST},
                                 {"m", 60.0, LONGEST},
                                 {"h", 3600.0, LONGEST},
                                 {NULL, 0.0, 0.0}};
static const unit_t of_memory[] = {{"%", 0.01, 1.0},
                                   {"M", 0x1p20, MOST_MEMORY},
                                   {"G", 0x1p30, MOST_MEMORY},
                                   {"T", 0x1p40, MOST_MEMORY},
                                   {NULL, 0.0, 0.0}};
static const unit_t of_number[] = {{"", 1.0, XHPL_PROCESSES_MOST},
                                   {NULL, 0.0, 0.0}};

/*
 * The unit of text, which is a positive number and a unit; NULL: it is not.
 * amount_p  out  unchanged without a unit
 */
static const unit_t *read_amount(const char *text, const unit_t *units,
                                 double *amount_p)
{
    size_t digits = strspn(text, "0123456789.");
    char *end;
    double amount = strtod(text, &end);

    if (digits == 0 || end != text + digits || !(amount > 0.0) ||
        (units == of_number && amount != floor(amount)))
        return NULL;
    for (; units->letter != NULL; units++)
        if (strcmp(units->letter, end) == 0 &&
            amount * units->factor <= units->most) {
            *amount_p = amount * units->factor;
            return units;
        }
    return NULL;
}

static const unit_t *nearest_unit(const char *letter, const unit_t *units)
{
    const char *letters[LETTERS];
    int count;

    for (count = 0; units[count].letter != NULL; count++)
        letters[count] = units[count].letter;
    return &units[xh_text_nearest(letter, letters, count)];
}

/* "; the nearest is 12G" of "12GB"; "" without a number. */
static void print_nearest(const char *text, const unit_t *units,
                          char *nearest_p, size_t size)
{
    size_t digits = strspn(text, "0123456789.");
    const unit_t *unit = nearest_unit(text + digits, units);
    char number[32];
    double amount;

    snprintf(number, sizeof(number), "%.*s", (int)fmin(31, digits), text);
    amount = strtod(number, NULL);
    if (amount * unit->factor > unit->most)
        amount = floor(unit->most / unit->factor);
    if (units == of_number)
        amount = fmax(1.0, round(amount));
    *nearest_p = '\0';
    if (digits > 0 && amount > 0.0)
        snprintf(nearest_p, size, "; the nearest is %.15g%s", amount,
                 unit->letter);
}

/* Read the value of an option; text NULL: it was not given. */
static xh_status_t read_option(const char *option, const char *text,
                               const unit_t *units, const char *allowed,
                               double *amount_p)
{
    char nearest[64];

    if (text == NULL || read_amount(text, units, amount_p) != NULL)
        return XH_OK;
    print_nearest(text, units, nearest, sizeof(nearest));
    xh_log_error("%s: '%.80s' is not allowed; allowed: %s%s", option, text,
                 allowed, nearest);
    return XH_ERR_INPUT;
}

xh_status_t xhpl_request_read(const xhpl_request_words_t *words,
                              xhpl_request_t *request_p)
{
    static const char whole[] = "a whole number from 1 to 1048576, such as 4";
    double seconds = 0, memory = memory_share, nodes = 0, ranks = 0;
    bool is_share = words->memory == NULL || strchr(words->memory, '%') != NULL;
    xh_status_t status = read_option(
        "--time", words->time, of_time,
        "a number of seconds, or with s, m or h, such as 10m", &seconds);

    if (status == XH_OK)
        status = read_option("--memory", words->memory, of_memory,
                             "a part of what is available, such as 80%, or of "
                             "each node in M, G or T, such as 12G",
                             &memory);
    if (status == XH_OK)
        status = read_option("--nodes", words->nodes, of_number, whole, &nodes);
    if (status == XH_OK)
        status = read_option("--ranks-per-node", words->ranks_per_node,
                             of_number, whole, &ranks);
    if (status == XH_OK)
        *request_p =
            (xhpl_request_t){.seconds = seconds,
                             .memory_share = is_share ? memory : memory_share,
                             .memory_bytes = is_share ? 0.0 : memory,
                             .nodes = (int)nodes,
                             .ranks_per_node = (int)ranks};
    return status;
}

xhpl_extent_t xhpl_request_extent(const xhpl_request_t *request,
                                  const xhpl_extent_t *started)
{
    xhpl_extent_t extent = *started;

    if (request->nodes > 0)
        extent.nodes = request->nodes;
    if (request->ranks_per_node > 0)
        extent.ranks_per_node = request->ranks_per_node;
    if (request->nodes > 0 || request->ranks_per_node > 0)
        extent.processes = (int64_t)extent.nodes * extent.ranks_per_node;
    return extent;
}

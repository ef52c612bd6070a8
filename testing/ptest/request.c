/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/request.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "base/text.h"

/* A letter behind a number, what it stands for, and what it can be at most. */
typedef struct {
    const char *letter;
    double factor, most;
} unit_t;

static const double memory_share = 0.8; /* if nobody says */

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

/* A positive number and its unit, all of text; NULL: it is not. */
static const unit_t *read_amount(const char *text, const unit_t *units,
                                 double *amount_p)
{
    size_t digits = strspn(text, "0123456789.");
    char *end;
    double amount = strtod(text, &end);

    if (digits == 0 || end != text + digits || !(amount > 0.0))
        return NULL;
    for (; units->letter != NULL; units++)
        if (strcmp(units->letter, end) == 0) {
            *amount_p = amount * units->factor;
            return *amount_p <= units->most ? units : NULL;
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

/* "; the nearest is 12G" of "12GB"; "" where no number is. */
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

static xh_status_t refuse(const char *option, const char *text,
                          const unit_t *units, const char *allowed)
{
    char nearest[64];

    print_nearest(text, units, nearest, sizeof(nearest));
    xh_log_error("%s: '%.80s' is not allowed; allowed: %s%s", option, text,
                 allowed, nearest);
    return XH_ERR_INPUT;
}

static xh_status_t read_time(const char *text, double *seconds_p)
{
    double seconds;

    if (read_amount(text, of_time, &seconds) == NULL)
        return refuse("--time", text, of_time,
                      "a number of seconds, or with s, m or h, such as 10m");
    *seconds_p = seconds;
    return XH_OK;
}

static xh_status_t read_memory(const char *text, xhpl_request_t *request)
{
    double amount = 0.0;
    const unit_t *unit = read_amount(text, of_memory, &amount);

    if (unit == NULL)
        return refuse("--memory", text, of_memory,
                      "a part of what is available, such as 80%, or of each "
                      "node in M, G or T, such as 12G");
    if (unit == of_memory)
        request->memory_share = amount;
    else
        request->memory_bytes = amount;
    return XH_OK;
}

static xh_status_t read_number(const char *option, const char *text,
                               int *number_p)
{
    double number = 0.0;

    if (read_amount(text, of_number, &number) == NULL ||
        number != floor(number))
        return refuse(option, text, of_number,
                      "a whole number from 1 to 1048576, such as 4");
    *number_p = (int)number;
    return XH_OK;
}

xh_status_t xhpl_request_read(const xhpl_request_words_t *words,
                              xhpl_request_t *request_p)
{
    xhpl_request_t request = {.memory_share = memory_share};
    xh_status_t status = XH_OK;

    if (words->time != NULL)
        status = read_time(words->time, &request.seconds);
    if (status == XH_OK && words->memory != NULL)
        status = read_memory(words->memory, &request);
    if (status == XH_OK && words->nodes != NULL)
        status = read_number("--nodes", words->nodes, &request.nodes);
    if (status == XH_OK && words->ranks_per_node != NULL)
        status = read_number("--ranks-per-node", words->ranks_per_node,
                             &request.ranks_per_node);
    if (status == XH_OK)
        *request_p = request;
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

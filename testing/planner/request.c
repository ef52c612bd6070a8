/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/planner/request.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "base/log.h"

/* A letter behind a number, and what it stands for. */
typedef struct {
    const char *letter;
    double factor;
} unit_t;

static const double memory_share = 0.8; /* if nobody says */
static const double longest = 1e7;      /* s */
static const double most_memory = 1e18; /* bytes */

static const unit_t of_time[] = {
    {"s", 1.0}, {"", 1.0}, {"m", 60.0}, {"h", 3600.0}, {NULL, 0.0}};
static const unit_t of_memory[] = {
    {"%", 0.01}, {"M", 0x1p20}, {"G", 0x1p30}, {"T", 0x1p40}, {NULL, 0.0}};
static const unit_t of_number[] = {{"", 1.0}, {NULL, 0.0}};

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
            return units;
        }
    return NULL;
}

static xh_status_t refuse(const char *option, const char *text,
                          const char *allowed)
{
    xh_log_error("%s: '%.80s' is not allowed; allowed: %s", option, text,
                 allowed);
    return XH_ERR_INPUT;
}

static xh_status_t read_time(const char *text, double *seconds_p)
{
    double seconds;

    if (read_amount(text, of_time, &seconds) == NULL || seconds > longest)
        return refuse("--time", text,
                      "a number of seconds, or with s, m or h, such as 10m");
    *seconds_p = seconds;
    return XH_OK;
}

static xh_status_t read_memory(const char *text, xhpl_request_t *request)
{
    double amount = 0.0;
    const unit_t *unit = read_amount(text, of_memory, &amount);

    if (unit == NULL || amount > (unit == of_memory ? 1.0 : most_memory))
        return refuse("--memory", text,
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
        number > XHPL_PROCESSES_MOST || number != floor(number))
        return refuse(option, text, "a whole number from 1 to 1048576");
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

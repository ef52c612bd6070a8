/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "base/log.h"
#include "testing/ptest/weights.h"

typedef struct {
    const char *name; /* of the file */
    int processes;
    const char *const *host;
    int line;
    int *by_rank, *by_host; /* by process: the number of the line that gives its
                               rate; 0: none */
    double *rate;
} reading_t;

/* Is word the name of host, or the part before its first dot? */
static bool is_host(const char *word, const char *host)
{
    size_t length = strlen(word);

    return strncasecmp(word, host, length) == 0 &&
           (host[length] == '\0' || host[length] == '.');
}

static xh_status_t refuse_twice(const reading_t *r, const char *word, int line)
{
    xh_log_error("%s:%d: %.80s has a rate in line %d already", r->name, r->line,
                 word, line);
    return XH_ERR_INPUT;
}

static xh_status_t store_rank(reading_t *r, const char *word, double rate)
{
    long rank = strtol(word, NULL, 10);

    if (rank >= r->processes) {
        xh_log_error("%s:%d: this run has no rank %.20s: it has %d processes",
                     r->name, r->line, word, r->processes);
        return XH_ERR_INPUT;
    }
    if (r->by_rank[rank] > 0)
        return refuse_twice(r, word, r->by_rank[rank]);
    r->by_rank[rank] = r->line;
    r->rate[rank] = rate;
    return XH_OK;
}

/* Hosts without processes are ignored. */
static xh_status_t store_host(reading_t *r, const char *word, double rate)
{
    for (int i = 0; i < r->processes; i++) {
        if (!is_host(word, r->host[i]))
            continue;
        if (r->by_host[i] > 0)
            return refuse_twice(r, word, r->by_host[i]);
        r->by_host[i] = r->line;
        if (r->by_rank[i] == 0)
            r->rate[i] = rate;
    }
    return XH_OK;
}

static xh_status_t read_line(reading_t *r, char *line)
{
    char *rest, *end = NULL;
    char *word, *number;
    double rate;

    line[strcspn(line, "#\r")] = '\0';
    word = strtok_r(line, " \t", &rest);
    if (word == NULL)
        return XH_OK;
    number = strtok_r(NULL, " \t", &rest);
    rate = number != NULL ? strtod(number, &end) : NAN;
    if (!isfinite(rate) || rate <= 0.0 || *end != '\0' ||
        strtok_r(NULL, " \t", &rest) != NULL) {
        xh_log_error("%s:%d: '%.80s' needs one rate above 0; allowed: a host "
                     "or a rank, and a number, such as n17 0.5",
                     r->name, r->line, word);
        return XH_ERR_INPUT;
    }
    return word[strspn(word, "0123456789")] == '\0' ? store_rank(r, word, rate)
                                                    : store_host(r, word, rate);
}

static xh_status_t check_all_known(const reading_t *r)
{
    for (int i = 0; i < r->processes; i++)
        if (r->by_rank[i] == 0 && r->by_host[i] == 0) {
            xh_log_error("%s: no rate for rank %d on host %s", r->name, i,
                         r->host[i]);
            return XH_ERR_INPUT;
        }
    return XH_OK;
}

xh_status_t xhpl_weights_parse(const char *name, char *text, int processes,
                               const char *const *host, double *rate_p)
{
    int *lines = calloc(2 * (size_t)processes, sizeof(*lines));
    reading_t r = {name, processes, host, 0, lines, lines + processes, rate_p};
    xh_status_t status = lines != NULL ? XH_OK : XH_ERR_MEMORY;

    for (char *at = text; at != NULL && status == XH_OK;) {
        char *line = strsep(&at, "\n");

        r.line++;
        status = read_line(&r, line);
    }
    if (status == XH_OK)
        status = check_all_known(&r);
    free(lines);
    return status;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>
#include "base/sequence.h"
#include "testing/xdgemm/tune.h"

enum {
    SAMPLES = 8,  /* random configurations; the best one is then improved */
    MISSES = 1000 /* known random configurations in a row that end the search */
};

typedef struct {
    const hyb_gemm_parameter_t *parameters;
    int count;
    uint64_t random;
    xdg_rate_of_t *rate_of;
    void *context;
    xdg_search_t found;
    hyb_gemm_config_t *known; /* all configurations tried */
    int64_t room;             /* capacity of known */
    bool is_over;             /* no time is left */
    xh_status_t status;
} state_t;

typedef struct {
    hyb_gemm_config_t config;
    double rate;
} point_t;

static bool is_known(const state_t *s, const hyb_gemm_config_t *config)
{
    for (int64_t i = 0; i < s->found.tried; i++)
        if (memcmp(&s->known[i], config, sizeof(*config)) == 0)
            return true;
    return false;
}

static void remember(state_t *s, const hyb_gemm_config_t *config)
{
    if (s->found.tried == s->room) {
        int64_t room = 2 * s->room + 64;
        hyb_gemm_config_t *more =
            realloc(s->known, (size_t)room * sizeof(*more));

        if (more == NULL) {
            s->status = XH_ERR_MEMORY;
            s->is_over = true;
            return;
        }
        s->known = more;
        s->room = room;
    }
    s->known[s->found.tried++] = *config;
}

/* Ask for the rate of a configuration that is not known yet, and update *best
 * if it is better. */
static bool ask(state_t *s, const hyb_gemm_config_t *config, point_t *best)
{
    double rate;

    if (s->is_over || is_known(s, config))
        return false;
    rate = s->rate_of(s->context, config);
    if (rate < 0) {
        s->is_over = true;
        return false;
    }
    remember(s, config);
    if (rate > s->found.rate) {
        s->found.best = *config;
        s->found.rate = rate;
    }
    if (rate > best->rate)
        *best = (point_t){*config, rate};
    return true;
}

/* Set one parameter after another to each of its values, and keep the best. */
static void improve(state_t *s, point_t best)
{
    int unchanged = 0;

    for (int i = 0; unchanged < s->count && !s->is_over; i++) {
        const hyb_gemm_parameter_t *parameter = &s->parameters[i % s->count];
        const point_t before = best;

        for (int v = 0; v < parameter->count; v++) {
            hyb_gemm_config_t config = before.config;

            config.values[i % s->count] = parameter->values[v];
            ask(s, &config, &best);
        }
        unchanged = best.rate > before.rate ? 0 : unchanged + 1;
    }
}

static hyb_gemm_config_t random_config(state_t *s)
{
    hyb_gemm_config_t config = {{0}};

    for (int i = 0; i < s->count; i++) {
        const hyb_gemm_parameter_t *parameter = &s->parameters[i];

        s->random = xh_jump_apply(xh_jump_step, s->random);
        config.values[i] =
            parameter->values[(s->random >> 33) % (uint64_t)parameter->count];
    }
    return config;
}

/* The best of some random configurations; rate 0: there are no new ones, or
 * none works. */
static point_t best_of_some(state_t *s, int *misses)
{
    point_t best = {.rate = 0};

    for (int i = 0; i < SAMPLES && *misses < MISSES && !s->is_over;) {
        const hyb_gemm_config_t config = random_config(s);

        if (ask(s, &config, &best)) {
            *misses = 0;
            i++;
        } else {
            ++*misses;
        }
    }
    return best;
}

xh_status_t xdg_search(const hyb_gemm_parameter_t *parameters, int count,
                       const hyb_gemm_config_t *start, uint64_t random,
                       xdg_rate_of_t *rate_of, void *context,
                       xdg_search_t *search_p)
{
    state_t s = {.parameters = parameters,
                 .count = count,
                 .random = random,
                 .rate_of = rate_of,
                 .context = context};
    point_t from = {.rate = 0};
    int misses = 0;

    ask(&s, start, &from);
    while (!s.is_over && misses < MISSES) {
        if (from.rate > 0)
            improve(&s, from);
        from = best_of_some(&s, &misses);
    }
    free(s.known);
    if (s.status == XH_OK)
        *search_p = s.found;
    return s.status;
}

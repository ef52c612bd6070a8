/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/panel/panel_choice.h"

#include "hpl/comm/waits.h"
#include "hybrid/lu/state/flight.h"
#include "hybrid/lu/state/homes.h"
#include "hybrid/lu/state/lu.h"
#include "hybrid/lu/state/resources.h"
#include "hybrid/lu/tune/panel_pace.h"

struct hyb_panel_choice {
    const hyb_homes_t *homes;
    const hyb_resources_t *resources;
    const HPL_T_grid *grid; /* the processes of its column agree */
    const HPL_T_pmat *mat;
    hyb_panel_pace_t known;
    MPI_Request request; /* reduces the time of the last panel */
    int last;            /* the last panel */
    bool by_device;
    double seconds;
};

xh_status_t hyb_panel_choice_create(hyb_lu_t *lu)
{
    const hyb_residence_figures_t *figures = &lu->resources.figures;
    hyb_panel_choice_t *c = lu->homes.choice = calloc(1, sizeof(*c));

    if (c == NULL)
        return XH_ERR_MEMORY;
    *c = (hyb_panel_choice_t){.homes = &lu->homes,
                              .resources = &lu->resources,
                              .grid = lu->grid,
                              .mat = lu->mat,
                              .known.team_rate =
                                  figures->threads * figures->thread_rate,
                              .request = MPI_REQUEST_NULL};
    return XH_OK;
}

void hyb_panel_choice_destroy(hyb_panel_choice_t *c)
{
    free(c);
}

/* May the place `home` of a panel factor it, and is the setting `panel` equal
 * to `asked`? */
static bool panel_is(const hyb_panel_choice_t *c, const hyb_place_t *home,
                     const char *asked)
{
    return c->homes->can_factor && home != &c->homes->host &&
           strcmp(hyb_resources_panel(c->resources), asked) == 0;
}

/* Number of rows from panel k on. */
static int64_t rows_of(const hyb_panel_choice_t *c, int k)
{
    return c->mat->n - (int64_t)k * c->mat->nb;
}

static bool is_device(const hyb_panel_choice_t *c, int k,
                      const hyb_place_t *home)
{
    if (panel_is(c, home, "auto"))
        return hyb_panel_pace_choose_device(&c->known, rows_of(c, k));
    return panel_is(c, home, "device");
}

bool hyb_panel_choice_was_device(const hyb_panel_choice_t *c)
{
    const char *asked = hyb_resources_panel(c->resources);

    if (!c->homes->can_factor || strcmp(asked, "host") == 0)
        return false;
    return strcmp(asked, "device") == 0 || c->by_device;
}

/* Note a time; the slowest process of the process column counts. */
void hyb_panel_choice_note(hyb_panel_choice_t *c, int k, hyb_place_t *home,
                           bool by_device, double seconds)
{
    if (!panel_is(c, home, "auto"))
        return;
    c->last = k;
    c->by_device = by_device;
    c->seconds = seconds;
    if (!by_device) /* add the copies down and up */
        c->seconds += 2.0 * home->panel_seconds(home);
    MPI_Iallreduce(MPI_IN_PLACE, &c->seconds, 1, MPI_DOUBLE, MPI_MAX,
                   c->grid->col_comm, &c->request);
}

bool hyb_panel_choice_advance(hyb_panel_choice_t *c)
{
    if (hpl_waits_test(c->grid->col_comm, sizeof(c->seconds), &c->request))
        hyb_panel_pace_learn(&c->known, c->by_device, rows_of(c, c->last),
                             c->mat->nb, c->seconds);
    return c->request == MPI_REQUEST_NULL;
}

/* ---- how --------------------------------------------------------------------
 */

static hyb_panel_variant_t variant(HPL_T_FACT fact)
{
    if (fact == HPL_LEFT_LOOKING)
        return HYB_LEFT;
    return fact == HPL_CROUT ? HYB_CROUT : HYB_RIGHT;
}

static hyb_panel_method_t method(const HPL_T_palg *algo)
{
    return (hyb_panel_method_t){.base = variant(algo->pfact),
                                .recursion = variant(algo->rfact),
                                .base_cols = algo->nbmin,
                                .parts = algo->nbdiv};
}

void hyb_panel_choose(hyb_lu_t *lu, int k)
{
    static const hyb_panel_method_t of_devices = {HYB_RIGHT, HYB_RIGHT,
                                                  HYB_PANEL_STEP, 2};
    hyb_lu_panel_t *p = hyb_lu_panel(lu, k);

    p->by_device = hyb_lu_owns(lu, k) &&
                   is_device(lu->homes.choice, k, hyb_lu_panel_place(lu, k));
    p->method = p->by_device ? of_devices : method(lu->algo);
}

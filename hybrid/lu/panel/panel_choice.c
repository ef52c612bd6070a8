/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/panel/panel_choice.h"

#include "hpl/comm/waits.h"
#include "hybrid/lu/state/flight.h"
#include "hybrid/lu/state/homes.h"
#include "hybrid/lu/state/lu.h"
#include "hybrid/lu/state/resources.h"
#include "hybrid/lu/tune/panel_pace.h"

struct hyb_panel_choice {
    hyb_panel_pace_t known;
    MPI_Request request; /* it reduces what the last panel took */
    int last;            /* the last panel */
    bool by_device;
    double seconds;
};

xh_status_t hyb_panel_choice_create(hyb_lu_t *lu)
{
    const hyb_residence_figures_t *figures = &lu->resources.figures;
    struct hyb_panel_choice *c = lu->homes.choice = calloc(1, sizeof(*c));

    if (c == NULL)
        return XH_ERR_MEMORY;
    c->known.team_rate = figures->threads * figures->thread_rate;
    c->request = MPI_REQUEST_NULL;
    return XH_OK;
}

void hyb_panel_choice_destroy(hyb_lu_t *lu)
{
    free(lu->homes.choice);
}

/* May panel k's device factor it, and is the setting `panel` equal to
 * `asked`? */
static bool panel_is(const hyb_lu_t *lu, int k, const char *asked)
{
    return lu->homes.can_factor &&
           hyb_place_number(&lu->homes, hyb_lu_panel_block(lu, k)) > 0 &&
           strcmp(hyb_resources_panel(&lu->resources), asked) == 0;
}

/* n minus the columns before panel k. */
static int64_t rows_of(const hyb_lu_t *lu, int k)
{
    return lu->mat->n - (int64_t)k * lu->mat->nb;
}

static bool is_device(const hyb_lu_t *lu, int k)
{
    if (panel_is(lu, k, "auto"))
        return hyb_panel_pace_choose_device(&lu->homes.choice->known,
                                            rows_of(lu, k));
    return panel_is(lu, k, "device");
}

bool hyb_panel_choice_was_device(const hyb_lu_t *lu)
{
    const char *asked = hyb_resources_panel(&lu->resources);

    if (!lu->homes.can_factor || strcmp(asked, "host") == 0)
        return false;
    return strcmp(asked, "device") == 0 || lu->homes.choice->by_device;
}

/* The slowest process of the process column counts. */
void hyb_panel_choice_note(hyb_lu_t *lu, int k, bool by_device, double seconds)
{
    struct hyb_panel_choice *c = lu->homes.choice;
    hyb_place_t *home = hyb_lu_panel_place(lu, k);

    if (!panel_is(lu, k, "auto"))
        return;
    c->last = k;
    c->by_device = by_device;
    c->seconds = seconds;
    if (!by_device) /* down, and up again */
        c->seconds += 2.0 * home->panel_seconds(home);
    MPI_Iallreduce(MPI_IN_PLACE, &c->seconds, 1, MPI_DOUBLE, MPI_MAX,
                   lu->grid->col_comm, &c->request);
}

bool hyb_panel_choice_advance(hyb_lu_t *lu)
{
    struct hyb_panel_choice *c = lu->homes.choice;

    if (hpl_waits_test(lu->grid->col_comm, sizeof(c->seconds), &c->request))
        hyb_panel_pace_learn(&c->known, c->by_device, rows_of(lu, c->last),
                             lu->mat->nb, c->seconds);
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

    p->by_device = hyb_lu_owns(lu, k) && is_device(lu, k);
    p->method = p->by_device ? of_devices : method(lu->algo);
}

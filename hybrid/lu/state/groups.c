/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/state/groups.h"

#include <stdlib.h>
#include "base/integers.h"

/* How many panels has the group that panel k begins? */
static int width_at(int k, int panels, hyb_grouping_t how)
{
    /* How many groups follow at least, this one included? */
    int left = k < how.guests ? 2 : 4;
    int w = (int)xh_smaller(how.width, xh_larger((panels - k) / left, 1));

    if (k < how.guests)
        return w;
    if (k == 0 || (how.every > 0 && k % how.every == 0))
        return 1;
    return how.every > 0 ? (int)xh_smaller(w, how.every - k % how.every) : w;
}

xh_status_t hyb_groups_create(int panels, hyb_grouping_t how,
                              hyb_groups_t *groups_p)
{
    hyb_groups_t g = {.panels = panels, .width = 1};
    int number = 0;

    g.of = malloc(((size_t)panels + 1) * sizeof(*g.of));
    if (g.of == NULL)
        return XH_ERR_MEMORY;
    for (int first = 0; first < panels; number++) {
        int end = first + width_at(first, panels, how);

        g.width = (int)xh_larger(g.width, end - first);
        for (int k = first; k < end; k++)
            g.of[k] = (hyb_group_t){first, end, number};
        first = end;
    }
    *groups_p = g;
    return XH_OK;
}

void hyb_groups_destroy(hyb_groups_t *groups)
{
    free(groups->of);
}

void hyb_groups_cut(hyb_groups_t *groups, int first)
{
    hyb_group_t *of = groups->of, cut;

    if (first >= groups->panels || of[first].first == first)
        return;
    cut = of[first];
    for (int k = cut.first; k < first; k++)
        of[k].end = first;
    for (int k = first; k < groups->panels; k++) {
        of[k].first = (int)xh_larger(of[k].first, first);
        of[k].number++;
    }
}

hyb_group_t hyb_groups_closed(const hyb_groups_t *groups, int k)
{
    hyb_group_t here = groups->of[k];

    if (k == here.end - 1)
        return here;
    return here.first > 0 ? groups->of[here.first - 1] : (hyb_group_t){0};
}

/* In how many parts is a closed group applied to far columns? A group of one
 * panel is applied at once, as places keep it for two iterations only. */
static int parts_of(const hyb_groups_t *groups, int end, hyb_group_t closed)
{
    hyb_group_t next;

    if (closed.end >= end)
        return 1;
    next = groups->of[closed.end];
    return (int)xh_smaller(closed.end - closed.first, next.end - next.first);
}

/*
 * Do single panels begin to be applied to this column before the next group
 * closes? Then the closed group is applied just before: the column comes to a
 * device once for both, but two groups are never applied together.
 */
static bool is_near_soon(const hyb_groups_t *groups, hyb_group_t closed,
                         int64_t panel)
{
    return hyb_groups_is_near(panel, groups->of[closed.end].end - 1);
}

int hyb_groups_applied(const hyb_groups_t *groups, int end,
                       const hyb_far_t *far, int k)
{
    hyb_group_t closed = hyb_groups_closed(groups, k);
    int64_t count = far->blocks - far->from, parts, part;

    if (hyb_groups_is_near(far->panel, k))
        return k + 1;
    if (closed.end == 0)
        return 0;
    parts = parts_of(groups, end, closed);
    if (parts > 1 && is_near_soon(groups, closed, far->panel))
        return hyb_groups_is_near(far->panel, k + 1) ? closed.end
                                                     : closed.first;
    part = (far->block - far->from) * parts / xh_larger(count, 1);
    return part <= k - (closed.end - 1) ? closed.end : closed.first;
}

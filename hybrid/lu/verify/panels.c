/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/verify/carried_private.h"

#include "hpl/panel/pivots.h"

/* After its factorization nothing is left of the sums of a panel's columns. */

/* What L takes from the sums of the panel's column j, U's part of it in L1. */
static hyb_check_sums_t taken(const hyb_factor_sums_t *f, const HPL_T_panel *h,
                              int j)
{
    const double *u = h->L1 + (size_t)j * (size_t)h->jb;
    bool has_l1 = hpl_panel_top_rows(h) > 0;
    hyb_check_sums_t sum = {0.0, 0.0, 0.0};

    for (int p = 0; p <= j; p++) {
        double l = has_l1 ? f->plain[p] : f->plain[p] - f->l1[p];

        sum.plain -= l * u[p];
        sum.weighted -= f->weighted[p] * u[p];
        sum.squares += u[p] * u[p];
    }
    return sum;
}

/* In place of a variance: of no sum of others is this the sum. */
static const double unknown = -INFINITY;

static void raise_panel(hyb_lu_t *lu, int k, int j, double size, double bound)
{
    hyb_alarm_t alarm =
        hyb_alarm_at(lu, HYB_FOUND_PANEL, k, hyb_panel_run(lu, k).from + j);

    if (hyb_lu_panel(lu, k)->by_device)
        alarm.device =
            hyb_home_number(&lu->homes, hyb_lu_panel_block(lu, k)) - 1;
    alarm.size = size;
    alarm.expected = bound;
    hyb_alarm_raise(lu, &alarm);
}

bool hyb_is_left_over(hyb_lu_t *lu, int64_t column, hyb_alarm_t *alarm)
{
    const hyb_carried_column_t *c = &lu->carried->column[column];

    alarm->found = HYB_FOUND_PANEL;
    alarm->iteration++;
    alarm->size = fabs(c->plain);
    alarm->expected = hyb_column_bound(c, 0.0);
    hyb_note_closeness(lu, c->plain, 0.0, alarm->expected);
    return hyb_sums_differ(c->plain, 0.0, alarm->expected);
}

/* P = 1: once for all columns of a panel. */
static void compare_with_none(hyb_lu_t *lu, int k)
{
    hyb_run_t run = hyb_panel_run(lu, k);

    for (int64_t j = 0; j < run.count; j++) {
        const hyb_carried_column_t *c = &lu->carried->column[run.from + j];
        double bound = hyb_column_bound(c, 0.0);

        if (!c->is_known)
            continue;
        hyb_note_closeness(lu, c->plain, c->weighted, bound);
        if (hyb_sums_differ(c->plain, c->weighted, bound)) {
            raise_panel(lu, k, (int)j, fabs(c->plain), bound);
            return;
        }
    }
}

void hyb_check_panel(hyb_lu_t *lu, int k)
{
    const HPL_T_panel *h = hyb_lu_panel(lu, k)->hpl;
    hyb_run_t run = hyb_panel_run(lu, k);
    bool guest = hyb_homes_is_guest(&lu->homes, hyb_lu_panel_block(lu, k));

    for (int j = 0; j < run.count; j++) {
        hyb_check_sums_t sum = taken(hyb_factor_sums(lu, k), h, j);

        if (guest) /* the plain sum, as it came down */
            sum.weighted = sum.plain;
        hyb_carry(lu, k, run.from + j, 1, &sum);
    }
    if (lu->grid->nprow == 1 && !guest)
        compare_with_none(lu, k);
}

/* ---- P > 1: over the process column --------------------------------------
 *
 * Rows change places between processes while the panel is factored, so only
 * the sum over all of these is known. What is left is 0.
 */

/* Of L1 and the pivots, which all have alike: so few bits that they can be
 * summed as a number. */
static uint64_t bits_of_l1(hyb_lu_t *lu, int k)
{
    const HPL_T_panel *h = hyb_lu_panel(lu, k)->hpl;
    uint64_t bits = hyb_sums_bits(h->L1, (int64_t)h->jb * h->jb + h->jb + 1);

    return (bits ^ bits >> 32) & 0xffffffffu;
}

/* Is panel k - 1 to be checked so? */
static bool leaves_over(const hyb_lu_t *lu, int k)
{
    return lu->carried != NULL && lu->grid->nprow > 1 && k > lu->range.first &&
           hyb_lu_owns(lu, k - 1);
}

bool hyb_carried_can_open(hyb_lu_t *lu, int k)
{
    return !leaves_over(lu, k) || hyb_carried_is_filled(lu, k - 1);
}

void hyb_carried_open(hyb_lu_t *lu, int k)
{
    double *left;
    hyb_run_t run;

    if (lu->carried != NULL)
        hyb_finish_left_over(lu);
    if (!leaves_over(lu, k))
        return;
    left = lu->carried->left.over;
    run = hyb_panel_run(lu, k - 1);
    for (int64_t j = 0; j < run.count; j++) {
        const hyb_carried_column_t *c = &lu->carried->column[run.from + j];

        left[2 * j] = c->plain;
        left[2 * j + 1] = c->is_known ? c->variance : unknown;
    }
    left[2 * run.count] = (double)bits_of_l1(lu, k - 1);
    MPI_Iallreduce(MPI_IN_PLACE, left, 2 * (int)run.count + 1, MPI_DOUBLE,
                   MPI_SUM, lu->grid->col_comm, &lu->carried->left.request);
    lu->carried->left.k = k - 1;
}

/* (L U)(i, j) of row i of L1, or of L2. */
static double product(const hyb_lu_panel_t *p, const double *l, int64_t step,
                      int last, int j)
{
    const double *u = p->hpl->L1 + (size_t)j * (size_t)p->hpl->jb;
    double sum = 0.0;

    for (int c = 0; c < last; c++)
        sum += l[c * step] * u[c];
    return sum;
}

/* The same of a row of L2 that came as number i of those displaced. */
static double product_of_displaced(hyb_lu_t *lu, int k, int i, int j)
{
    double l[j + 1];

    hyb_displaced_row(lu, k, i, j + 1, l);
    return product(hyb_lu_panel(lu, k), l, 1, j + 1, j);
}

void hyb_keep_displaced(hyb_lu_t *lu, int k)
{
    hyb_lu_panel_t *p = hyb_lu_panel(lu, k);
    const hpl_pivots_t *m = hpl_panel_pivots(p->hpl);
    double *came = hyb_factor_sums(lu, k)->came;
    int top = hpl_panel_top_rows(p->hpl);

    for (int i = m->displace_offset[m->me]; i < m->displace_offset[m->me + 1];
         i++)
        for (int c = 0; c < p->hpl->jb; c++)
            came[i + (int64_t)c * p->hpl->jb] =
                *hyb_tiles_at(&p->factors.l2, m->displace[i].to - top, c);
}

/* And of a row of U. */
static double product_of_l1(const hyb_lu_panel_t *p, int row, int j)
{
    const HPL_T_panel *h = p->hpl;

    return product(p, h->L1 + row, h->jb, Mmin(row, j + 1), j) +
           (row <= j ? h->L1[row + (size_t)j * (size_t)h->jb] : 0.0);
}

/*
 * What is left of the sums of this process alone, if the top is not here: its
 * rows that went to U are taken as L1 U, those that came from the top are none
 * of its.
 */
static double own_left(hyb_lu_t *lu, int k, int j)
{
    const hyb_lu_panel_t *p = hyb_lu_panel(lu, k);
    const hpl_pivots_t *moves = hpl_panel_pivots(p->hpl);
    const int *gone = moves->gather_offset + moves->me;
    const int *come = moves->displace_offset + moves->me;
    double left = lu->carried->column[hyb_panel_run(lu, k).from + j].plain;

    for (int i = gone[0]; i < gone[1]; i++)
        left -= product_of_l1(p, moves->gather[i].to, j);
    for (int i = come[0]; i < come[1]; i++)
        left += product_of_displaced(lu, k, i, j);
    return isfinite(left) ? fabs(left) : INFINITY;
}

/* ---- rows that the top lost to others, as the panel was factored --------- */

/* Of those that were displaced, by their number: L U, wherever they are. */
static void products_of_displaced(hyb_lu_t *lu, int k, int j, double *product)
{
    const hpl_pivots_t *moves = hpl_panel_pivots(hyb_lu_panel(lu, k)->hpl);
    const int *come = moves->displace_offset + moves->me;
    int all = moves->displace_offset[moves->members];

    memset(product, 0, (size_t)all * sizeof(*product));
    for (int i = come[0]; i < come[1]; i++)
        product[i] = product_of_displaced(lu, k, i, j);
    MPI_Allreduce(MPI_IN_PLACE, product, all, MPI_DOUBLE, MPI_SUM,
                  lu->grid->col_comm);
}

/* What is left of both sums of the rows that the process of the top had, as
 * they were, wherever they are now. */
static hyb_check_sums_t top_left(hyb_lu_t *lu, int k, int j,
                                 const double *displaced)
{
    const hyb_lu_panel_t *p = hyb_lu_panel(lu, k);
    const hpl_pivots_t *m = hpl_panel_pivots(p->hpl);
    const hyb_carried_column_t *c =
        &lu->carried->column[hyb_panel_run(lu, k).from + j];
    const double *weight = hyb_row_weights(lu, 0) + p->hpl->ii;
    hyb_check_sums_t left = {c->plain, c->weighted, 0.0};

    for (int i = 0; i < m->gather_offset[m->members]; i++) {
        bool own = i < m->gather_offset[1];
        double u = product_of_l1(p, m->gather[i].to, j);

        left.plain += own ? 0.0 : u;
        left.weighted += (lu->carried->top[m->gather[i].to] -
                          (own ? weight[m->gather[i].from] : 0.0)) *
                         u;
    }
    for (int i = 0; i < m->displace_offset[m->members]; i++) {
        bool own = i < m->displace_offset[1];

        left.plain -= own ? 0.0 : displaced[i];
        left.weighted += ((own ? weight[m->displace[i].to] : 0.0) -
                          weight[m->displace[i].from]) *
                         displaced[i];
    }
    return left;
}

/* The column at which row t of the top left for another place. */
static int left_at(const HPL_T_panel *h, int t)
{
    int at = t;

    for (int i = 0; i < h->jb; i++) {
        int target = (int)h->DPIV[i] - h->ia;

        if (at == i && target >= h->jb)
            return i;
        if (at == i || at == target)
            at = at == i ? target : i;
    }
    return h->jb;
}

/* The member that had row `row` of the top's process as its column j was
 * eliminated. */
static int holder(HPL_T_panel *h, int64_t row, int j)
{
    const hpl_pivots_t *m = hpl_panel_pivots(h);

    for (int g = 1; g < m->members; g++)
        for (int i = m->displace_offset[g]; i < m->displace_offset[g + 1]; i++)
            if (m->displace[i].from == row)
                return left_at(h, (int)row) <= j ? g : 0;
    return 0;
}

/* The process has not the top: is it the one that has made a row of it wrong?
 * With the top: is none? */
static bool has_spoilt_top(hyb_lu_t *lu, int k, int j, double bound)
{
    HPL_T_panel *h = hyb_lu_panel(lu, k)->hpl;
    int me = hpl_panel_pivots(h)->me, member = 0;
    double displaced[h->jb];
    hyb_check_sums_t left;

    products_of_displaced(lu, k, j, displaced);
    if (me == 0) {
        left = top_left(lu, k, j, displaced);
        member = holder(h,
                        hyb_sums_row(hyb_row_weights(lu, 0) + h->ii, h->mp,
                                     left.plain, left.weighted, bound),
                        j);
    }
    MPI_Allreduce(MPI_IN_PLACE, &member, 1, MPI_INT, MPI_MAX,
                  lu->grid->col_comm);
    return me == member;
}

/* Numbers that are none spread to all that was made of them: were they in the
 * panel's columns here, which still are as they were? Of those that live on
 * devices this is known before. */
static bool had_no_numbers(hyb_lu_t *lu, int k)
{
    const HPL_T_panel *h = hyb_lu_panel(lu, k)->hpl;
    int top = hpl_panel_top_rows(h);

    if (hyb_lu_panel_home(lu, k) != &lu->homes.host)
        return false;
    for (int j = 0; j < h->jb; j++)
        if (hyb_sums_largest(h->top + top + (int64_t)j * h->lda, h->mp - top,
                             1) == INFINITY)
            return true;
    return false;
}

/* The process that had the row which became pivot j. A number that is none, or
 * far too large, is chosen as soon as it is there. */
static bool had_pivot(const hyb_lu_t *lu, const HPL_T_panel *h, int j)
{
    hpl_map_t map = hpl_map(lu->mat->nb, lu->grid->nprow, lu->grid->myrow);

    return hpl_map_owner(&map, (int64_t)h->DPIV[j]) == map.me;
}

/* Who has most left says so; if it is nobody, who has the top, or a row of it:
 * but rows that devices got of it are right, as they were agreed on. */
static void locate(hyb_lu_t *lu, int k, int j, double size, double bound)
{
    bool has_top = hpl_panel_top_rows(hyb_lu_panel(lu, k)->hpl) > 0, is_here;
    struct {
        double left;
        int row;
    } mine = {0.0, lu->grid->myrow}, most;

    if (!isfinite(size))
        mine.left = had_no_numbers(lu, k) ? INFINITY : 0.0;
    else if (!has_top)
        mine.left = own_left(lu, k, j);
    MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE_INT, MPI_MAXLOC,
                  lu->grid->col_comm);
    if (most.left >= 0.5 * size && most.left > 0.0)
        is_here = most.row == lu->grid->myrow;
    else if (!isfinite(size) || !isfinite(bound))
        is_here = had_pivot(lu, hyb_lu_panel(lu, k)->hpl, j);
    else
        is_here = hyb_lu_panel(lu, k)->by_device
                      ? has_top
                      : has_spoilt_top(lu, k, j, bound);
    if (is_here)
        raise_panel(lu, k, j, size, bound);
}

/* How many have the same L1 as this process; of other L1 the fewest. */
static int count_alike(hyb_lu_t *lu, int k, double sum, int *fewest_p)
{
    uint64_t mine = bits_of_l1(lu, k), all[lu->grid->nprow];
    int alike = 0;

    *fewest_p = lu->grid->nprow;
    if (sum == (double)mine * lu->grid->nprow)
        return lu->grid->nprow;
    MPI_Allgather(&mine, 1, MPI_UINT64_T, all, 1, MPI_UINT64_T,
                  lu->grid->col_comm);
    for (int i = 0; i < lu->grid->nprow; i++)
        alike += all[i] == mine;
    MPI_Allreduce(&alike, fewest_p, 1, MPI_INT, MPI_MIN, lu->grid->col_comm);
    return alike;
}

/* The first column of the panel whose sums differ, by size, or the number of
 * its columns. */
static int first_wrong(hyb_lu_t *lu, int k, double *size_p, double *bound_p)
{
    static const double huge = 1e100;
    int columns = (int)hyb_panel_run(lu, k).count, without_bound = columns;

    for (int j = 0; j < columns; j++) {
        const double *left = lu->carried->left.over + 2 * (int64_t)j;
        double size = isfinite(left[0]) ? fabs(left[0]) : INFINITY;
        double bound = hyb_noise_bound(left[1]);

        if (left[1] == unknown) /* somewhere */
            continue;
        hyb_note_closeness(lu, size, 0.0, bound);
        if (!hyb_sums_differ(size, 0.0, bound))
            continue;
        if (size < huge && !isfinite(bound)) { /* another column's fault */
            without_bound = Mmin(without_bound, j);
            continue;
        }
        *size_p = size;
        *bound_p = bound;
        return j;
    }
    *size_p = *bound_p = INFINITY;
    return without_bound;
}

/* Halves of the processes have another L1, or sums differ. */
static void find_culprit(hyb_lu_t *lu, int k, bool halves)
{
    int columns = (int)hyb_panel_run(lu, k).count, who;
    double size = 0.0, bound = 0.0;
    int j = first_wrong(lu, k, &size, &bound);

    if (!halves && j == columns)
        return;
    who = hyb_who_disagrees(lu, k);
    if (who < 0 && j < columns)
        locate(lu, k, j, size, bound);
    else if (who < 0 || who == lu->grid->myrow)
        raise_panel(lu, k, j < columns ? j : 0, size, bound);
}

/* Those say that a panel is wrong whose L1 the fewest have; where halves of
 * them differ, or none, what they agreed on tells who is right, or sums do. */
void hyb_finish_left_over(hyb_lu_t *lu)
{
    struct hyb_carried *c = lu->carried;
    int k = c->left.k, alike, fewest;
    bool halves;

    if (k < 0)
        return;
    MPI_Wait(&c->left.request, MPI_STATUS_IGNORE);
    c->left.k = -1;
    alike = count_alike(lu, k, c->left.over[2 * hyb_panel_run(lu, k).count],
                        &fewest);
    halves = 2 * fewest == lu->grid->nprow;
    if (alike == lu->grid->nprow || halves)
        find_culprit(lu, k, halves);
    else if (alike == fewest)
        raise_panel(lu, k, 0, 0.0, 0.0);
}

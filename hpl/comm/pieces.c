/* SPDX-License-Identifier: BSD-3-Clause */
#include "hpl.h"
#include "hpl/comm/pieces.h"

static int rank_of(const hpl_pieces_t *p, int member)
{
    member = (member + p->members) % p->members;
    if (member > 0)
        member += p->skip;
    return (p->root + member) % p->nprocs;
}

/* Add `count` pieces from `first` on; the last piece is followed by piece 0. */
static void move(hpl_schedule_add_t *add, hpl_schedule_t *s,
                 const hpl_pieces_t *p, int first, int count, int peer)
{
    int from = (first + p->members) % p->members, end = from + count;

    add(s, p->data + p->offset[from],
        p->offset[Mmin(end, p->members)] - p->offset[from], rank_of(p, peer));
    if (end > p->members)
        move(add, s, p, 0, end - p->members, peer);
}

void hpl_pieces_spread(hpl_schedule_t *s, const hpl_pieces_t *p)
{
    int me = p->me, n = p->members;
    int mask = 1; /* I receive the pieces of members me .. me + mask - 1 */

    while (mask < n && (me & mask) == 0)
        mask <<= 1;
    if (me > 0)
        move(hpl_schedule_receive, s, p, me, Mmin(mask, n - me), me - mask);
    hpl_schedule_next_round(s);
    for (mask >>= 1; mask > 0; mask >>= 1)
        if (me + mask < n)
            move(hpl_schedule_send, s, p, me + mask, Mmin(mask, n - me - mask),
                 me + mask);
    hpl_schedule_next_round(s);
}

void hpl_pieces_deal(hpl_schedule_t *s, const hpl_pieces_t *p, int sources)
{
    int me = p->me, n = p->members;

    for (int step = 1; step < n; step++) {
        int to = (me + step) % n, from = (me - step + n) % n;
        const size_t *mine = p->offset + me * n + to;
        const size_t *yours = p->offset + from * n + me;

        if (me < sources)
            hpl_schedule_send(s, p->data + mine[0], mine[1] - mine[0],
                              rank_of(p, to));
        if (from < sources)
            hpl_schedule_receive(s, p->data + yours[0], yours[1] - yours[0],
                                 rank_of(p, from));
    }
    hpl_schedule_next_round(s);
}

void hpl_pieces_roll(hpl_schedule_t *s, const hpl_pieces_t *p,
                     hpl_pieces_start_t start)
{
    int me = p->me;

    for (int step = 0; step < p->members - 1; step++) {
        if (start != HPL_FIRST_HAS_ALL || me + 1 < p->members)
            move(hpl_schedule_send, s, p, me - step, 1, me + 1);
        if (start != HPL_FIRST_HAS_ALL || me > 0)
            move(hpl_schedule_receive, s, p, me - step - 1, 1, me - 1);
        hpl_schedule_next_round(s);
    }
}

void hpl_pieces_double(hpl_schedule_t *s, const hpl_pieces_t *p)
{
    int count, me = p->me;

    for (int have = 1; have < p->members; have *= 2) {
        count = Mmin(have, p->members - have);
        move(hpl_schedule_send, s, p, me, count, me - have);
        move(hpl_schedule_receive, s, p, me + have, count, me + have);
        hpl_schedule_next_round(s);
    }
}

void hpl_pieces_recut(hpl_schedule_t *s, const hpl_pieces_t *p,
                      const size_t *offset)
{
    const size_t *mine = p->offset + p->me, *will_be = offset + p->me;
    size_t from, to;

    for (int g = 0; g < p->members; g++) {
        if (g == p->me)
            continue;
        from = Mmax(mine[0], offset[g]);
        to = Mmin(mine[1], offset[g + 1]);
        if (from < to)
            hpl_schedule_send(s, p->data + from, to - from, rank_of(p, g));
        from = Mmax(will_be[0], p->offset[g]);
        to = Mmin(will_be[1], p->offset[g + 1]);
        if (from < to)
            hpl_schedule_receive(s, p->data + from, to - from, rank_of(p, g));
    }
    hpl_schedule_next_round(s);
}

void hpl_pieces_even(size_t *offset, int members, size_t total)
{
    for (int g = 0; g <= members; g++)
        offset[g] = total / (size_t)members * (size_t)g +
                    total % (size_t)members * (size_t)g / (size_t)members;
}

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

/* pieces first .. last - 1, in one message */
static void send_run(hpl_schedule_t *s, const hpl_pieces_t *p, int first,
                     int last, int to)
{
    hpl_schedule_send(s, p->data + p->offset[first],
                      p->offset[last] - p->offset[first], rank_of(p, to));
}

static void receive_run(hpl_schedule_t *s, const hpl_pieces_t *p, int first,
                        int last, int from)
{
    hpl_schedule_receive(s, p->data + p->offset[first],
                         p->offset[last] - p->offset[first], rank_of(p, from));
}

typedef void (*run_fn_t)(hpl_schedule_t *, const hpl_pieces_t *, int, int, int);

/* count pieces from first on, where the piece after the last is piece 0 */
static void wrapped(run_fn_t run, hpl_schedule_t *s, const hpl_pieces_t *p,
                    const int first_count[2], int peer)
{
    int first = (first_count[0] + p->members) % p->members;
    int end = first + first_count[1];

    run(s, p, first, Mmin(end, p->members), peer);
    if (end > p->members)
        run(s, p, 0, end - p->members, peer);
}

void hpl_pieces_spread(hpl_schedule_t *s, const hpl_pieces_t *p)
{
    int me = p->me, n = p->members;
    int mask = 1; /* I receive the pieces of members me .. me + mask - 1 */

    while (mask < n && (me & mask) == 0)
        mask <<= 1;
    if (me > 0)
        receive_run(s, p, me, Mmin(me + mask, n), me - mask);
    hpl_schedule_next_round(s);
    for (mask >>= 1; mask > 0; mask >>= 1)
        if (me + mask < n)
            send_run(s, p, me + mask, Mmin(me + 2 * mask, n), me + mask);
    hpl_schedule_next_round(s);
}

typedef enum { FIRST_HAS_ITS_OWN, FIRST_HAS_ALL } start_t;

static void roll(hpl_schedule_t *s, const hpl_pieces_t *p, start_t start)
{
    int me = p->me;

    for (int step = 0; step < p->members - 1; step++) {
        if (start != FIRST_HAS_ALL || me + 1 < p->members)
            wrapped(send_run, s, p, (int[]){me - step, 1}, me + 1);
        if (start != FIRST_HAS_ALL || me > 0)
            wrapped(receive_run, s, p, (int[]){me - step - 1, 1}, me - 1);
        hpl_schedule_next_round(s);
    }
}

void hpl_pieces_roll(hpl_schedule_t *s, const hpl_pieces_t *p)
{
    roll(s, p, FIRST_HAS_ITS_OWN);
}

void hpl_pieces_roll_from_first(hpl_schedule_t *s, const hpl_pieces_t *p)
{
    roll(s, p, FIRST_HAS_ALL);
}

void hpl_pieces_double(hpl_schedule_t *s, const hpl_pieces_t *p)
{
    int count, me = p->me;

    for (int have = 1; have < p->members; have *= 2) {
        count = Mmin(have, p->members - have);
        wrapped(send_run, s, p, (int[]){me, count}, me - have + p->members);
        wrapped(receive_run, s, p, (int[]){me + have, count}, me + have);
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

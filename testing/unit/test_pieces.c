/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks: 1 9 */
#include "testing/unit/unit_mpi.h"

#include <math.h>
#include "hpl.h"
#include "hpl/comm/pieces.h"
#include "testing/unit/small_system.h"

enum { MOST = 10, TAG = 3 };

typedef struct {
    hpl_pieces_t pieces;
    size_t offset[MOST], other[MOST]; /* two ways to cut */
    double *data;
    MPI_Comm comm;
} setting_t;

/* value i of the vector */
static double value(size_t i)
{
    return (double)i + 0.25;
}

/* Ways to cut a vector: even, uneven, all to one member, nothing at all. */
enum { EVEN, UNEVEN, ONLY_LAST, ONLY_FIRST, NOTHING, CUTS };

static size_t size_of_piece(int cut, int members, int g)
{
    switch (cut) {
    case EVEN:
        return 12;
    case UNEVEN:
        return (size_t)(g * 7 % 5); /* some are empty */
    case ONLY_LAST:
        return g == members - 1 ? 31 : 0;
    case ONLY_FIRST:
        return g == 0 ? 31 : 0;
    default:
        return 0;
    }
}

static void cut(size_t *offset, int members, int way)
{
    offset[0] = 0;
    for (int g = 0; g < members; g++)
        offset[g + 1] = offset[g] + size_of_piece(way, members, g);
}

/* Make NaN of the vector but for pieces first .. last - 1. */
static void keep_only(setting_t *s, int first, int last)
{
    const size_t *offset = s->offset;

    for (size_t i = 0; i < offset[s->pieces.members]; i++)
        s->data[i] = i >= offset[first] && i < offset[last] ? value(i) : NAN;
}

/* How many values between two positions are not the vector's. */
static int wrong(const setting_t *s, size_t from, size_t to)
{
    int errors = 0;

    for (; from < to; from++)
        errors += s->data[from] != value(from);
    return errors;
}

/* One case: pieces are moved; returns my wrong values. */
typedef int (*case_t)(setting_t *s, hpl_schedule_t *schedule);

static int run_on(case_t one, setting_t *s)
{
    int errors, n = s->pieces.members;
    hpl_schedule_t *schedule = hpl_schedule_create(s->comm, TAG);

    s->data = calloc(s->offset[n] + 1, sizeof(double));
    s->pieces.data = s->data;
    s->pieces.offset = s->offset;
    s->data[s->offset[n]] = -1.0;
    errors = one(s, schedule);
    errors += s->data[s->offset[n]] != -1.0;
    free(s->data);
    return errors;
}

static void move(hpl_schedule_t *schedule)
{
    hpl_schedule_begin(schedule);
    hpl_schedule_end(schedule);
}

/* Every root and cut for the processes of s->comm; skip of them left out. */
static int run_all_cuts(case_t one, setting_t *s, int rank)
{
    int relative, errors = 0;
    hpl_pieces_t *p = &s->pieces;

    for (p->root = 0; p->root < p->nprocs; p->root++)
        for (int way = 0; way < CUTS; way++) {
            relative = (rank - p->root + p->nprocs) % p->nprocs;
            if (relative > 0 && relative <= p->skip)
                continue;
            p->me = relative > 0 ? relative - p->skip : 0;
            p->members = p->nprocs - p->skip;
            cut(s->offset, p->members, way);
            errors += run_on(one, s);
        }
    return errors;
}

/* The same on the first 1, 2, ... processes of the job. */
static void run_everywhere(case_t one)
{
    int rank = unit_rank(), errors = 0;
    setting_t s;

    for (int nprocs = 1; nprocs <= unit_processes(); nprocs++) {
        MPI_Comm_split(MPI_COMM_WORLD, rank < nprocs ? 0 : MPI_UNDEFINED, rank,
                       &s.comm);
        if (s.comm == MPI_COMM_NULL)
            continue;
        for (int skip = 0; skip <= 1 && skip < nprocs; skip++) {
            s.pieces = (hpl_pieces_t){.skip = skip, .nprocs = nprocs};
            errors += run_all_cuts(one, &s, rank);
        }
        MPI_Comm_free(&s.comm);
    }
    assert_int_equal(errors, 0);
}

static int spread(setting_t *s, hpl_schedule_t *schedule)
{
    int me = s->pieces.me;

    keep_only(s, 0, me == 0 ? s->pieces.members : 0);
    hpl_pieces_spread(schedule, &s->pieces);
    move(schedule);
    return wrong(s, s->offset[me], s->offset[me + 1]);
}

TEST_CALL(spreading_gives_each_member_its_piece, run_everywhere(spread))

static int roll(setting_t *s, hpl_schedule_t *schedule)
{
    keep_only(s, s->pieces.me, s->pieces.me + 1);
    hpl_pieces_roll(schedule, &s->pieces, HPL_FIRST_HAS_ITS_OWN);
    move(schedule);
    return wrong(s, 0, s->offset[s->pieces.members]);
}

TEST_CALL(rolling_gives_all_pieces_to_all, run_everywhere(roll))

static int doubling(setting_t *s, hpl_schedule_t *schedule)
{
    keep_only(s, s->pieces.me, s->pieces.me + 1);
    hpl_pieces_double(schedule, &s->pieces);
    move(schedule);
    return wrong(s, 0, s->offset[s->pieces.members]);
}

TEST_CALL(doubling_gives_all_pieces_to_all, run_everywhere(doubling))

static int recut(setting_t *s, hpl_schedule_t *schedule)
{
    int me = s->pieces.me, members = s->pieces.members;

    hpl_pieces_even(s->other, members, s->offset[members]);
    keep_only(s, me, me + 1);
    hpl_pieces_recut(schedule, &s->pieces, s->other);
    move(schedule);
    return wrong(s, s->other[me], s->other[me + 1]);
}

TEST_CALL(recutting_gives_each_member_its_new_piece, run_everywhere(recut))

/* Pieces of total units for members differ by more than one, or do not add up.
 */
static int uneven(int members, size_t total)
{
    size_t offset[MOST], piece, least = total / (size_t)members;
    int errors;

    hpl_pieces_even(offset, members, total);
    errors = offset[0] != 0 || offset[members] != total;
    for (int g = 0; g < members; g++) {
        piece = offset[g + 1] - offset[g];
        errors += piece != least && piece != least + 1;
    }
    return errors;
}

TEST(even_pieces_differ_by_one_at_most)
{
    int errors = 0;

    for (int members = 1; members < MOST; members++) {
        for (size_t total = 0; total < 100; total++)
            errors += uneven(members, total);
        errors += uneven(members, SIZE_MAX - 5);
        errors += uneven(members, ((size_t)1 << 31) + 1);
    }
    assert_int_equal(errors, 0);
}

TEST_MPI_MAIN()

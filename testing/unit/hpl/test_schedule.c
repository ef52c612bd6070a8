/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks: 1 2 5 */
#include "testing/unit/unit_mpi.h"

#include "hpl.h"
#include "hpl/comm/schedule.h"

enum { LONGEST = 2500, TAG = 7 };

/* what was given to MPI since the last reset */
static struct {
    int messages, longest;
} sent;

/* Stands before the library's: MPI lets a program look in. */
int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag,
              MPI_Comm comm, MPI_Request *request)
{
    sent.messages++;
    sent.longest = Mmax(sent.longest, count);
    return PMPI_Isend(buffer, count, type, to, tag, comm, request);
}

/* my place in a ring of all processes */
typedef struct {
    int size, me, left, right;
} ring_t;

static ring_t ring(void)
{
    ring_t r;

    r.size = unit_processes();
    r.me = unit_rank();
    r.left = (r.me + r.size - 1) % r.size;
    r.right = (r.me + 1) % r.size;
    return r;
}

static void fill(double *v, size_t count, int owner)
{
    for (size_t i = 0; i < count; i++)
        v[i] = owner * 1e6 + (double)i;
}

/* How many of v's values are not those of owner. */
static int wrong(const double *v, size_t count, int owner)
{
    int errors = 0;

    for (size_t i = 0; i < count; i++)
        errors += v[i] != owner * 1e6 + (double)i;
    return errors;
}

static void finish(hpl_schedule_t *s)
{
    hpl_schedule_begin(s);
    hpl_schedule_end(s);
}

/* Everybody sends count doubles to the right; returns wrong ones received. */
static int pass_right(size_t count)
{
    static double out[LONGEST], in[LONGEST + 1];
    hpl_schedule_t *s = hpl_schedule_create(MPI_COMM_WORLD, TAG);
    ring_t r = ring();

    fill(out, LONGEST, r.me);
    in[count] = -1.0;
    hpl_schedule_receive(s, in, count, r.left);
    hpl_schedule_send(s, out, count, r.right);
    finish(s);
    return wrong(in, count, r.left) + (in[count] != -1.0);
}

TEST(a_message_arrives_whole_whatever_the_chunk)
{
    static const size_t chunks[] = {1, 7, 1000, LONGEST, (size_t)1 << 26};
    static const size_t counts[] = {0, 1, 7, 999, 1000, 1001, 2000, LONGEST};
    size_t usual = hpl_message_chunk;
    int errors = 0;

    for (size_t c = 0; c < COUNT_OF(chunks); c++)
        for (size_t n = 0; n < COUNT_OF(counts); n++) {
            hpl_message_chunk = chunks[c];
            errors += pass_right(counts[n]);
        }
    hpl_message_chunk = usual;
    assert_int_equal(errors, 0);
}

/* No message is longer than the chunk; none is cut into more than 1024. */
TEST(a_message_is_cut_by_the_chunk)
{
    size_t usual = hpl_message_chunk;

    sent.messages = sent.longest = 0;
    hpl_message_chunk = 1000;
    assert_int_equal(pass_right(LONGEST), 0);
    assert_int_equal(sent.messages, 3);
    assert_int_equal(sent.longest, 1000);
    sent.messages = 0;
    hpl_message_chunk = 1;
    assert_int_equal(pass_right(LONGEST), 0);
    assert_in_range(sent.messages, 501, 1024);
    hpl_message_chunk = usual;
}

TEST(a_schedule_may_be_freed_unbegun_or_null)
{
    hpl_schedule_t *s = hpl_schedule_create(MPI_COMM_WORLD, TAG);
    double value = 0.0;

    hpl_schedule_send(s, &value, 1, ring().right);
    hpl_schedule_end(s);
    hpl_schedule_end(NULL);
    assert_int_equal(pass_right(1), 0); /* nothing was sent */
}

/* Receive rank 0's vector from the left, then send it on to the right. */
static hpl_schedule_t *relay(double *v, size_t count, int tag)
{
    hpl_schedule_t *s = hpl_schedule_create(MPI_COMM_WORLD, tag);
    ring_t r = ring();

    fill(v, count, r.me);
    if (r.me > 0)
        hpl_schedule_receive(s, v, count, r.left);
    hpl_schedule_next_round(s);
    hpl_schedule_next_round(s); /* an empty round does no harm */
    if (r.right > 0)
        hpl_schedule_send(s, v, count, r.right);
    return s;
}

/* Rank 0 begins last: who does not wait for its values sends wrong ones. */
TEST(a_round_waits_for_the_one_before)
{
    double v[100];
    hpl_schedule_t *s = relay(v, 100, TAG);
    ring_t r = ring();

    if (r.me > 0)
        hpl_schedule_begin(s);
    MPI_Barrier(MPI_COMM_WORLD);
    if (r.me == 0)
        hpl_schedule_begin(s);
    hpl_schedule_end(s);
    assert_int_equal(wrong(v, 100, 0), 0);
}

TEST(schedules_of_different_tags_do_not_mix)
{
    enum { IN_FLIGHT = 4 };
    double v[IN_FLIGHT][100];
    hpl_schedule_t *s[IN_FLIGHT];
    int errors = 0;

    for (int i = 0; i < IN_FLIGHT; i++) {
        s[i] = relay(v[i], 100, TAG + i);
        if (ring().me == 0)
            v[i][0] = i;
    }
    for (int i = 0; i < IN_FLIGHT; i++) /* in another order on every process */
        hpl_schedule_begin(s[(i + ring().me) % IN_FLIGHT]);
    for (int i = IN_FLIGHT - 1; i >= 0; i--) {
        while (!hpl_schedule_poll(s[i]))
            hpl_schedule_poll(s[0]);
        hpl_schedule_end(s[i]);
        errors += v[i][0] != i;
    }
    assert_int_equal(errors, 0);
}

/* Receive rank 0's vector in pieces from the left, and send each on. */
static hpl_schedule_t *relay_pieces(double *v, size_t piece, int pieces)
{
    hpl_schedule_t *first = hpl_schedule_create(MPI_COMM_WORLD, TAG);
    hpl_schedule_t *s = first;
    ring_t r = ring();

    fill(v, piece * (size_t)pieces, r.me);
    for (int i = 0; i < pieces; i++, v += piece) {
        if (i > 0)
            s = hpl_schedule_beside(s);
        if (r.me > 0)
            hpl_schedule_receive(s, v, piece, r.left);
        hpl_schedule_next_round(s);
        if (r.right > 0)
            hpl_schedule_send(s, v, piece, r.right);
    }
    return first;
}

TEST(pieces_are_passed_on_in_their_order)
{
    enum { PIECE = 100, PIECES = 7 };
    double v[PIECE * PIECES];
    hpl_schedule_t *s = relay_pieces(v, PIECE, PIECES);
    int errors;

    hpl_schedule_begin(s);
    while (!hpl_schedule_poll(s))
        ;
    errors = wrong(v, PIECE * PIECES, 0);
    hpl_schedule_end(s);
    s = relay_pieces(v, PIECE, PIECES);
    hpl_schedule_begin(s);
    hpl_schedule_end(s);
    assert_int_equal(errors + wrong(v, PIECE * PIECES, 0), 0);
}

/* The one to the right takes nothing until the last but one has all. */
TEST(a_piece_is_here_before_it_is_passed_on)
{
    enum { PIECE = 200000, PIECES = 2, CALL = TAG + 1 };
    static double v[PIECE * PIECES];
    hpl_schedule_t *s = relay_pieces(v, PIECE, PIECES);
    ring_t r = ring();
    int last = r.size - 1, errors = 0;

    if (r.me < last || last == 0)
        hpl_schedule_begin(s);
    if (r.me == last - 1) {
        while (!hpl_schedule_poll(s) && !hpl_schedule_has_received(s))
            ;
        errors = wrong(v, PIECE * PIECES, 0);
        HPL_send(v, 1, last, CALL, MPI_COMM_WORLD);
    }
    if (r.me == last && last > 0) {
        HPL_recv(v, 1, last - 1, CALL, MPI_COMM_WORLD);
        hpl_schedule_begin(s);
    }
    hpl_schedule_end(s);
    assert_int_equal(errors + wrong(v, PIECE * PIECES, 0), 0);
}

/* Those that are empty are none. */
TEST(blocking_messages_cross_without_a_deadlock)
{
    static double out[LONGEST], in[LONGEST];
    size_t usual = hpl_message_chunk;
    ring_t r = ring();
    int partner = (r.me ^ 1) < r.size ? r.me ^ 1 : r.me; /* or myself */
    int mine = LONGEST - r.me, theirs = LONGEST - partner;

    hpl_message_chunk = 1000;
    fill(out, LONGEST, r.me);
    HPL_sdrv(out, mine, 10 + r.me, in, theirs, 10 + partner, partner,
             MPI_COMM_WORLD);
    hpl_message_chunk = usual;
    assert_int_equal(wrong(in, (size_t)theirs, partner), 0);
    for (int empty = -1; empty <= 0; empty++)
        assert_int_equal(HPL_send(out, empty, r.right, TAG, MPI_COMM_WORLD),
                         HPL_SUCCESS);
    assert_int_equal(HPL_recv(in, 0, r.left, TAG, MPI_COMM_WORLD), HPL_SUCCESS);
    assert_int_equal(pass_right(3), 0);
}

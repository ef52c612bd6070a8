/* SPDX-License-Identifier: BSD-3-Clause */
/* needs: blas isa threads */
#include "testing/unit/unit.h"

#include <math.h>
#include <pthread.h>
#include "base/cpu.h"
#include "base/memory.h"
#include "hybrid/cpu/update/pack.h"
#include "hybrid/cpu/panel/panel.h"
#include "testing/unit/cpu/kernels.h"
#include "testing/unit/cpu/textbook_lu.h"

/* How many times fewer cases: a sanitizer takes ten times as long for each. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { PART = 5 };
#else
enum { PART = 1 };
#endif

enum { MOST_COLS = 70, MOST_PROCESSES = 2, MOST_MEMBERS = 4 };

/* ---- panels on one or two processes -------------------------------------- */

/* A panel: nb rows of the top, then those below on each process. */
typedef struct {
    const hyb_kernel_t *kernel;
    hyb_panel_method_t method;
    int nb, processes, members;
    int below[MOST_PROCESSES];
    double (*element)(int i, int j);
} case_t;

/* What is on the table while processes agree. */
typedef struct {
    pthread_barrier_t barrier;
    hyb_pivot_t offers[MOST_PROCESSES];
} meeting_t;

typedef struct {
    const case_t *x;
    const textbook_lu_t *a;
    meeting_t *meeting;
    int rank;
    hyb_panel_scratch_t *scratch;
    hyb_panel_t panel;
    int64_t pivot[MOST_COLS];
    double l1[MOST_COLS * MOST_COLS], top[MOST_COLS * MOST_COLS];
    double candidates[MOST_COLS][MOST_COLS]; /* agreed on, by pivot */
    int zero;
    int columns;  /* how often agree was called */
    int leaves;   /* how often a leaf began or ended */
    int failures; /* what another thread than cmocka's saw */
    size_t bytes; /* of the body */
} process_t;

static textbook_lu_t drawn(const case_t *x)
{
    static int64_t pivot[MOST_COLS];
    int rows = x->nb + x->below[0] + x->below[1];
    textbook_lu_t t = {.ld = rows, .rows = rows, .cols = x->nb, .pivot = pivot};

    t.a = malloc((size_t)(t.rows * t.cols) * sizeof(double));
    assert_non_null(t.a);
    for (int j = 0; j < t.cols; j++)
        for (int i = 0; i < t.rows; i++)
            *textbook_at(&t, i, j) = x->element(i, j);
    return t;
}

static xh_view_t view_of(const textbook_lu_t *a, int64_t row, int64_t rows)
{
    return (xh_view_t){textbook_at(a, row, 0), rows, a->cols, a->ld};
}

/* The row of the whole panel at which the body of this process begins. */
static int first_below(const case_t *x, int rank)
{
    return x->nb + (rank == 0 ? 0 : x->below[0]);
}

/* What fills up the last tile is none of the panel's business. */
static void spoil_filling(const hyb_tiles_t *t)
{
    int64_t end = hyb_pack_size(t->rows, 1, t->height);

    for (int64_t j = 0; j < t->cols; j++)
        for (int64_t i = t->rows; i < end; i++)
            *hyb_tiles_at(t, i, j) = 1e300;
}

static void agree(void *context, hyb_pivot_t *pivot)
{
    process_t *p = context;
    hyb_pivot_t *offers = p->meeting->offers;
    double candidate[MOST_COLS], current[MOST_COLS];
    size_t bytes = (size_t)p->x->nb * sizeof(double);
    int best;

    offers[p->rank] = *pivot;
    pthread_barrier_wait(&p->meeting->barrier);
    best = offers[1].key > offers[0].key ? 1 : 0;
    memcpy(candidate, offers[best].candidate, bytes);
    memcpy(current, offers[0].current, bytes);
    pivot->mine = best == p->rank;
    pivot->row = offers[best].row + (best == 1 ? first_below(p->x, 1) : 0);
    pthread_barrier_wait(&p->meeting->barrier);
    memcpy(pivot->candidate, candidate, bytes);
    memcpy(pivot->current, current, bytes);
    memcpy(p->candidates[p->columns++], candidate, bytes);
}

static void count_leaf(void *context)
{
    process_t *p = context;

    p->leaves++;
}

static void open_body(process_t *p)
{
    const case_t *x = p->x;
    hyb_tiles_t *body = &p->panel.body;
    void *memory;

    *body = (hyb_tiles_t){
        .rows = x->below[p->rank], .cols = x->nb, .height = x->kernel->rows};
    p->bytes = (size_t)hyb_pack_size(body->rows, body->cols, body->height) *
               sizeof(double);
    assert_ok(xh_memory_allocate(p->bytes, &memory));
    body->data = memory;
}

static void fill_process(process_t *p)
{
    const case_t *x = p->x;
    hyb_panel_t *panel = &p->panel;

    hyb_pack(view_of(p->a, first_below(x, p->rank), x->below[p->rank]),
             XH_NO_TRANS, 1.0, panel->body.height, panel->body.data);
    spoil_filling(&panel->body);
    panel->method = x->method;
    panel->top =
        (xh_view_t){p->top, p->rank == 0 ? x->nb : 0, x->nb, MOST_COLS};
    for (int j = 0; j < x->nb; j++)
        for (int i = 0; i < panel->top.rows; i++)
            p->top[i + j * MOST_COLS] = *textbook_at(p->a, i, j);
    panel->l1 = (xh_view_t){p->l1, x->nb, x->nb, MOST_COLS};
    panel->pivot = p->pivot;
    panel->zero_p = &p->zero;
    panel->agree = x->processes > 1 ? agree : NULL;
    panel->leaf = count_leaf;
    panel->context = p;
    p->zero = -1;
    p->columns = p->leaves = 0;
}

static void factor_member(void *argument, int member)
{
    process_t *p = argument;

    if (member < p->x->members)
        hyb_panel_factor(p->scratch, &p->panel, member, p->x->members);
}

/*
 * Factor the panel twice, as scratch memory is used again. The team is told of
 * threads beside it, so that its barriers do not spin.
 */
static void *run_process(void *argument)
{
    process_t *p = argument;
    hyb_panel_scratch_t *scratch;
    hyb_team_t *team;
    int cpu = 0;

    xh_cpu_core_ids("", &cpu, 1);
    p->failures += hyb_team_create(&cpu, 1, MOST_MEMBERS, &team) != XH_OK;
    p->failures += hyb_panel_scratch_create(team, p->x->kernel, MOST_COLS,
                                            &scratch) != XH_OK;
    if (p->failures > 0)
        return NULL;
    hyb_team_add_helpers(team, 1);
    p->scratch = scratch;
    for (int i = 0; i < 2; i++) {
        fill_process(p);
        hyb_team_run(team, factor_member, p);
    }
    hyb_panel_scratch_destroy(scratch);
    hyb_team_destroy(team);
    return NULL;
}

static void run_processes(const case_t *x, process_t *processes)
{
    pthread_t thread;

    if (x->processes > 1)
        assert_int_equal(
            pthread_create(&thread, NULL, run_process, &processes[1]), 0);
    run_process(&processes[0]);
    if (x->processes > 1)
        pthread_join(thread, NULL);
}

/* ---- comparing ---- */

static bool same(double got, double want, double error)
{
    if (isnan(want))
        return isnan(got);
    return got == want || fabs(got - want) <= error;
}

/* 1 + the first column whose pivot is 0, or 0 */
static int first_zero(const textbook_lu_t *t)
{
    for (int c = 0; c < t->cols; c++)
        if (*textbook_at(t, c, c) == 0.0)
            return c + 1;
    return 0;
}

static void check_process(const process_t *p, const textbook_lu_t *want,
                          double error)
{
    const hyb_tiles_t *body = &p->panel.body;
    int first = first_below(p->x, p->rank), base = p->x->method.base_cols;
    int64_t i, end = hyb_pack_size(body->rows, 1, body->height);

    assert_int_equal(p->failures, 0);
    assert_int_equal(p->zero, first_zero(want));
    assert_int_equal(p->columns, p->x->processes > 1 ? want->cols : 0);
    assert_int_equal(p->leaves, 2 * ((want->cols + base - 1) / base));
    for (int64_t j = 0; j < want->cols; j++) {
        assert_int_equal(p->pivot[j], want->pivot[j]);
        for (i = 0; i < want->cols; i++)
            assert_true(same(p->l1[i + j * MOST_COLS], *textbook_at(want, i, j),
                             error));
        for (i = 0; i < body->rows; i++)
            assert_true(same(*hyb_tiles_at(body, i, j),
                             *textbook_at(want, first + i, j), error));
        for (; i < end; i++)
            assert_true(*hyb_tiles_at(body, i, j) == 0.0);
    }
}

typedef struct {
    const process_t *p;
    const textbook_lu_t *want;
    double error;
    int applied[MOST_COLS];
    int pivots; /* that were gone through */
} candidates_t;

/* Row c of U, from the row that was its pivot's, as far as that was known. */
static void check_candidate(void *context, int c)
{
    candidates_t *x = context;
    const double *row = x->p->candidates[c];

    assert_int_equal(x->pivots++, c);
    for (int j = 0; j < x->p->x->nb; j++) {
        double u = row[j];

        for (int i = x->applied[j]; j >= c && i < c; i++)
            u -= row[i] * *textbook_at(x->want, i, j);
        assert_true(same(u, *textbook_at(x->want, c, j), x->error));
    }
}

static void check_candidates(const process_t *p, const textbook_lu_t *want,
                             double error)
{
    candidates_t x = {.p = p, .want = want, .error = error};

    hyb_panel_replay(&p->x->method, 0, p->x->nb, x.applied, check_candidate,
                     &x);
    assert_int_equal(x.pivots, p->x->nb);
}

static void open_process(process_t *p, const case_t *x, const textbook_lu_t *a,
                         int rank)
{
    memset(p, 0, sizeof(*p));
    p->x = x;
    p->a = a;
    p->rank = rank;
    open_body(p);
}

static void close_process(process_t *p)
{
    xh_memory_free(p->panel.body.data, p->bytes);
}

static void check(const case_t *x, double error)
{
    static process_t processes[MOST_PROCESSES];
    textbook_lu_t a = drawn(x);
    meeting_t meeting;

    assert_int_equal(
        pthread_barrier_init(&meeting.barrier, NULL, MOST_PROCESSES), 0);
    for (int i = 0; i < x->processes; i++) {
        open_process(&processes[i], x, &a, i);
        processes[i].meeting = &meeting;
    }
    run_processes(x, processes);
    textbook_factor(&a, 0, a.cols);
    for (int i = 0; i < x->processes; i++) {
        check_process(&processes[i], &a, error);
        if (processes[i].columns > 0)
            check_candidates(&processes[i], &a, error);
        close_process(&processes[i]);
    }
    pthread_barrier_destroy(&meeting.barrier);
    free(a.a);
}

/* Factor by one member and by several. */
static void check_members(const case_t *x)
{
    static process_t alone, together;
    textbook_lu_t a = drawn(x);
    case_t one = *x;

    one.members = 1;
    open_process(&alone, &one, &a, 0);
    open_process(&together, x, &a, 0);
    run_process(&alone);
    run_process(&together);
    assert_memory_equal(alone.l1, together.l1, sizeof(alone.l1));
    assert_memory_equal(alone.panel.body.data, together.panel.body.data,
                        alone.bytes);
    close_process(&alone);
    close_process(&together);
    free(a.a);
}

/* ---- cases ---- */

static double any(int i, int j)
{
    (void)i;
    (void)j;
    return (double)rand() / RAND_MAX - 0.5;
}

static int upto(int most)
{
    return rand() % (most + 1);
}

typedef struct {
    int least, most; /* columns */
    int below;       /* rows below the top of a process, at most */
    double (*element)(int i, int j);
} kind_t;

static int some_below(const kind_t *kind)
{
    return upto(3) == 0 ? upto(2) : upto(kind->below);
}

static case_t drawn_case(const kind_t *kind, const hyb_kernel_t *kernel,
                         int processes)
{
    return (case_t){
        .kernel = kernel,
        .method = {.base = (hyb_panel_variant_t)upto(2),
                   .recursion = (hyb_panel_variant_t)upto(2),
                   .base_cols = 1 + upto(11),
                   .parts = 2 + upto(2)},
        .nb = kind->least + upto(kind->most - kind->least),
        .processes = processes,
        .members = 1 + upto(MOST_MEMBERS - 1),
        .below = {some_below(kind), processes > 1 ? some_below(kind) : 0},
        .element = kind->element};
}

/* Draw and check cases for every kernel of this processor. */
static void check_all(kind_t kind, int cases, double error)
{
    const hyb_kernel_t *kernel;
    case_t x;

    FOR_EACH_KERNEL(kernel)
    for (int processes = 1; processes <= MOST_PROCESSES; processes++)
        for (int i = 0; i < cases / PART; i++) {
            x = drawn_case(&kind, kernel, processes);
            check(&x, error);
        }
}

TEST_CALL(any_shape_and_method_is_the_textbooks_lu,
          check_all((kind_t){1, MOST_COLS, 300, any}, 80, 1e-9))

/* All of the first column ties, and three columns stay exact. */
static double plus_or_minus_one(int i, int j)
{
    (void)i;
    (void)j;
    return upto(1) == 0 ? 1.0 : -1.0;
}

TEST_CALL(ties_go_to_the_first_row,
          check_all((kind_t){3, 3, 100, plus_or_minus_one}, 100, 0.0))

/* Columns 4 and 7 are zeros and stay so. */
static double two_columns_are_zero(int i, int j)
{
    return j == 4 || j == 7 ? 0.0 : any(i, j);
}

TEST_CALL(the_first_zero_pivot_is_recorded_and_divides_nothing,
          check_all((kind_t){5, 30, 300, two_columns_are_zero}, 40, 1e-9))

/* A tenth of the numbers of column 2 are none. */
static double some_are_nan(int i, int j)
{
    return j == 2 && upto(9) == 0 ? NAN : any(i, j);
}

TEST_CALL(a_nan_is_the_largest_and_none_is_lost,
          check_all((kind_t){3, 23, 300, some_are_nan}, 40, 1e-9))

/* The inverse of a number as small as this is infinite. */
static double tiny(int i, int j)
{
    return ldexp(floor(ldexp(any(i, j), 20)), -1070);
}

TEST_CALL(a_tiny_pivot_divides_its_column,
          check_all((kind_t){2, 2, 100, tiny}, 40, 1e-15))

TEST(the_number_of_members_does_not_change_a_bit)
{
    const kind_t kind = {1, MOST_COLS, 300, any};
    case_t x;

    for (int i = 0; i < 40; i++) {
        x = drawn_case(&kind, widest_kernel(), 1);
        x.members = 2 + upto(MOST_MEMBERS - 2);
        check_members(&x);
    }
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/checksum.h"
#include "testing/unit/device/device_frames.h"

/* What a matrix that lives on a device needs besides copies and products. */

enum { MOST_ROWS = 40 };

/* ---- copies ------------------------------------------------------------- */

static void copy(const device_fixture_t *f, frame_t *from, int64_t j,
                 frame_t *to, int64_t i, int64_t rows, int64_t cols)
{
    assert_ok(hyb_queue_copy(f->queue, part(from, 0, j, rows, cols),
                             part(to, i, 2, rows, cols)));
    for (int64_t s = 0; s < cols; s++)
        for (int64_t r = 0; r < rows; r++)
            *entry_of(to, i + r, 2 + s) = *entry_of(from, r, j + s);
}

DEVICE_CASE_WITH(copies_on_the_device_touch_no_other_element, HYB_OP_COPY)
{
    open_frames(f);
    copy(f, &a, 1, &b, 5, 20, 30);
    copy(f, &a, 40, &a, 7, 33, 3);
    copy(f, &b, 0, &c, 0, EDGE, 9);
    copy(f, &c, 3, &b, 47, 1, 1);
    check_all(f, 0);
    close_frames();
}

/* ---- rows --------------------------------------------------------------- */

typedef struct {
    int64_t row[MOST_ROWS];
    int64_t count;
} list_t;

/* A list on the device, behind all others there. */
static hyb_device_view_t upload(const device_fixture_t *f,
                                hyb_device_view_t lists, int64_t *used,
                                const list_t *list)
{
    const hyb_device_view_t there =
        hyb_device_view(lists.buffer, *used, list->count, 1);

    assert_ok(hyb_queue_upload(f->queue, list->row, there));
    *used += list->count;
    return there;
}

/* The numbers 0 .. count - 1 in any order. */
static list_t shuffled(int64_t count)
{
    list_t list = {.count = count};
    int64_t j, kept;

    for (int64_t i = 0; i < count; i++)
        list.row[i] = i;
    for (int64_t i = count - 1; i > 0; i--) {
        j = rand() % (i + 1);
        kept = list.row[i];
        list.row[i] = list.row[j];
        list.row[j] = kept;
    }
    return list;
}

static bool holds(const list_t *list, int64_t row)
{
    int64_t i = 0;

    while (i < list->count && list->row[i] != row)
        i++;
    return i < list->count;
}

/* Any nb rows become U; top rows that do not go where U's rows leave. */
static void choose_rows(int64_t rows, int64_t nb, list_t *source, list_t *from,
                        list_t *to)
{
    *source = shuffled(rows);
    source->count = nb;
    from->count = to->count = 0;
    for (int64_t i = 0; i < nb; i++)
        if (!holds(source, i))
            from->row[from->count++] = i;
    for (int64_t i = 0; i < nb; i++)
        if (source->row[i] >= nb)
            to->row[to->count++] = source->row[i];
    assert_int_equal(from->count, to->count);
}

/* In a's rows from 3 and columns from 2 on; U is in b, from (1, 4) on. */
static void swap_on_host(int64_t cols, const list_t *source, const list_t *from,
                         const list_t *to)
{
    for (int64_t j = 0; j < cols; j++) {
        for (int64_t i = 0; i < source->count; i++)
            *entry_of(&b, 1 + i, 4 + j) =
                *entry_of(&a, 3 + source->row[i], 2 + j);
        for (int64_t i = 0; i < from->count; i++)
            *entry_of(&a, 3 + to->row[i], 2 + j) =
                *entry_of(&a, 3 + from->row[i], 2 + j);
        for (int64_t i = 0; i < source->count; i++)
            *entry_of(&a, 3 + i, 2 + j) = *entry_of(&b, 1 + i, 4 + j);
    }
}

static void check_swap(const device_fixture_t *f, int64_t rows, int64_t nb,
                       int64_t cols)
{
    hyb_device_view_t lists = device_cases_matrix(f->device, 3 * MOST_ROWS, 1);
    list_t source, from, to;
    int64_t used = 5;
    hyb_row_swap_t swap = {part(&a, 3, 2, rows, cols), part(&b, 1, 4, nb, cols),
                           .source = {.buffer = NULL}};

    choose_rows(rows, nb, &source, &from, &to);
    swap.source = upload(f, lists, &used, &source);
    swap.from = upload(f, lists, &used, &from);
    swap.to = upload(f, lists, &used, &to);
    assert_ok(hyb_queue_swap_rows(f->queue, &swap));
    swap_on_host(cols, &source, &from, &to);
    check_all(f, 0);
    hyb_buffer_destroy(lists.buffer);
}

DEVICE_CASE_WITH(rows_change_places_as_listed, HYB_OP_SWAP_ROWS)
{
    srand(5);
    open_frames(f);
    for (int round = 0; round < 20; round++)
        check_swap(f, 8 + rand() % 25, 1 + rand() % 8, 1 + rand() % 30);
    check_swap(f, 1, 1, 7);
    check_swap(f, 8, 8, 7); /* nothing is below the top */
    check_swap(f, MOST_ROWS, 20, 1);
    check_swap(f, MOST_ROWS, 8, 0);
    close_frames();
}

/* Rows of a, whose columns begin at 2, become packed columns of b from (4, 1)
 * on, and go to c from there if they scatter. */
static void check_packing(const device_fixture_t *f, int64_t cols,
                          const list_t *list, bool scatter)
{
    hyb_device_view_t lists = device_cases_matrix(f->device, MOST_ROWS, 1);
    hyb_device_view_t there = upload(f, lists, &(int64_t){0}, list);
    hyb_device_view_t packed = part(&b, 4, 1, cols, list->count);

    assert_ok(scatter ? hyb_queue_scatter_rows(f->queue, packed, there,
                                               part(&c, 3, 2, MOST_ROWS, cols))
                      : hyb_queue_gather_rows(f->queue,
                                              part(&a, 3, 2, MOST_ROWS, cols),
                                              there, packed));
    for (int64_t r = 0; r < list->count; r++)
        for (int64_t j = 0; j < cols; j++) {
            double *in_columns =
                entry_of(scatter ? &c : &a, 3 + list->row[r], 2 + j);
            double *in_rows = entry_of(&b, 4 + j, 1 + r);

            *(scatter ? in_columns : in_rows) =
                *(scatter ? in_rows : in_columns);
        }
    check_all(f, 0);
    hyb_buffer_destroy(lists.buffer);
}

static list_t some_rows(int64_t count)
{
    list_t list = shuffled(MOST_ROWS);

    list.count = count;
    return list;
}

DEVICE_CASE_WITH(rows_are_packed_one_after_the_other, HYB_OP_GATHER_ROWS)
{
    const list_t again = {.row = {7, 0, 7, 39}, .count = 4};
    list_t list;

    open_frames(f);
    for (int round = 0; round < 10; round++) {
        list = some_rows(1 + rand() % MOST_ROWS);
        check_packing(f, 1 + rand() % 40, &list, false);
    }
    check_packing(f, 5, &again, false);
    check_packing(f, 0, &again, false);
    close_frames();
}

DEVICE_CASE_WITH(packed_rows_go_where_the_list_says, HYB_OP_SCATTER_ROWS)
{
    list_t list;

    open_frames(f);
    for (int round = 0; round < 10; round++) {
        list = some_rows(rand() % MOST_ROWS);
        check_packing(f, 1 + rand() % 40, &list, true);
    }
    close_frames();
}

/* ---- algebra ------------------------------------------------------------ */

/* L1 is a's part from (2, 1) on, with no numbers on and above its diagonal; U
 * is b's from (3, 4) on. */
static void check_solve(const device_fixture_t *f, int64_t nb, int64_t cols)
{
    bring_in(f, &a);
    bring_in(f, &b);
    for (int64_t j = 0; j < nb; j++)
        for (int64_t i = 0; i < nb; i++)
            *entry_of(&a, 2 + i, 1 + j) =
                i > j ? random_entry() / (double)nb : NAN;
    send_frame(f, &a);
    send_frame(f, &b);
    assert_ok(hyb_queue_trsm(f->queue, part(&a, 2, 1, nb, nb),
                             part(&b, 3, 4, nb, cols)));
    for (int64_t j = 0; j < cols; j++)
        for (int64_t i = 0; i < nb; i++)
            for (int64_t l = 0; l < i; l++)
                *entry_of(&b, 3 + i, 4 + j) -=
                    *entry_of(&a, 2 + i, 1 + l) * *entry_of(&b, 3 + l, 4 + j);
    check(f, &a, 0);
    check(f, &b, 1e-13);
    hyb_buffer_destroy(a.device.buffer);
    hyb_buffer_destroy(b.device.buffer);
}

DEVICE_CASE_WITH(a_solve_is_forward_substitution, HYB_OP_TRSM)
{
    check_solve(f, 1, 1);
    check_solve(f, 2, 40);
    check_solve(f, 17, 23);
    check_solve(f, 40, 1);
    check_solve(f, 40, 44);
    check_solve(f, 9, 0);
}

/* A is a's part from (3, 2) on, x is in b and y in c. */
static void check_gemv(const device_fixture_t *f, int64_t rows, int64_t cols)
{
    assert_ok(hyb_queue_gemv(f->queue, part(&a, 3, 2, rows, cols),
                             part(&b, 4, 5, cols, 1), part(&c, 1, 6, rows, 1)));
    for (int64_t j = 0; j < cols; j++)
        for (int64_t i = 0; i < rows; i++)
            *entry_of(&c, 1 + i, 6) -=
                *entry_of(&a, 3 + i, 2 + j) * *entry_of(&b, 4 + j, 5);
    check_all(f, 1e-13);
}

DEVICE_CASE_WITH(a_matrix_times_a_vector_is_subtracted, HYB_OP_GEMV)
{
    open_frames(f);
    check_gemv(f, 1, 1);
    check_gemv(f, 44, 3);
    check_gemv(f, 5, 40);
    check_gemv(f, 44, 44);
    check_gemv(f, 0, 7);
    check_gemv(f, 7, 0);
    close_frames();
}

/* The columns are whole tiles and a bit. Compare on and below the diagonal;
 * what is above stays where no tile crosses the diagonal. */
static void check_syrk(const device_fixture_t *f, int64_t n, int64_t k)
{
    const hyb_device_view_t x = device_cases_matrix(f->device, n, k),
                            y = device_cases_matrix(f->device, n, n);
    double *in = calloc((size_t)(n * k + 2 * n * n), sizeof(*in));
    double *before = in + n * k, *after = before + n * n;
    int wrong = 0;

    for (int64_t i = 0; i < n * k + n * n; i++)
        in[i] = random_entry();
    assert_ok(hyb_queue_copy_in(f->queue, (xh_view_t){in, n, k, n}, x));
    assert_ok(hyb_queue_copy_in(f->queue, (xh_view_t){before, n, n, n}, y));
    assert_ok(hyb_queue_syrk(f->queue, -2, x, 0.5, y));
    device_cases_read(f->device, f->queue, y, after);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            double sum = 0;

            for (int64_t l = 0; l < k; l++)
                sum += in[i + l * n] * in[j + l * n];
            if (i >= j)
                wrong += !(fabs(0.5 * before[i + j * n] - 2 * sum -
                                after[i + j * n]) < 1e-12);
            else if (i / HYB_SYRK_TILE < j / HYB_SYRK_TILE)
                wrong += before[i + j * n] != after[i + j * n];
        }
    assert_int_equal(wrong, 0);
    free(in);
    hyb_buffer_destroy(x.buffer);
    hyb_buffer_destroy(y.buffer);
}

DEVICE_CASE(a_matrix_times_itself_is_added_below_the_diagonal)
{
    check_syrk(f, 1, 1);
    check_syrk(f, HYB_SYRK_TILE, 7);
    check_syrk(f, HYB_SYRK_TILE + 1, 3);
    check_syrk(f, 5 * HYB_SYRK_TILE - 9, 40);
}

/* ---- checksums ---------------------------------------------------------- */

/* Sum the columns of a's part from (3, 2) on into c's part from (1, 4) on. */
static void check_sums(const device_fixture_t *f, int64_t rows, int64_t cols)
{
    uint64_t sums[2];

    assert_ok(hyb_queue_checksum(f->queue, part(&a, 3, 2, rows, cols),
                                 part(&c, 1, 4, 2, cols)));
    for (int64_t j = 0; j < cols; j++) {
        xh_checksum(entry_of(&a, 3, 2 + j), rows, sums);
        memcpy(entry_of(&c, 1, 4 + j), sums, sizeof(sums));
    }
    check_all(f, 0);
}

DEVICE_CASE_WITH(checksums_are_those_of_the_host, HYB_OP_CHECKSUM)
{
    open_frames(f);
    check_sums(f, 44, 40);
    check_sums(f, 1, 1);
    check_sums(f, 0, 5);
    check_sums(f, 5, 0);
    close_frames();
}

/* One bit, in a column that every item of a group has rows of. */
DEVICE_CASE_WITH(a_checksum_sees_any_bit_that_changes, HYB_OP_CHECKSUM)
{
    enum { ROWS = 1000, CHANGES = 4 };
    hyb_device_view_t x = device_cases_matrix(f->device, ROWS, 1);
    hyb_device_view_t s = device_cases_matrix(f->device, 2, CHANGES);
    uint64_t column[ROWS], sums[CHANGES][2], host[2];

    for (uint64_t i = 0; i < ROWS; i++)
        column[i] = i * UINT64_C(0x9e3779b97f4a7c15);
    for (int change = 0; change < CHANGES; change++) {
        column[0] ^= change == 1;
        column[ROWS - 1] ^= (uint64_t)(change == 2) << 63;
        column[500] = column[change == 3 ? 501 : 500];
        assert_ok(hyb_queue_copy_in(
            f->queue, (xh_view_t){(double *)column, ROWS, 1, ROWS}, x));
        assert_ok(hyb_queue_checksum(f->queue, x,
                                     hyb_device_view_part(s, 0, change, 2, 1)));
        assert_ok(device_cases_finish(f->device, f->queue));
    }
    device_cases_read(f->device, f->queue, s, sums);
    for (int i = 0; i < CHANGES; i++)
        for (int j = 0; j < i; j++)
            assert_true(sums[i][0] != sums[j][0] && sums[i][1] != sums[j][1]);
    xh_checksum((double *)column, ROWS, host);
    assert_memory_equal(sums[CHANGES - 1], host, sizeof(host));
    hyb_buffer_destroy(x.buffer);
    hyb_buffer_destroy(s.buffer);
}

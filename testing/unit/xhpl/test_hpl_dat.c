/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/dat_file.h"
#include <ctype.h>
#include "testing/unit/hpl/reference_file.h"
#include "testing/unit/unit.h"

enum { TEXT_SIZE = 8192 };

static xhpl_parameters_t parameters;
static xhpl_dat_error_t error;
static xhpl_dat_notes_t notes;

/* A file like upstream's, with line number line replaced by content. */
static void with_line(int line, const char *content, char text[TEXT_SIZE])
{
    size_t length, used = 0;
    char *whole = reference_file_read("upstream-2x2-n500.HPL.dat", &length);
    int number = 1;

    for (char *at = strtok(whole, "\n"); at != NULL; at = strtok(NULL, "\n"))
        used += (size_t)snprintf(text + used, TEXT_SIZE - used, "%s\n",
                                 number++ == line ? content : at);
    free(whole);
}

static xh_status_t parse_with_line(int line, const char *content)
{
    char text[TEXT_SIZE];

    with_line(line, content, text);
    memset(&error, 0, sizeof(error));
    return xhpl_dat_parse(text, strlen(text), &parameters, &notes, &error);
}

static void assert_list(xhpl_quantity_t quantity, int count, int first,
                        int last)
{
    const xhpl_list_t *list = &parameters.list[quantity];

    assert_int_equal(list->count, count);
    assert_int_equal(list->value[0], first);
    assert_int_equal(list->value[count - 1], last);
}

/* a line, what is written there, what the message must hold, its end */
static const struct {
    int line;
    const char *content, *found, *allowed, *nearest;
} refusals[] = {
    {4, "six device", "'six'", "6 (stdout), 7 (stderr)", NULL},
    {5, "0 # of N", "'0'", "an integer from 1 to 20", NULL},
    {5, "21 # of N", "'21'", "an integer from 1 to 20", "20"},
    {5, "1.0 # of N", "'1.0'", "an integer from 1 to 20", NULL},
    {6, "4294967796 Ns", "'4294967796'", "an integer from 0 to", "1000000000"},
    {6, "99999999999999999999999999 Ns", "'99999999999999999999999999'", "",
     NULL},
    {6, "0x10 Ns", "'0x10'", "an integer from 0 to", NULL},
    {6, "500Ns", "'500Ns'", "an integer from 0 to", "500"},
    {6, "500,600 Ns", "'500,600'", "an integer from 0 to", NULL},
    {6, "- Ns", "'-'", "an integer from 0 to", NULL},
    {6, " \t\r", "nothing", "an integer from 0 to", NULL},
    {8, "1k NBs", "'1k'", "an integer from 1 to", "1000"},
    {11, "0 Ps", "'0'", "an integer from 1 to", NULL},
    {12, "two Qs", "'two'", "an integer from 1 to", NULL},
    {13, "nan threshold", "'nan'", "a finite number", NULL},
    {13, "1e999 threshold", "'1e999'", "a finite number", NULL},
    {13, "1e-999 threshold", "'1e-999'", "a finite number", NULL},
    {13, "0x1p4 threshold", "'0x1p4'", "a finite number", NULL},
    {13, "16.5x threshold", "'16.5x'", "a finite number", "16.5"},
    {15, "rigth PFACTs", "'rigth'", "0 (left), 1 (crout) or 2 (right)",
     "2 (right)"},
    {17, "0 NBMINs", "'0'", "an integer from 1 to", NULL},
    {19, "1 NDIVs", "'1'", "an integer from 2 to", "2"},
    {23, "blonk BCASTs", "'blonk'", "", "4 (Blong)"},
    {25, "-1 DEPTHs", "'-1'", "an integer from 0 to", NULL},
    {29, "x U", "'x'", "0 (transposed) or 1 (no-transposed)", NULL},
};

TEST(a_refusal_names_line_found_allowed_and_nearest)
{
    char end[64];

    for (size_t i = 0; i < COUNT_OF(refusals); i++) {
        assert_int_equal(parse_with_line(refusals[i].line, refusals[i].content),
                         XH_ERR_INPUT);
        assert_int_equal(error.line, refusals[i].line);
        assert_in(error.text, refusals[i].found);
        assert_in(error.text, refusals[i].allowed);
        if (refusals[i].nearest == NULL)
            continue;
        snprintf(end, sizeof(end), "; the nearest is %s", refusals[i].nearest);
        assert_in(error.text, end);
        assert_string_equal(strstr(error.text, end), end);
    }
}

/* What HPL 2.3 runs, and as what. */
static const struct {
    int line;
    const char *content;
    xhpl_quantity_t quantity;
    int value;
} lenient[] = {{9, "2 PMAP", XHPL_PMAP, 0},
               {15, "3 PFACTs", XHPL_PFACT, 2},
               {21, "-1 RFACTs", XHPL_RFACT, 2},
               {23, "7 BCASTs", XHPL_BCAST, 1},
               {23, "-1 BCASTs", XHPL_BCAST, 1},
               {26, "3 SWAP", XHPL_SWAP, 1},
               {27, "-1 swapping threshold", XHPL_SWAP_THRESHOLD, 0},
               {28, "2 L1", XHPL_L1, 0},
               {29, "-1 U", XHPL_U, 0},
               {30, "2 Equilibration", XHPL_EQUIL, 1},
               {31, "0 memory alignment", XHPL_ALIGN, 4}};

TEST(a_value_that_upstream_runs_as_another_is_run_so_and_noted)
{
    for (size_t i = 0; i < COUNT_OF(lenient); i++) {
        assert_ok(parse_with_line(lenient[i].line, lenient[i].content));
        assert_int_equal(
            xhpl_parameters_value(&parameters, lenient[i].quantity),
            lenient[i].value);
        assert_int_equal(notes.count, 1);
        assert_int_equal(notes.note[0].line, lenient[i].line);
        assert_in(notes.note[0].text, "as HPL 2.3 does");
    }
    assert_ok(parse_with_line(4, "file device out (6=stdout,7=stderr,file)"));
    assert_int_equal(notes.count, 0);
    assert_true(xhpl_parameters_value(&parameters, XHPL_DEVICE) !=
                XHPL_DEVICE_STDOUT);
    assert_int_equal(parse_with_line(4, "printer device out"), XH_ERR_INPUT);
    assert_int_equal(parse_with_line(31, "2000000 memory"), XH_ERR_INPUT);
}

TEST(a_refused_file_leaves_the_parameters_alone)
{
    xhpl_parameters_t before;

    memset(&parameters, 0x5a, sizeof(parameters));
    memcpy(&before, &parameters, sizeof(before));
    assert_int_equal(parse_with_line(31, "none"), XH_ERR_INPUT);
    assert_memory_equal(&before, &parameters, sizeof(before));
}

TEST(a_list_shorter_than_its_count_is_refused_at_the_list)
{
    assert_int_equal(parse_with_line(7, "3 # of NBs"), XH_ERR_INPUT);
    assert_int_equal(error.line, 8);
    assert_in(error.text, "'NBs'");
    assert_in(error.text, "value 2 of 3");
}

TEST(a_file_cut_after_any_line_is_refused_at_the_next)
{
    size_t length;
    char *text = reference_file_read("upstream-2x2-n500.HPL.dat", &length);
    size_t end = 0;

    for (int lines = 0; lines < XHPL_DAT_LINES; lines++) {
        assert_int_equal(xhpl_dat_parse(text, end, &parameters, &notes, &error),
                         XH_ERR_INPUT);
        assert_int_equal(error.line, lines + 1);
        end = (size_t)(strchr(text + end, '\n') + 1 - text);
    }
    assert_ok(xhpl_dat_parse(text, end - 1, &parameters, &notes, &error));
    free(text);
}

TEST(twenty_values_are_read)
{
    static const char list[] =
        "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 ";
    char text[TEXT_SIZE], *line;

    with_line(5, "20", text);
    line = strstr(text, "500  ");
    memmove(line + strlen(list), line, strlen(line) + 1);
    memcpy(line, list, strlen(list));
    assert_ok(xhpl_dat_parse(text, strlen(text), &parameters, &notes, &error));
    assert_list(XHPL_N, 20, 1, 20);
}

TEST(any_finite_threshold_is_legal)
{
    static const struct {
        const char *line;
        double value;
    } legal[] = {{"1e-9 t", 1e-9}, {"0.0", 0.0}, {"-1 t", -1.0},
                 {"1E3", 1e3},     {".5", 0.5},  {"16", 16.0}};

    for (size_t i = 0; i < COUNT_OF(legal); i++) {
        assert_ok(parse_with_line(13, legal[i].line));
        assert_true(parameters.threshold == legal[i].value);
    }
}

TEST(the_output_file_is_named_only_where_one_is_asked_for)
{
    char text[TEXT_SIZE];

    assert_ok(parse_with_line(4, "8 device"));
    assert_string_equal(parameters.output, "HPL.out");
    with_line(3, " \t", text);
    assert_ok(xhpl_dat_parse(text, strlen(text), &parameters, &notes, &error));
    *strstr(text, "6            device") = '8';
    assert_int_equal(
        xhpl_dat_parse(text, strlen(text), &parameters, &notes, &error),
        XH_ERR_INPUT);
    assert_int_equal(error.line, 3);
}

/* ---- changed files, the same ones in every run --------------------------- */

enum { LAYOUTS = 1000, CHANGES = 20000 };

static const char *const names[] = {
    "upstream-2x2-n500.HPL.dat", "upstream-default.HPL.dat",
    "upstream-variants.HPL.dat", "upstream-failed.HPL.dat",
    "upstream-threshold0.HPL.dat"};

/* A number from 0 to below - 1. */
static int draw(int below)
{
    static uint64_t sequence = 1;

    sequence = sequence * 6364136223846793005u + 1442695040888963407u;
    return (int)((sequence >> 33) % (uint64_t)below);
}

/* Any byte but the end of a line. */
static char draw_byte(void)
{
    int byte = draw(255);

    return (char)(byte < '\n' ? byte : byte + 1);
}

/* Read text from a block of its size; a refusal names a line and says why. */
static xh_status_t parse_exactly(const char *text, size_t size)
{
    char *block = malloc(size + (size == 0));
    xh_status_t status;

    assert_non_null(block);
    memcpy(block, text, size);
    memset(&error, 0, sizeof(error));
    status = xhpl_dat_parse(block, size, &parameters, &notes, &error);
    free(block);
    assert_true(status == XH_OK ||
                (error.line >= 1 && error.line <= XHPL_DAT_LINES &&
                 error.text[0] != '\0'));
    return status;
}

/* Change blanks, ends of lines, comments and what is behind the last line. */
static size_t vary(const char *from, char *to)
{
    size_t size = 0;
    bool in_comment = true;

    for (int line = 1; *from != '\0'; from++) {
        in_comment |= line > 3 && isblank((unsigned char)from[-1]) &&
                      (isalpha((unsigned char)*from) || *from == '#');
        if (*from == '\n') {
            if (draw(2) == 0)
                to[size++] = '\r';
            to[size++] = '\n';
            in_comment = ++line <= 2;
        } else {
            bool is_blank = *from == ' ' && draw(4) == 0;

            to[size++] = in_comment ? draw_byte() : is_blank ? '\t' : *from;
        }
    }
    for (int more = draw(9); more > 0; more--)
        to[size++] = draw_byte();
    return size;
}

TEST(blanks_ends_of_lines_and_comments_mean_nothing)
{
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        xhpl_parameters_t expected = reference_file_parameters(names[i]);
        char changed[TEXT_SIZE];
        size_t size;
        char *text = reference_file_read(names[i], &size);

        for (int round = 0; round < LAYOUTS; round++) {
            size = vary(text, changed);
            if (parse_exactly(changed, size) != XH_OK ||
                !reference_file_is_same(&parameters, &expected))
                fail_msg("line %d: %s; %.*s", error.line, error.text, (int)size,
                         changed);
        }
        free(text);
    }
}

/* Change a byte, or take or add the end of a line, or end the file; returns the
 * line of the change. */
static int change(char *text, size_t *size, bool tear)
{
    size_t at = (size_t)draw((int)*size);
    int line = 1, how = draw(3);

    while (!tear && text[at] == '\n')
        at = (size_t)draw((int)*size);
    for (size_t i = 0; i < at; i++)
        line += text[i] == '\n';
    if (!tear) {
        text[at] = draw_byte();
    } else if (how == 0) {
        memmove(text + at, text + at + 1, --*size - at);
    } else if (how == 1) {
        memmove(text + at + 1, text + at, (*size)++ - at);
        text[at] = '\n';
    } else {
        *size = at;
    }
    return line;
}

/* A changed byte may be in a count, which shows at its lists then. */
TEST(a_changed_file_is_refused_at_the_change_and_a_torn_one_not_before)
{
    static const int count_line[XHPL_DAT_LINES + 1] = {
        [6] = 5,   [8] = 7,   [11] = 10, [12] = 10, [15] = 14,
        [17] = 16, [19] = 18, [21] = 20, [23] = 22, [25] = 24};
    int refused[2] = {0, 0};

    for (int i = 0; i < CHANGES; i++) {
        bool torn = i % 2;
        size_t size;
        char *text =
            reference_file_read(names[(size_t)i / 2 % COUNT_OF(names)], &size);
        int line = change(text, &size, torn);

        if (parse_exactly(text, size) != XH_OK) {
            refused[torn]++;
            if (torn ? error.line < line
                     : error.line != line && count_line[error.line] != line)
                fail_msg("line %d refused, not %d:\n%.*s", error.line, line,
                         (int)size, text);
        }
        free(text);
    }
    assert_true(refused[0] > 0 && refused[1] > 0);
}

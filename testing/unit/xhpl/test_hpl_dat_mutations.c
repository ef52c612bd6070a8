/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/dat_file.h"
#include "testing/unit/hpl/reference_file.h"
#include "testing/unit/unit.h"

#include <stdbool.h>

/*
 * 70000 mutated files through the reader, the same ones in every run. A file
 * is taken apart into values and comments by this test's own knowledge of its
 * 31 lines, changed, and written again.
 */
enum {
    HARMLESS = 40000,
    BYTES = 30000,
    TEXT_SIZE = 32768,
    TOKEN_SIZE = 32,
    COMMENT_SIZE = 80
};

/* what each line holds: the line of its count, FIXED values, or neither */
enum { FIXED = -1, NONE = 0 };

static const int count_line[XHPL_DAT_LINES + 1] = {
    NONE,  NONE, NONE,  NONE,  FIXED, FIXED, 5,     FIXED, 7,     FIXED, FIXED,
    10,    10,   FIXED, FIXED, 14,    FIXED, 16,    FIXED, 18,    FIXED, 20,
    FIXED, 22,   FIXED, 24,    FIXED, FIXED, FIXED, FIXED, FIXED, FIXED};

static const char *const names[] = {
    "upstream-2x2-n500.HPL.dat", "upstream-default.HPL.dat",
    "upstream-variants.HPL.dat", "upstream-failed.HPL.dat",
    "upstream-threshold0.HPL.dat"};

enum { FILES = COUNT_OF(names) };

typedef struct {
    char value[XHPL_LIST_MOST + 1][TOKEN_SIZE];
    int values;
    char comment[COMMENT_SIZE];
} line_t;

typedef struct {
    line_t line[XHPL_DAT_LINES + 1]; /* from 1 */
    xhpl_parameters_t resources;
} model_t;

static model_t models[FILES];
static char text[TEXT_SIZE];
static size_t length;
static xhpl_parameters_t got;
static xhpl_dat_error_t error;
static xhpl_dat_notes_t notes;

static uint64_t sequence;

/* A number from 0 to below - 1. */
static int draw(int below)
{
    sequence = sequence * 6364136223846793005u + 1442695040888963407u;
    return (int)((sequence >> 33) % (uint64_t)below);
}

static void split(model_t *model, const char *whole)
{
    for (int number = 1; number <= XHPL_DAT_LINES; number++) {
        line_t *line = &model->line[number];
        int used, counter = count_line[number];

        line->values = counter == NONE    ? 0
                       : counter == FIXED ? 1
                                          : atoi(model->line[counter].value[0]);
        for (int i = 0; i < line->values; i++, whole += used)
            sscanf(whole, "%31s%n", line->value[i], &used);
        snprintf(line->comment, sizeof(line->comment), "%.*s",
                 (int)strcspn(whole, "\n"), whole);
        whole = strchr(whole, '\n') + 1;
    }
}

static void load_models(void)
{
    for (int i = 0; i < FILES; i++) {
        size_t ignored;
        char *whole = reference_file_read(names[i], &ignored);

        models[i].resources = reference_file_parameters(names[i]);
        split(&models[i], whole);
        free(whole);
    }
}

static void append(const char *piece)
{
    size_t size = strlen(piece);

    assert_true(length + size < TEXT_SIZE);
    memcpy(text + length, piece, size + 1);
    length += size;
}

static void append_blanks(int least)
{
    for (int count = least + draw(3); count > 0; count--)
        append(draw(3) == 0 ? "\t" : " ");
}

static void append_values(const line_t *line)
{
    append_blanks(0);
    for (int i = 0; i < line->values; i++) {
        if (i > 0)
            append_blanks(1);
        append(line->value[i]);
    }
}

/* Any bytes but an end of line. */
static void append_noise(int most)
{
    for (int count = draw(most); count > 0; count--) {
        text[length] = (char)draw(256);
        length += text[length] != '\n';
    }
}

/* Nothing, or a comment apart from the values before it. */
static void append_comment(const line_t *line)
{
    int choice = draw(4);

    append_blanks(choice > 0);
    switch (choice) {
    case 0:
        break;
    case 1:
        append_noise(40);
        break;
    case 2:
        append("17 -3 1e3 ");
        break;
    default:
        append(line->comment);
    }
}

/* The model in one of the many layouts that mean the same. */
static void write_freely(const model_t *model)
{
    int crlf = draw(3);

    length = 0;
    for (int number = 1; number <= XHPL_DAT_LINES; number++) {
        const line_t *line = &model->line[number];

        append_values(line);
        append_comment(line);
        append(crlf == 0 || (crlf == 1 && draw(2) == 0) ? "\r\n" : "\n");
    }
    if (draw(4) == 0)
        append_noise(200);
}

/* The model as it was read, up to blanks: comments begin with a blank. */
static void write_plainly(const model_t *model)
{
    length = 0;
    for (int number = 1; number <= XHPL_DAT_LINES; number++) {
        for (int i = 0; i < model->line[number].values; i++) {
            append(i == 0 ? "" : " ");
            append(model->line[number].value[i]);
        }
        append(model->line[number].comment);
        append("\n");
    }
}

/* Read the first size bytes of text from a block that ends with them. */
static xh_status_t read_exactly(size_t size)
{
    char *block = malloc(size + (size == 0));
    xh_status_t status;

    assert_non_null(block);
    memcpy(block, text, size);
    error.line = 0;
    error.text[0] = '\0';
    status = xhpl_dat_parse(block, size, &got, &notes, &error);
    free(block);
    if (status != XH_OK && (error.line < 1 || error.line > XHPL_DAT_LINES ||
                            error.text[0] == '\0'))
        fail_msg("a refusal without line or text:\n%s", text);
    return status;
}

TEST(another_layout_gives_the_same_values)
{
    sequence = 1;
    for (int i = 0; i < HARMLESS; i++) {
        const model_t *model = &models[draw(FILES)];

        write_freely(model);
        if (read_exactly(length) != XH_OK)
            fail_msg("file %d refused, line %d: %s", i, error.line, error.text);
        if (!reference_file_is_same(&got, &model->resources))
            fail_msg("file %d read with other values:\n%s", i, text);
    }
}

/* The line that byte number at of text is in. */
static int line_of(size_t at)
{
    int line = 1;

    for (size_t i = 0; i < at; i++)
        line += text[i] == '\n';
    return line;
}

/* A changed byte may change a count, which then shows at its lists. */
static bool may_refuse(int refused, int changed)
{
    return refused == changed || count_line[refused] == changed;
}

/* Put any byte but an end of line in place of one that is none. */
static size_t change_byte(void)
{
    size_t at;

    do
        at = (size_t)draw((int)length);
    while (text[at] == '\n');
    do
        text[at] = (char)draw(256);
    while (text[at] == '\n');
    return at;
}

/* Lines move up or down, or the file ends anywhere. */
static size_t tear(void)
{
    size_t at = (size_t)draw((int)length);

    switch (draw(3)) {
    case 0:
        memmove(text + at, text + at + 1, length - at);
        length--;
        break;
    case 1:
        memmove(text + at + 1, text + at, length - at + 1);
        text[at] = '\n';
        length++;
        break;
    default:
        length = at;
    }
    return at;
}

TEST(a_changed_file_is_refused_at_the_change_and_a_torn_one_not_before)
{
    int refused[2] = {0, 0};

    sequence = 3;
    for (int i = 0; i < BYTES; i++) {
        bool torn = i % 2;
        int line;

        write_plainly(&models[draw(FILES)]);
        line = torn ? line_of(tear()) : line_of(change_byte());
        if (read_exactly(length) == XH_OK)
            continue;
        refused[torn]++;
        if (torn ? error.line < line : !may_refuse(error.line, line))
            fail_msg("file %d: line %d refused, %d %s:\n%s", i, error.line,
                     line, torn ? "torn" : "changed", text);
    }
    assert_true(refused[0] > 0 && refused[1] > 0);
}

int main(void)
{
    load_models();
    return unit_run();
}

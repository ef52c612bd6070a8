/* SPDX-License-Identifier: BSD-3-Clause */
#include <float.h>
#include <math.h>
#include <sys/wait.h>
#include <unistd.h>
#include "testing/unit/unit.h"
#include "hpl.h"
#include "hpl/pauxil/abort.h"

TEST(machine_constants_are_those_of_ieee_double)
{
    double eps = HPL_dlamch(HPL_MACH_EPS), one = 1.0;

    assert_true(eps == 0x1p-53);
    assert_true(one + 2 * eps > one && one + eps == one);
    assert_true(HPL_dlamch(HPL_MACH_PREC) == 2 * eps);
    assert_true(isfinite(1.0 / HPL_dlamch(HPL_MACH_SFMIN)));
    assert_true(HPL_dlamch(HPL_MACH_RMIN) == 0x1p-1022);
    assert_true(isinf(2.0 * HPL_dlamch(HPL_MACH_RMAX)));
}

enum { LDA = 75, LDB = 80, SIZE = 80 * 80 };

static double a[SIZE], b[SIZE];

static void fill(void)
{
    for (int i = 0; i < SIZE; i++) {
        a[i] = i;
        b[i] = -1.0;
    }
}

/* b(i, j) is a(i, j) or a(j, i) inside m x n and -1 outside */
static void check_copy(int m, int n, int transposed)
{
    double inside;

    for (int j = 0; j < SIZE / LDB; j++)
        for (int i = 0; i < LDB; i++) {
            inside = transposed ? j + i * LDA : i + j * LDA;
            assert_true(b[i + j * LDB] == (i < m && j < n ? inside : -1.0));
        }
}

TEST(copies_reach_the_whole_matrix_and_nothing_else)
{
    static const int sizes[] = {0, 1, 31, 32, 33, 75};

    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            fill();
            HPL_dlacpy(sizes[i], sizes[j], a, LDA, b, LDB);
            check_copy(sizes[i], sizes[j], 0);
            fill();
            HPL_dlatcpy(sizes[i], sizes[j], a, LDA, b, LDB);
            check_copy(sizes[i], sizes[j], 1);
        }
}

/* Read what a function wrote to file. */
static const char *content(FILE *file)
{
    static char text[4096];

    rewind(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    return text;
}

TEST(formatted_output_is_flushed)
{
    char text[64] = "";
    int ends[2];
    FILE *file;

    assert_int_equal(pipe(ends), 0);
    file = fdopen(ends[1], "w");
    HPL_fprintf(file, "%s %d", "answer", 42);
    assert_int_equal(read(ends[0], text, sizeof(text)), 9);
    assert_string_equal(text, "answer 42");
    fclose(file);
    close(ends[0]);
}

TEST(a_warning_is_one_line_that_says_where)
{
    FILE *file = tmpfile();

    HPL_warn(file, 12, "HPL_here", "%d is odd\n", 3);
    HPL_warn(file, 0, "HPL_there", "so is %s", "5");
    assert_string_equal(content(file),
                        "HPL WARNING on line 12 of function HPL_here: 3 is "
                        "odd\nHPL WARNING in function HPL_there: so is 5\n");
}

TEST(a_message_of_any_length_ends_its_line)
{
    FILE *file = tmpfile();
    char name[5000];
    const char *line;

    memset(name, 'x', sizeof(name));
    name[sizeof(name) - 1] = '\0';
    HPL_warn(file, 1, "HPL_here", "%s", name);
    line = content(file);
    assert_true(strlen(line) > 500);
    assert_ptr_equal(strchr(line, '\n'), line + strlen(line) - 1);
}

/* Run HPL_abort or HPL_pabort in a process of its own; its stderr is file. */
static int exit_status_of(void (*end)(int, const char *, const char *, ...),
                          FILE *file)
{
    int status;
    pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) {
        dup2(fileno(file), STDERR_FILENO);
        end(7, "HPL_here", "%d bytes", 5);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void say(void *context)
{
    fprintf(stderr, "%s\n", (const char *)context);
}

/* Who wants to know hears of it behind the error. */
TEST(an_error_ends_the_process_with_status_3)
{
    FILE *file = tmpfile();
    char text[] = "so be it";

    assert_int_equal(exit_status_of(HPL_abort, file), 3);
    hpl_at_abort(say, text);
    assert_int_equal(exit_status_of(HPL_pabort, file), 3);
    hpl_at_abort(NULL, NULL);
    assert_int_equal(exit_status_of(HPL_pabort, file), 3);
    assert_string_equal(content(file),
                        "HPL ERROR on line 7 of function HPL_here: 5 bytes\n"
                        "HPL ERROR on line 7 of function HPL_here: 5 bytes\n"
                        "so be it\n"
                        "HPL ERROR on line 7 of function HPL_here: 5 bytes\n");
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/planner/simulate.h"

#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/log.h"

#define PROGRAM "xhpl-sim"

enum { WORDS_MOST = 16, WORD_SIZE = 128 };

/* A command line of words of fixed size. */
typedef struct {
    char text[WORDS_MOST][WORD_SIZE];
    char *argv[WORDS_MOST + 1];
    int count;
} words_t;

#define ADD(w, ...)                                                            \
    do {                                                                       \
        snprintf((w)->text[(w)->count], WORD_SIZE, __VA_ARGS__);               \
        (w)->argv[(w)->count] = (w)->text[(w)->count];                         \
        (w)->argv[++(w)->count] = NULL;                                        \
    } while (0)

/* ---- where it is --------------------------------------------------------- */

static bool is_in(const char *folder, int length, char *path, size_t size)
{
    int written = snprintf(path, size, "%.*s/" PROGRAM, length, folder);

    return written > 0 && (size_t)written < size && access(path, X_OK) == 0;
}

static bool is_beside(char *path, size_t size)
{
    char own[XHPL_FILE_SIZE];
    ssize_t length = readlink("/proc/self/exe", own, sizeof(own));

    while (length > 0 && own[length - 1] != '/')
        length--;
    return length > 0 && is_in(own, (int)length - 1, path, size);
}

static bool find(char *path, size_t size)
{
    const char *folder = getenv("PATH");

    if (is_beside(path, size))
        return true;
    while (folder != NULL && *folder != '\0') {
        int length = (int)strcspn(folder, ":");

        if (is_in(folder, length, path, size))
            return true;
        folder += length + (folder[length] == ':');
    }
    return false;
}

xh_status_t xhpl_simulate_check(bool offloads)
{
    char path[XHPL_FILE_SIZE];

    if (offloads) {
        xh_log_error("--simulate cannot simulate devices: add --set "
                     "devices=none, or leave --simulate out");
        return XH_ERR_INPUT;
    }
    if (!find(path, sizeof(path))) {
        xh_log_error("--simulate: there is no " PROGRAM
                     " beside this program or in PATH: make sim puts it there "
                     "(it needs SimGrid: apt-get install libsimgrid-dev)");
        return XH_ERR_INPUT;
    }
    return XH_OK;
}

/* ---- what it is told ----------------------------------------------------- */

/*
 * Add rates for as many rows as a process has of the matrix. Before a product,
 * rows are moved as fast as memory is read; the rest is the solve. Each was
 * measured separately: a disturbed part may seem longer than the whole, and
 * then a tenth of the whole is taken.
 */
static void add_rates(words_t *w, const hyb_model_rates_t *rates,
                      const hpl_shape_t *test)
{
    /* width of a product with half its rate, as in xhpl-sim */
    const double half = 16.0;
    hyb_model_width_t width = hyb_model_of_width(rates, test->nb);
    double nb = test->nb, rows = (double)test->n / test->nprow;
    double prepare = hyb_model_curve_at(&width.prepare, rows);
    double update = hyb_model_curve_at(&width.update, rows);
    double product = fmax(update - prepare, 0.1 * update);
    double move = rates->sweep > 0.0 ? rates->sweep : 1e15;
    double solve = fmax(prepare - 32.0 * nb / move, 0.1 * prepare);

    ADD(w, "--model=rate=%.6g solve=%.6g panel=%.6g move=%.6g",
        2.0 * rows * (nb + half) / product, nb * nb / solve,
        rows * nb * nb / hyb_model_curve_at(&width.team, rows), move);
}

/* Add the link between processes of a row; a message passes two links. */
static void add_link(words_t *w, const hyb_model_link_t *link)
{
    if (link->bandwidth <= 0.0)
        return;
    ADD(w, "--link=%.6gBps", link->bandwidth);
    ADD(w, "--latency=%.6gus", 1e6 * link->latency / 2.0);
}

/* Add the test; long runs are sampled. */
static void add_test(words_t *w, const xhpl_choice_t *choice)
{
    enum { FIRST = 4, LAST = 12 };
    const hpl_shape_t *test = &choice->test;

    ADD(w, "-n=%d", test->n);
    ADD(w, "--nb=%d", test->nb);
    ADD(w, "-p=%d", test->nprow);
    ADD(w, "-q=%d", test->npcol);
    ADD(w, "--depth=%d", test->depth);
    ADD(w, "--bcast=%d", choice->bcast);
    if (test->n / test->nb > 4 * LAST)
        ADD(w, "--panels=%d:%d", FIRST, LAST);
}

static int spawn(char *const *argv)
{
    extern char **environ;
    pid_t child;
    int status;

    fflush(stdout);
    if (posix_spawn(&child, argv[0], NULL, NULL, argv, environ) != 0)
        return -1;
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return -1;
    return WEXITSTATUS(status);
}

xh_status_t xhpl_simulate_run(const xhpl_choice_t *choice,
                              const hyb_model_rates_t *rates,
                              const xhpl_extent_t *extent)
{
    char path[XHPL_FILE_SIZE];
    words_t w = {.count = 1};

    if (!find(path, sizeof(path)))
        return XH_ERR_INPUT;
    w.argv[0] = path;
    add_test(&w, choice);
    add_rates(&w, rates, &choice->test);
    add_link(&w, &rates->row);
    ADD(&w, "--nodes=%d", extent->nodes);
    ADD(&w, "--ranks-per-node=%d", extent->ranks_per_node);
    ADD(&w, "--what-if=all");
    printf("\nSimulated:\n");
    if (spawn(w.argv) == 0)
        return XH_OK;
    xh_log_error("--simulate: %s failed", path);
    return XH_ERR_INPUT;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/planner/advice.h"

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cpu.h"
#include "base/log.h"
#include "base/settings.h"
#include "base/text.h"
#include "testing/ptest/dat_file.h"
#include "testing/ptest/record.h"

static const double noticeable = 1.01; /* factor of the rate */
static const double faster = 1.1;      /* factor of an estimated rate */

int xhpl_advice_order(const xhpl_job_t *job, const xhpl_extent_t *planned,
                      xhpl_choice_t *best)
{
    hyb_model_rates_t rates = *job->rates;
    xhpl_job_t turned = *job;
    xhpl_choice_t by_columns;

    if (planned->ranks_per_node == 1 || planned->nodes == 1 ||
        best->test.nprow == 1 || best->test.npcol == 1)
        return 0;
    rates.row = job->rates->column;
    rates.column = job->rates->row;
    turned.rates = &rates;
    by_columns = xhpl_choices_predict(&turned, best->test, best->bcast);
    if (by_columns.gflops < noticeable * best->gflops)
        return 0;
    *best = by_columns;
    return 1;
}

/* ---- the file ------------------------------------------------------------ */

xh_status_t xhpl_advice_write(const xhpl_command_t *command,
                              const xhpl_choice_t *best, int pmap)
{
    const hpl_shape_t *test = &best->test;
    xhpl_parameters_t parameters = command->parameters;
    const xhpl_quantity_t chosen[] = {XHPL_N,     XHPL_NB,    XHPL_P,   XHPL_Q,
                                      XHPL_DEPTH, XHPL_BCAST, XHPL_PMAP};
    const int value[] = {test->n,     test->nb,    test->nprow, test->npcol,
                         test->depth, best->bcast, pmap};

    if (command->write == NULL)
        return XH_OK;
    for (int i = 0; i < 7; i++)
        parameters.list[chosen[i]] = (xhpl_list_t){1, {value[i]}};
    return xhpl_dat_create(command->write, &parameters);
}

xh_rivals_t xhpl_advice_rivals(void)
{
    xh_rivals_t rivals = xh_rivals_now();

    if (rivals.text[0] == '\0')
        snprintf(rivals.text, sizeof(rivals.text), "find them with `top`");
    return rivals;
}

xh_status_t xhpl_advice_worthless(const xhpl_command_t *command, double others)
{
    xh_rivals_t rivals = xhpl_advice_rivals();
    bool plans = command->ask == XHPL_ASK_PLAN;
    char why[sizeof(rivals.text) + 100];

    snprintf(why, sizeof(why),
             "WORTHLESS: other programs (%s) used %.0f%% of the cores in both "
             "measurements",
             rivals.text, 100.0 * others);
    if (!command->force) {
        xh_log_error(
            "%s: end these programs and run %s again, or add --force%s%s%s",
            why, plans ? "--plan" : "--predict",
            command->write != NULL ? "; " : "",
            command->write != NULL ? command->write : "",
            command->write != NULL ? " was not written" : "");
        return XH_ERR_INPUT;
    }
    if (plans)
        printf("%s. %s may not be the best: better plan again once the "
               "machine is idle; the result of a run will be right, perhaps "
               "slower\n\n",
               why,
               command->plan_options.seconds > 0.0
                   ? "The grid is right, N and NB"
                   : "N and grid are right, NB");
    else
        printf("%s. The rates below may be wrong: predict again once the "
               "machine is idle\n\n",
               why);
    return XH_OK;
}

/* ---- what limits N ------------------------------------------------------- */

/* Would the next larger N exceed the time limit? Time other than that of
 * products grows more slowly than n^3. */
static bool is_limited_by_time(const xhpl_job_t *job, const xhpl_choice_t *best)
{
    double step = (double)xhpl_choices_n_unit(&best->test) / best->test.n;

    return best->seconds * pow(1.0 + step, 3.0) > job->most_seconds;
}

static void print_limit(const xhpl_plan_options_t *wanted,
                        const xhpl_job_t *job, const xhpl_extent_t *planned,
                        const xhpl_choice_t *best)
{
    static const double most = 0.95; /* of the memory; safe */
    double bytes = job->most_bytes * planned->ranks_per_node;

    if (is_limited_by_time(job, best))
        printf("  N is limited by --time: a longer run has a larger N and a "
               "higher rate\n");
    else if (wanted->memory_bytes > 0.0)
        printf("  N is limited by --memory: %.3g GiB per node\n",
               bytes / 0x1p30);
    else
        printf("  N is limited by memory: %.3g GiB per node, %.0f%% of what is "
               "available%s\n",
               bytes / 0x1p30, 100.0 * wanted->memory_share,
               wanted->memory_share < most ? "; --memory 95% takes more" : "");
}

/* ---- processes per node -------------------------------------------------- */

/* The best choice with `count` processes per node; each has its share of the
 * cores and the memory. */
static xhpl_choice_t with_processes(const xhpl_job_t *job,
                                    const xhpl_extent_t *planned, int count)
{
    double part = (double)planned->ranks_per_node / count;
    hyb_model_rates_t rates = *job->rates;
    xhpl_job_t other = *job;
    xhpl_choice_t choice = {.gflops = 0.0};

    hyb_model_share_out(&rates, part);
    other.rates = &rates;
    other.processes = planned->nodes * count;
    other.most_bytes = job->most_bytes * part;
    xhpl_choices_best(&other, 1, &choice);
    return choice;
}

/* ---- the command --------------------------------------------------------- */

/* Print `word` so that a shell reads it unchanged. */
static void print_word(const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789-_./:,=+@%";

    if (word[0] != '\0' && word[strspn(word, plain)] == '\0') {
        printf("%s", word);
        return;
    }
    putchar('\'');
    for (; *word != '\0'; word++)
        printf(*word == '\'' ? "'\\''" : "%c", *word);
    putchar('\'');
}

/* The command line of this program; each word ends in a 0 byte. */
typedef struct {
    char text[1 << 16];
    size_t length;
} words_t;

static const words_t *own_words(void)
{
    static words_t words;
    FILE *file = fopen("/proc/self/cmdline", "r");

    words.length = 0;
    if (file != NULL) {
        words.length = fread(words.text, 1, sizeof(words.text) - 1, file);
        fclose(file);
    }
    words.text[words.length] = '\0';
    return &words;
}

/* Print the name by which this program was called: "bin/arch/xhpl". */
static void print_program(void)
{
    const char *program = own_words()->text;

    print_word(program[0] != '\0' ? program : "xhpl");
}

/* Return how many words, 0 to 2, form an option that would be wrong with
 * another number of processes. By then the file of --write exists. */
static int outdated(const char *word, const char *next)
{
    static const char *const names[] = {"nodes", "ranks-per-node", "write"};
    const char *name = word + strspn(word, "-");

    if (strcmp(name, "set") == 0 && strncmp(next, "threads=", 8) == 0)
        return 2;
    for (int i = 0; i < 3; i++) {
        size_t length = strlen(names[i]);

        if (strncmp(name, names[i], length) == 0 &&
            (name[length] == '\0' || name[length] == '='))
            return name[length] == '=' ? 1 : 2;
    }
    return 0;
}

/* Print those settings of this command line that also apply to a run. */
static void print_settings(void)
{
    for (int i = 0; i < xh_settings_count(); i++) {
        const char *name = xh_settings_row(i)->name;
        char text[1100];

        if (!xh_settings_changed(name) || strcmp(name, "plan_seconds") == 0 ||
            strcmp(xh_settings_source(name), "--set") != 0)
            continue;
        snprintf(text, sizeof(text), "%s=%s", name, xh_settings_text(name));
        printf(" --set ");
        print_word(text);
    }
}

/* Print the command of this MPI library's launcher, with `each` processes per
 * node. */
static void print_launcher(int nodes, int each, int processes)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;

    MPI_Get_library_version(library, &length);
    if (processes == 1)
        return;
    if (getenv("SLURM_STEP_NUM_TASKS") != NULL &&
        getenv("OMPI_COMM_WORLD_SIZE") == NULL)
        printf("srun -N %d --ntasks-per-node=%d --cpu-bind=none ", nodes, each);
    else if (strstr(library, "Open MPI") != NULL)
        printf("mpirun -np %d --map-by ppr:%d:node --bind-to none ", processes,
               each);
    else
        printf("mpiexec -n %d -ppn %d -bind-to none ", processes, each);
}

/* Print the command that measures and plans with `each` processes per node. */
static void print_measuring(int nodes, int each)
{
    const words_t *words = own_words();
    const char *end = words->text + words->length;
    const char *word = words->text + strlen(words->text) + 1;

    printf("; to measure it: ");
    print_launcher(nodes, each, nodes * each);
    print_program();
    while (word < end) {
        const char *next = word + strlen(word) + 1;
        int left_out = outdated(word, next < end ? next : "");

        if (left_out == 0) {
            printf(" ");
            print_word(word);
        }
        word = left_out == 2 && next < end ? next + strlen(next) + 1 : next;
    }
}

static void print_command(const xhpl_extent_t *planned,
                          const xhpl_choice_t *best, int pmap, const char *dat)
{
    const hpl_shape_t *test = &best->test;

    printf("run: ");
    print_launcher(planned->nodes, planned->ranks_per_node,
                   (int)planned->processes);
    print_program();
    if (dat != NULL) {
        printf(" --dat ");
        print_word(dat);
    } else
        printf(" -n %d --nb %d -p %d -q %d --depth %d --bcast %d --pmap %d",
               test->n, test->nb, test->nprow, test->npcol, test->depth,
               best->bcast, pmap);
    print_settings();
    if (xhpl_record_is_built())
        printf(" --json run.json%s",
               xh_settings_changed("predict") ? "" : " --set predict=on");
    printf("\n");
}

const char *xhpl_advice_estimate(double times)
{
    if (times >= faster)
        return ", higher than this plan";
    return times > 1.0 ? "; this plan is as good" : "";
}

static void compare_processes(const xhpl_job_t *job,
                              const xhpl_extent_t *planned,
                              const xhpl_choice_t *best)
{
    const xh_census_t machine = xh_cpu_census("");
    const int counts[] = {1, 2, machine.sockets};
    int last = 0;

    for (int i = 0; i < 3; i++) {
        bool is_planned = counts[i] == planned->ranks_per_node;
        int64_t all = (int64_t)counts[i] * planned->nodes;
        bool unknown = job->rates->row.bandwidth <= 0.0 && all > 1;
        xhpl_choice_t choice;
        double times;

        if (counts[i] <= last || all > XHPL_PROCESSES_MOST ||
            (counts[i] > machine.cores && !is_planned))
            continue;
        last = counts[i];
        choice = is_planned ? *best : with_processes(job, planned, last);
        if (choice.gflops <= 0.0)
            continue;
        times = choice.gflops / best->gflops;
        printf("  %d process%s per node%s: %s (%s%s%s)", last,
               last > 1 ? "es" : "",
               last > 1 && last == machine.sockets ? ", one per socket" : "",
               xh_text_rate(1e9 * choice.gflops).text,
               is_planned ? "this plan" : "an estimate",
               unknown && !is_planned ? ", without messages" : "",
               is_planned ? "" : xhpl_advice_estimate(times));
        if (!is_planned && times >= faster)
            print_measuring(planned->nodes, last);
        printf("\n");
    }
}

/* ---- all ----------------------------------------------------------------- */

void xhpl_advice_print(const xhpl_command_t *command, const xhpl_job_t *job,
                       const xhpl_extent_t *planned, const xhpl_choice_t *best,
                       int pmap, bool compares)
{
    const hpl_shape_t *test = &best->test;
    double ceiling = job->rates->process * test->nprow * test->npcol;

    printf("\nbest: N = %d with NB = %d on %d x %d processes%s: about %s at "
           "%s, %.3g GiB per process\n",
           test->n, test->nb, test->nprow, test->npcol,
           pmap == 0 ? "" : " by columns (PMAP = 1)",
           xh_text_seconds(best->seconds).text,
           xh_text_rate(1e9 * best->gflops).text, best->bytes / 0x1p30);
    print_limit(&command->plan_options, job, planned, best);
    if (compares && ceiling > 0.0)
        printf("  that is %.2f of the %s that these cores reach in "
               "multiply-adds alone (FMA ceiling)\n",
               1e9 * best->gflops / ceiling, xh_text_rate(ceiling).text);
    if (compares)
        compare_processes(job, planned, best);
    if (command->write != NULL)
        printf("  written to %s\n", command->write);
    print_command(planned, best, pmap, command->write);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/weights.h"

#include <errno.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/log.h"
#include "base/output.h"
#include "base/settings.h"
#include "base/text.h"
#include "hpl/grid/agree.h"
#include "testing/ptest/processes.h"

enum { MOST_BYTES = 16 << 20, PATH = 4096 }; /* of a file; of its name */

/* ---- a file -------------------------------------------------------------- */

/* Read the rates on process 0, which has the names of all hosts, one after the
 * other. */
static xh_status_t take_file(const char *name, const char *names,
                             xhpl_weights_t *weights)
{
    int processes = weights->processes;
    const char **host = calloc((size_t)processes, sizeof(*host));
    size_t length;
    char *text = xh_text_read(name, MOST_BYTES, &length);
    xh_status_t status = XH_ERR_INPUT;

    if (text == NULL)
        xh_log_error("--weights: cannot read '%s': %s; allowed: measure, off, "
                     "or a file of hosts or ranks and rates",
                     name, strerror(errno));
    for (int i = 0; i < processes && host != NULL; i++)
        host[i] = names + (size_t)i * MPI_MAX_PROCESSOR_NAME;
    if (host == NULL)
        status = XH_ERR_MEMORY;
    else if (text != NULL)
        status = xhpl_weights_parse(name, text, processes, host, weights->rate);
    free(text);
    free(host);
    return status;
}

static xh_status_t read_rates(const char *name, xhpl_weights_t *weights)
{
    enum { LENGTH = MPI_MAX_PROCESSOR_NAME };
    int first = xhpl_rank(MPI_COMM_WORLD) == 0, length;
    char mine[LENGTH] = "", *all = NULL;
    xh_status_t status = XH_OK;

    MPI_Get_processor_name(mine, &length);
    if (first)
        all = malloc((size_t)weights->processes * LENGTH);
    if (first && all == NULL)
        status = XH_ERR_MEMORY;
    XH_TRY(hpl_agree(MPI_COMM_WORLD, status));
    MPI_Gather(mine, LENGTH, MPI_CHAR, all, LENGTH, MPI_CHAR, 0,
               MPI_COMM_WORLD);
    if (first)
        status = take_file(name, all, weights);
    free(all);
    XH_TRY(hpl_agree(MPI_COMM_WORLD, status));
    MPI_Bcast(weights->rate, weights->processes, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return XH_OK;
}

/* ---- measured ------------------------------------------------------------ */

static xh_status_t measure_rates(const xhpl_list_t *nb, xhpl_rate_fn_t *measure,
                                 xhpl_weights_t *weights)
{
    double rate = 0.0, highest = 0.0;

    XH_TRY(measure(nb, &rate));
    MPI_Allgather(&rate, 1, MPI_DOUBLE, weights->rate, 1, MPI_DOUBLE,
                  MPI_COMM_WORLD);
    for (int i = 0; i < weights->processes; i++)
        highest = Mmax(highest, weights->rate[i]);
    for (int i = 0; i < weights->processes; i++)
        weights->rate[i] = highest * hpl_deal_round(weights->rate[i], highest);
    /* C libraries need not agree on the last bit */
    MPI_Bcast(weights->rate, weights->processes, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return XH_OK;
}

/* ---- beside checkpoints -------------------------------------------------- */

/* The path of the file in the folder that setting names; false: none is named.
 */
static bool file_in(const char *setting, char *path)
{
    const char *folder = xh_settings_text(setting);

    snprintf(path, PATH, "%.4000s/xhpl-weights", folder);
    return folder[0] != '\0';
}

/* Does this restart use measured rates that were saved? Process 0 looks for the
 * file. */
static bool are_saved(char *path)
{
    int are = file_in("restart", path) && access(path, R_OK) == 0;

    MPI_Bcast(&are, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return are;
}

void xhpl_weights_save(const xhpl_weights_t *weights)
{
    char path[PATH];
    xh_output_t file;
    FILE *out;
    bool good;

    if (weights == NULL || !file_in("checkpoint", path) ||
        strcmp(xh_settings_text("weights"), "measure") != 0 ||
        xh_output_open("--checkpoint", path, NULL, &file) != XH_OK)
        return;
    out = xh_output_begin(&file);
    good = out != NULL;
    for (int i = 0; i < weights->processes && good; i++)
        good = fprintf(out, "%d %.17g\n", i, weights->rate[i]) > 0;
    if (!xh_output_end(&file, out, good))
        xh_log_warning("cannot write %s: %s; a restart needs these rates", path,
                       strerror(errno));
    xh_output_close(&file);
}

void xhpl_weights_delete(void)
{
    char path[PATH];

    if (file_in("checkpoint", path))
        unlink(path);
    if (file_in("restart", path))
        unlink(path);
}

xh_status_t xhpl_weights_open(const xhpl_parameters_t *parameters,
                              xhpl_rate_fn_t *measure,
                              xhpl_weights_t **weights_p)
{
    const char *how = xh_settings_text("weights");
    int processes = xhpl_size(MPI_COMM_WORLD);
    xhpl_weights_t *weights;
    xh_status_t status;
    char saved[PATH];

    *weights_p = NULL;
    if (strcmp(how, "off") == 0)
        return XH_OK;
    if (strcmp(how, "measure") == 0 && are_saved(saved))
        how = saved;
    weights = calloc(1, sizeof(*weights) +
                            (size_t)processes * sizeof(weights->rate[0]));
    XH_TRY(hpl_agree(MPI_COMM_WORLD, weights != NULL ? XH_OK : XH_ERR_MEMORY));
    weights->processes = processes;
    status = strcmp(how, "measure") == 0
                 ? measure_rates(&parameters->list[XHPL_NB], measure, weights)
                 : read_rates(how, weights);
    if (status == XH_OK)
        *weights_p = weights;
    else
        free(weights);
    return status;
}

/* ---- columns of a test --------------------------------------------------- */

double xhpl_weights_column(const xhpl_weights_t *weights, HPL_T_ORDER order,
                           const xhpl_test_t *test, int column, int *least_p,
                           int *most_p)
{
    const double *rate = weights->rate;
    int first = order == HPL_ROW_MAJOR ? column : column * test->nprow;
    int step = order == HPL_ROW_MAJOR ? test->npcol : 1;
    int least = first, most = first;

    for (int p = 1, rank = first + step; p < test->nprow; p++, rank += step) {
        least = rate[rank] < rate[least] ? rank : least;
        most = rate[rank] > rate[most] ? rank : most;
    }
    *least_p = least;
    *most_p = most;
    return rate[least];
}

/* The rates of all process columns, for free(); NULL: no memory. */
static double *rates_of(const xhpl_weights_t *weights, HPL_T_ORDER order,
                        const xhpl_test_t *test)
{
    double *rate = malloc((size_t)test->npcol * sizeof(*rate));
    int least, most;

    for (int q = 0; q < test->npcol && rate != NULL; q++)
        rate[q] = xhpl_weights_column(weights, order, test, q, &least, &most);
    return rate;
}

xh_status_t xhpl_weights_deal(const xhpl_weights_t *weights, HPL_T_ORDER order,
                              const xhpl_test_t *test, hpl_deal_t **deal_p)
{
    double *rate;
    xh_status_t status;

    if (weights == NULL) {
        *deal_p = NULL;
        return XH_OK;
    }
    rate = rates_of(weights, order, test);
    if (rate == NULL)
        return XH_ERR_MEMORY;
    status = hpl_deal_create(rate, test->npcol, test->n, test->nb, deal_p);
    free(rate);
    return status;
}

/* ---- said ---------------------------------------------------------------- */

/* Warn of the first process column whose processes differ. */
static void warn_of_unlike(const xhpl_weights_t *weights, HPL_T_ORDER order,
                           const xhpl_test_t *test)
{
    const double alike = 0.95;
    int least, most;

    for (int q = 0; q < test->npcol; q++) {
        double rate =
            xhpl_weights_column(weights, order, test, q, &least, &most);

        if (rate < alike * weights->rate[most]) {
            xh_log_warning("weights: in process column %d, rank %d has %.0f%% "
                           "of the speed of rank %d, and the slowest process "
                           "sets the pace of the column. Put equal processes "
                           "into one column, by PMAP or the order of hosts",
                           q, least, 100.0 * rate / weights->rate[most], most);
            return;
        }
    }
}

void xhpl_weights_report(const xhpl_weights_t *weights, HPL_T_ORDER order,
                         const xhpl_test_t *test)
{
    double *rate, all = 0.0;
    int least = 0, most = 0;

    if (weights == NULL || (rate = rates_of(weights, order, test)) == NULL)
        return;
    for (int q = 0; q < test->npcol; q++) {
        all += rate[q];
        least = rate[q] < rate[least] ? q : least;
        most = rate[q] > rate[most] ? q : most;
    }
    if (rate[least] < rate[most])
        xh_log_info("weights: on %d x %d processes, process column %d gets the "
                    "smallest part of the matrix, %.1f%%, and column %d the "
                    "largest, %.1f%%; the run is at most %.2f times as fast as "
                    "with equal columns",
                    test->nprow, test->npcol, least, 100.0 * rate[least] / all,
                    most, 100.0 * rate[most] / all,
                    all / rate[least] / test->npcol);
    else
        xh_log_info("weights: on %d x %d processes, all process columns are "
                    "equally fast",
                    test->nprow, test->npcol);
    free(rate);
    warn_of_unlike(weights, order, test);
}

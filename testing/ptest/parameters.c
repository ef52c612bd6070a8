/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/parameters.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "base/text.h"

static const char *const order_words[] = {"row", "column", NULL};
static const char *const order_forms[] = {"Row-major process mapping",
                                          "Column-major process mapping"};
static const char *const fact_words[] = {"left", "crout", "right", NULL};
static const char *const fact_forms[] = {"Left", "Crout", "Right"};
static const char *const bcast_words[] = {"1ring", "1ringM", "2ring", "2ringM",
                                          "Blong", "BlongM", NULL};
static const char *const swap_words[] = {"bin-exch", "long", "mix", NULL};
static const char *const swap_forms[] = {"Binary-exchange",
                                         "Spread-roll (long)", "Mix"};
static const char *const form_words[] = {"transposed", "no-transposed", NULL};
static const char *const form_forms[] = {"transposed form",
                                         "no-transposed form"};
static const char *const no_yes[] = {"no", "yes", NULL};

/*
 * The upper bounds of N, NB and DEPTH keep every sum of bytes below 2^64; no
 * machine reaches them.
 */
static const xhpl_quantity_row_t rows[XHPL_QUANTITIES] = {
    /* clang-format off */
    /*
     * label, option, what,
     * line, count line, least, most, initial, words, forms, allowed,
     * whether HPL 2.3 runs other integers, and as which value
     */
    [XHPL_DEVICE] = {NULL, NULL, "the output device",
        4, 0, INT_MIN, INT_MAX, XHPL_DEVICE_STDOUT, NULL, NULL,
        "6 (stdout), 7 (stderr) or any other integer (a file)",
        false, 0},
    [XHPL_N] = {"N", "n", "the order of the matrix",
        6, 5, 0, 1000000000, 0, NULL, NULL, NULL,
        false, 0},
    [XHPL_NB] = {"NB", "nb", "the width of a panel",
        8, 7, 1, 1000000, 192, NULL, NULL, NULL,
        false, 0},
    [XHPL_PMAP] = {"PMAP", "pmap", "the order of processes on the grid",
        9, 0, 0, 1, 0, order_words, order_forms, NULL,
        true, 0},
    [XHPL_P] = {"P", "p", "the number of process rows",
        11, 10, 1, INT_MAX, 1, NULL, NULL, NULL,
        false, 0},
    [XHPL_Q] = {"Q", "q", "the number of process columns",
        12, 10, 1, INT_MAX, 1, NULL, NULL, NULL,
        false, 0},
    [XHPL_THRESHOLD] = {NULL, "threshold",
        "the residual below which a test passes",
        13, 0, INT_MIN, INT_MAX, 16, NULL, NULL, "a finite number",
        false, 0},
    [XHPL_PFACT] = {"PFACT", "pfact", "the panel factorization",
        15, 14, 0, 2, 1, fact_words, fact_forms, NULL, true, 2},
    [XHPL_NBMIN] = {"NBMIN", "nbmin", "the width at which the recursion stops",
        17, 16, 1, INT_MAX, 8, NULL, NULL, NULL,
        false, 0},
    [XHPL_NDIV] = {"NDIV", "ndiv", "the parts a panel is cut in",
        19, 18, 2, INT_MAX, 2, NULL, NULL, NULL,
        false, 0},
    [XHPL_RFACT] = {"RFACT", "rfact", "the recursive panel factorization",
        21, 20, 0, 2, 2, fact_words, fact_forms, NULL, true, 2},
    [XHPL_BCAST] = {"BCAST", "bcast", "the panel broadcast",
        23, 22, 0, 5, 1, bcast_words, bcast_words, NULL, true, 1},
    [XHPL_DEPTH] = {"DEPTH", "depth", "the look-ahead depth",
        25, 24, 0, 1000, 2, NULL, NULL, NULL,
        false, 0},
    [XHPL_SWAP] = {"SWAP", "swap", "the row exchange",
        26, 0, 0, 2, 2, swap_words, swap_forms, NULL, true, 1},
    [XHPL_SWAP_THRESHOLD] = {NULL, "swap-threshold",
        "the columns above which mix is long",
        27, 0, 0, INT_MAX, 64, NULL, NULL, NULL, true, 0},
    [XHPL_L1] = {"L1", "l1", "the form of L1",
        28, 0, 0, 1, 0, form_words, form_forms, NULL, true, 0},
    [XHPL_U] = {"U", "u", "the form of U",
        29, 0, 0, 1, 0, form_words, form_forms, NULL, true, 0},
    [XHPL_EQUIL] = {"EQUIL", "equil", "equilibration of the row exchange",
        30, 0, 0, 1, 1, no_yes, no_yes, NULL, true, 1},
    [XHPL_ALIGN] = {"ALIGN", "align", "the alignment of memory in doubles",
        31, 0, 1, 1048576, 8, NULL, NULL, NULL, true, 4},
    /* clang-format on */
};

const xhpl_quantity_row_t *xhpl_quantity(xhpl_quantity_t quantity)
{
    return &rows[quantity];
}

void xhpl_parameters_default(xhpl_parameters_t *parameters)
{
    memset(parameters, 0, sizeof(*parameters));
    for (int q = 0; q < XHPL_QUANTITIES; q++) {
        parameters->list[q].count = 1;
        parameters->list[q].value[0] = rows[q].initial;
    }
    parameters->runs = 1;
    parameters->threshold = rows[XHPL_THRESHOLD].initial;
    strcpy(parameters->output, "HPL.out");
}

static bool is_in_range(const xhpl_quantity_row_t *row, const xhpl_list_t *list)
{
    if (list->count < 1 || list->count > XHPL_LIST_MOST)
        return false;
    for (int i = 0; i < list->count; i++)
        if (list->value[i] < row->least || list->value[i] > row->most)
            return false;
    return true;
}

const xhpl_quantity_row_t *
xhpl_parameters_invalid(const xhpl_parameters_t *parameters)
{
    for (int q = 0; q < XHPL_QUANTITIES; q++)
        if (parameters->runs < 1 ||
            (q != XHPL_THRESHOLD &&
             !is_in_range(&rows[q], &parameters->list[q])))
            return &rows[q];
    return NULL;
}

int xhpl_parameters_value(const xhpl_parameters_t *parameters,
                          xhpl_quantity_t quantity)
{
    return parameters->list[quantity].value[0];
}

int64_t xhpl_parameters_processes(const xhpl_parameters_t *parameters)
{
    const xhpl_list_t *p = &parameters->list[XHPL_P];
    const xhpl_list_t *q = &parameters->list[XHPL_Q];
    int64_t largest = 0;

    for (int i = 0; i < p->count; i++)
        if ((int64_t)p->value[i] * q->value[i] > largest)
            largest = (int64_t)p->value[i] * q->value[i];
    return largest;
}

xh_status_t xhpl_integer_parse(const char *token, int least, int most,
                               int *value_p)
{
    const char *digits = token + (token[0] == '-' || token[0] == '+');
    long long value = strtoll(token, NULL, 10);

    if (digits[0] == '\0' || digits[strspn(digits, "0123456789")] != '\0' ||
        value < least || value > most)
        return XH_ERR_INPUT;
    *value_p = (int)value;
    return XH_OK;
}

/* Read a finite decimal number that a double can hold without becoming 0. */
static xh_status_t real_parse(const char *token, double *value_p)
{
    char *end;
    double value;

    errno = 0;
    value = strtod(token, &end);
    if (end == token || *end != '\0' || errno == ERANGE || !isfinite(value) ||
        token[strspn(token, "+-.0123456789eE")] != '\0')
        return XH_ERR_INPUT;
    *value_p = value;
    return XH_OK;
}

/* Read "20k": a whole number with a unit. */
static bool unit_parse(const xhpl_quantity_row_t *row, const char *token,
                       int *value_p)
{
    double x;

    if (row->words != NULL || token[0] == '\0' ||
        token[strspn(token, "0123456789.")] == '\0' ||
        token[strspn(token, "0123456789.") + 1] != '\0' ||
        strchr("kKMG", token[strlen(token) - 1]) == NULL ||
        !xh_text_number(token, &x) || x != floor(x) || x < row->least ||
        x > row->most)
        return false;
    *value_p = (int)x;
    return true;
}

/* Read a value's whole name, or a beginning that no other value shares. */
static xh_status_t word_parse(const xhpl_quantity_row_t *row, const char *token,
                              int *value_p)
{
    int found = -1, matches = 0;

    for (int w = 0; row->words != NULL && row->words[w] != NULL; w++) {
        if (strcasecmp(row->words[w], token) == 0) {
            *value_p = row->least + w;
            return XH_OK;
        }
        if (strncasecmp(row->words[w], token, strlen(token)) == 0) {
            found = w;
            matches++;
        }
    }
    if (token[0] == '\0' || matches != 1)
        return XH_ERR_INPUT;
    *value_p = row->least + found;
    return XH_OK;
}

xh_status_t xhpl_parameters_store(xhpl_quantity_t quantity, int index,
                                  const char *token, xhpl_spelling_t spelling,
                                  xhpl_parameters_t *parameters)
{
    const xhpl_quantity_row_t *row = &rows[quantity];
    int *value = &parameters->list[quantity].value[index];

    if (quantity == XHPL_THRESHOLD)
        return real_parse(token, &parameters->threshold);
    if (xhpl_integer_parse(token, row->least, row->most, value) == XH_OK)
        return XH_OK;
    if (spelling == XHPL_NUMBERS)
        return XH_ERR_INPUT;
    if (unit_parse(row, token, value))
        return XH_OK;
    return word_parse(row, token, value);
}

void xhpl_quantity_allowed(const xhpl_quantity_row_t *row, char *text,
                           size_t size)
{
    text[0] = '\0';
    if (row->allowed != NULL)
        snprintf(text, size, "%s", row->allowed);
    else if (row->words == NULL)
        snprintf(text, size, "an integer from %d to %d", row->least, row->most);
    else
        for (int w = 0; row->words[w] != NULL; w++)
            xh_text_append(text, size, "%s%d (%s)",
                           w == 0                      ? ""
                           : row->words[w + 1] == NULL ? " or "
                                                       : ", ",
                           row->least + w, row->words[w]);
}

/* The valid value of row nearest to token; NaN if token is not a number. */
static double nearest_value(const xhpl_quantity_row_t *row, const char *token)
{
    bool is_number = strspn(token, "+-.0123456789") == strlen(token);
    double x = NAN;
    int words = 0;

    if (row->words != NULL && !is_number) {
        while (row->words[words] != NULL)
            words++;
        words = xh_text_nearest(token, row->words, words);
        return xh_text_is_near(token, row->words[words]) ? row->least + words
                                                         : NAN;
    }
    if (!xh_text_number(token, &x))
        return NAN;
    if (row == &rows[XHPL_THRESHOLD])
        return isfinite(x) ? x : NAN;
    return round(fmin(fmax(x, row->least), row->most));
}

void xhpl_quantity_advice(const xhpl_quantity_row_t *row, const char *token,
                          xhpl_spelling_t spelling, char *text, size_t size)
{
    double x = nearest_value(row, token);
    char allowed[256];

    xhpl_quantity_allowed(row, allowed, sizeof(allowed));
    snprintf(text, size, "allowed: %s", allowed);
    if (token[0] == '\0' || isnan(x))
        return;
    xh_text_append(text, size, "; the nearest is ");
    if (row->words == NULL)
        xh_text_append(text, size, "%.10g", x);
    else if (spelling == XHPL_NUMBERS_OR_WORDS)
        xh_text_append(text, size, "%s", row->words[(int)x - row->least]);
    else
        xh_text_append(text, size, "%.0f (%s)", x,
                       row->words[(int)x - row->least]);
}

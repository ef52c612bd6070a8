/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/status.h"

/*
 * The parameters of a run: one quantity for each line of HPL.dat. Reader,
 * options, checks and the printed header all use its row of one table.
 */
typedef enum {
    XHPL_DEVICE, /* XHPL_DEVICE_STDOUT, _STDERR, else the file output */
    XHPL_N,
    XHPL_NB,
    XHPL_PMAP, /* 0 row, 1 column */
    XHPL_P,
    XHPL_Q,
    XHPL_THRESHOLD, /* a real number */
    XHPL_PFACT,     /* 0 left, 1 Crout, 2 right */
    XHPL_NBMIN,
    XHPL_NDIV,
    XHPL_RFACT, /* as PFACT */
    XHPL_BCAST, /* 0 .. 5 as HPL_T_TOP's order */
    XHPL_DEPTH,
    XHPL_SWAP, /* XHPL_SWAP_BINARY, _LONG, _MIX */
    XHPL_SWAP_THRESHOLD,
    XHPL_L1,    /* 0 transposed, 1 not */
    XHPL_U,     /* 0 transposed, 1 not */
    XHPL_EQUIL, /* 0 no, 1 yes */
    XHPL_ALIGN, /* doubles */
    XHPL_QUANTITIES
} xhpl_quantity_t;

enum { XHPL_DEVICE_STDOUT = 6, XHPL_DEVICE_STDERR = 7 };
enum { XHPL_SWAP_BINARY, XHPL_SWAP_LONG, XHPL_SWAP_MIX };

enum {
    XHPL_LIST_MOST = 20,     /* values of one quantity */
    XHPL_OUTPUT_SIZE = 1024, /* bytes of the output file's name, with the 0 */
};

/* The properties of a quantity. */
typedef struct {
    const char *label;  /* in the printed header; NULL: not printed */
    const char *option; /* "nb" of --nb; NULL: none */
    const char *what;   /* in words, within a sentence */
    int line;           /* line of HPL.dat with the values */
    int count_line;     /* line of HPL.dat with their number; 0: always 1 */
    int least, most;    /* inclusive */
    int initial;        /* the value without HPL.dat */
    const char *const *words; /* names of least, least + 1, ..., then NULL;
                                 NULL: plain numbers */
    const char *const *forms; /* the same in the printed header */
    const char *allowed;      /* valid values in words; NULL: derived from the
                                 members above */
    bool is_lenient;          /* HPL 2.3 runs invalid integers, ... */
    int fallback;             /* ... and uses this value instead */
} xhpl_quantity_row_t;

/* The values of one quantity. */
typedef struct {
    int count; /* 1 .. XHPL_LIST_MOST */
    int value[XHPL_LIST_MOST];
} xhpl_list_t;

/* All parameters of a run; flat, so that one broadcast carries it. */
typedef struct {
    xhpl_list_t list[XHPL_QUANTITIES]; /* P and Q are equally long */
    int runs;                          /* of each test, 1 or more */
    double threshold;
    char output[XHPL_OUTPUT_SIZE];
} xhpl_parameters_t;

/* How a value may be written. */
typedef enum {
    XHPL_NUMBERS,          /* only numbers, as in HPL.dat */
    XHPL_NUMBERS_OR_WORDS, /* also the names of values, as on a command line */
} xhpl_spelling_t;

/* Return the table row of `quantity`. */
const xhpl_quantity_row_t *xhpl_quantity(xhpl_quantity_t quantity);

/* Set the defaults of this program for one test of order 0 on 1 x 1. */
void xhpl_parameters_default(xhpl_parameters_t *parameters);

/* Return the first quantity with an invalid list or value; NULL: all are valid.
 */
const xhpl_quantity_row_t *
xhpl_parameters_invalid(const xhpl_parameters_t *parameters);

/* The first value of quantity, or its only one. */
int xhpl_parameters_value(const xhpl_parameters_t *parameters,
                          xhpl_quantity_t quantity);

/* The number of processes in the largest grid. */
int64_t xhpl_parameters_processes(const xhpl_parameters_t *parameters);

/*
 * Read the whole token as value number index of quantity.
 *
 * token       in      no blanks
 * index       in      0 .. XHPL_LIST_MOST - 1
 * parameters  in,out  the count of the list stays
 *
 * Errors: XH_ERR_INPUT  not a value that xhpl_quantity_allowed describes:
 *                       nothing is reported, nothing changes
 */
xh_status_t xhpl_parameters_store(xhpl_quantity_t quantity, int index,
                                  const char *token, xhpl_spelling_t spelling,
                                  xhpl_parameters_t *parameters);

/* The valid values of row in words: "an integer from 1 to 20". */
void xhpl_quantity_allowed(const xhpl_quantity_row_t *row, char *text,
                           size_t size);

/*
 * Advice on token, an invalid value of row: "allowed: 0 (row) or 1 (column);
 * the nearest is 1 (column)". If spelling allows words, the nearest is given by
 * name only; for an empty token no nearest is given.
 */
void xhpl_quantity_advice(const xhpl_quantity_row_t *row, const char *token,
                          xhpl_spelling_t spelling, char *text, size_t size);

/*
 * Read the whole token as a decimal integer from least to most.
 * Errors: XH_ERR_INPUT  the token is none; *value_p is untouched
 */
xh_status_t xhpl_integer_parse(const char *token, int least, int most,
                               int *value_p);

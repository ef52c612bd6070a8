/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "base/status.h"

/*
 * The number of inserted, deleted and replaced characters between a and b,
 * ignoring case. Only the first 63 characters of b count.
 */
int64_t xh_text_distance(const char *a, const char *b);

/* The index of the word nearest to text among count > 0 words. */
int xh_text_nearest(const char *text, const char *const *words, int count);

/* May the user have meant word by text? Yes if at most a third of the letters
 * differ, if text is the beginning, or if only capitals differ. */
bool xh_text_is_near(const char *text, const char *word);

/*
 * Parse the number at the start of text, to advise its author: a suffix k, M, G
 * or T multiplies the number ("100G"); any other unit is ignored. Returns
 * whether there is a number.
 */
bool xh_text_number(const char *text, double *x_p);

/* Append to text, which has room for `size` bytes; the rest is cut. */
void xh_text_append(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* For people: "0.35 s", "31 min", "2 h 10 min", "3 d 4 h"; and flop/s: "11.2
 * Tflop/s". The texts are complete: their arrays hold the longest. */
typedef struct {
    char text[32];
} xh_words_t;

xh_words_t xh_text_seconds(double seconds);
xh_words_t xh_text_rate(double rate);

/* Write x with 1 to 9 digits, or with all digits before the point: "0.12",
 * "12400". */
xh_words_t xh_text_plain(double x, int digits);

/*
 * Close out, from open_memstream(text, size), which may have failed (NULL);
 * then the caller frees *text.
 *
 * what  in  "the trace"
 * Errors: XH_ERR_MEMORY  logged; there is no text
 */
xh_status_t xh_text_close(FILE *out, char **text, const char *what);

/*
 * Read a file that is shorter than `most` bytes, and add a 0 byte; the caller
 * frees it. NULL: errno says why.
 *
 * length_p  out  bytes of the file
 */
char *xh_text_read(const char *path, size_t most, size_t *length_p);

/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "base/status.h"

/*
 * Insertions, deletions and replacements of a character that lead from a to b,
 * ignoring case. Only the first 63 characters of b count.
 */
int64_t xh_text_distance(const char *a, const char *b);

/* The index of the word nearest to text among count > 0 words. */
int xh_text_nearest(const char *text, const char *const *words, int count);

/* Is word so near to text that it may have been meant? A third of the letters
 * differ at most, or text is the beginning, or only capitals differ. */
bool xh_text_is_near(const char *text, const char *word);

/*
 * The number that text begins with, to advise whoever wrote it: k, M, G and T
 * behind it multiply it, "100G"; another unit is left off.
 * Returns whether there is one.
 */
bool xh_text_number(const char *text, double *x_p);

/* Append to text, which has room for size bytes; what does not fit is cut. */
void xh_text_append(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* For people: "0.35 s", "31 min", "2 h 10 min", "3 d 4 h"; and flop/s: "11.2
 * Tflop/s". The texts are complete: their arrays hold the longest. */
typedef struct {
    char text[32];
} xh_words_t;

xh_words_t xh_text_seconds(double seconds);
xh_words_t xh_text_rate(double rate);

/* With that many digits, 1 to 9, or all in front of the point: "0.12", "12400".
 */
xh_words_t xh_text_plain(double x, int digits);

/*
 * Close out, of open_memstream(text, size); *text is then the caller's to
 * free(). out may be NULL: open_memstream failed.
 *
 * what  in  "the trace"
 * Errors: XH_ERR_MEMORY  said; there is no text
 */
xh_status_t xh_text_close(FILE *out, char **text, const char *what);

/*
 * All of a file that is shorter than most bytes, with a 0 behind it, for
 * free(). NULL: errno says why.
 *
 * length_p  out  bytes of the file
 */
char *xh_text_read(const char *path, size_t most, size_t *length_p);

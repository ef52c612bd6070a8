/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HPL_DIAGNOSTIC_H
#define HPL_DIAGNOSTIC_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

/* where a warning or an error comes from */
typedef struct {
    const char *kind;     /* "ERROR", "WARNING" */
    const char *process;  /* "process # 3 on node17", or NULL: not known */
    const char *function; /* name of the function */
    int line;             /* of the source, <= 0: not known */
} hpl_origin_t;

enum { HPL_DIAGNOSTIC_SIZE = 1024 }; /* of a line, with its end */

/*
 * Write "HPL <kind> from <process>, on line <line> of function <function>: "
 * and the message of printf's form and values, as one line in one piece, and
 * flush. Very long messages are cut.
 */
void hpl_diagnostic_write(FILE *stream, const hpl_origin_t *origin,
                          const char *form, va_list values)
    __attribute__((format(printf, 3, 0)));

/* The same line into line_p, without the character that ends it. */
void hpl_diagnostic_print(const hpl_origin_t *origin, const char *form,
                          va_list values, char line_p[HPL_DIAGNOSTIC_SIZE])
    __attribute__((format(printf, 2, 0)));

#endif

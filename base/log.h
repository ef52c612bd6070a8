/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XH_LOG_H
#define XH_LOG_H

/*
 * Messages to people, on stderr, one line each, written with one write so
 * that lines of several processes do not mix:
 *
 *     xhpl: error: rank 3 on node17: cannot allocate 81.2 GiB
 *
 * "rank R on HOST" appears once xh_log_identify has been called and the
 * message concerns one process (warning and error); information lines carry
 * no prefix but "xhpl: ". Safe to call from any thread.
 */

typedef enum {
    XH_LOG_ERROR,
    XH_LOG_WARNING,
    XH_LOG_INFO,
    XH_LOG_LEVELS
} xh_log_level_t;

/* Name this process in later messages. host is copied. program too. */
void xh_log_identify(const char *program, int rank, const char *host);

/* Drop messages less urgent than level; --quiet is XH_LOG_WARNING. */
void xh_log_limit(xh_log_level_t level);

void xh_log_error(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
void xh_log_warning(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
void xh_log_info(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

#endif

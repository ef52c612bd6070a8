/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XH_LOG_H
#define XH_LOG_H

#include <stdbool.h>

/*
 * Messages to people, on stderr, one line each, written with one write so
 * that lines of several processes do not mix:
 *
 *     xhpl: error: rank 3 on node17: cannot allocate 81.2 GiB
 *
 * "rank R on HOST" appears once xh_log_identify has been called and the
 * message concerns one process (warning and error); information lines carry
 * no prefix but "xhpl: ". Control characters in a message are printed as '?',
 * a message longer than a line's 4095 characters is cut. Safe to call from
 * any thread; errno survives.
 */

typedef enum {
    XH_LOG_ERROR,
    XH_LOG_WARNING,
    XH_LOG_INFO,
    XH_LOG_LEVELS
} xh_log_level_t;

/*
 * Name this process in later messages. host is copied. program too. A rank
 * below 0 is a process that is alone: no place is said.
 * Order: not while other threads log.
 */
void xh_log_identify(const char *program, int rank, const char *host);

/*
 * Drop messages less urgent than level; --quiet is XH_LOG_WARNING.
 * Order: not while other threads log.
 */
void xh_log_limit(xh_log_level_t level);

void xh_log_error(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
void xh_log_warning(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
void xh_log_info(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * An error that has a form of its own, such as that of a library which others
 * know: the line as it is, without the program's name or the place.
 */
void xh_log_error_as_is(const char *line);

/* A warning about the process of that rank and host; rank below 0: about no
 * one in particular. */
void xh_log_warning_of(int rank, const char *host, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * Let hear have each error and warning as well, whatever the limit: the text
 * behind "error: " or "warning: ", or the line as it is. Any thread may call
 * it. NULL ends it.
 */
typedef void xh_log_listener_t(xh_log_level_t level, const char *text);
void xh_log_listen(xh_log_listener_t *hear);

/*
 * Let text stand alone on the last line of a terminal, in place of what was
 * there so; "" takes it away. It is cut to the terminal's width, at a comma if
 * it has one; a message takes it away, too. As urgent as information. Order:
 * one thread.
 */
void xh_log_live(const char *text);

/*
 * Another process keeps a live line on the terminal that stderr leads to, or
 * does so no more: each message takes it away first, too. Any thread.
 */
void xh_log_beside_live(bool is_there);

/* Is stderr a terminal itself, where xh_log_live makes sense? A launcher's pipe
 * is none, and may lead to one. */
bool xh_log_is_terminal(void);

#endif

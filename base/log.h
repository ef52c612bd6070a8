/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

/*
 * Messages on stderr, one line each, written at once so that lines of several
 * processes do not mix:
 *
 *     xhpl: error: rank 3 on node17: cannot allocate 81.2 GiB
 *
 * Errors and warnings name the process once xh_log_identify was called;
 * information is prefixed by the program's name only. Control characters are
 * printed as '?', and a message is cut to a line of 4095 characters. Safe to
 * call from any thread; errno stays.
 */

typedef enum {
    XH_LOG_ERROR,
    XH_LOG_WARNING,
    XH_LOG_INFO,
    XH_LOG_LEVELS
} xh_log_level_t;

/*
 * Name this process in later messages; program and host are copied. A process
 * with a negative rank is alone: its messages name no place.
 * Order: not while other threads log.
 */
void xh_log_identify(const char *program, int rank, const char *host);

/* Is this process rank 0, or alone? Only the first process logs what all would
 * log. */
bool xh_log_is_first(void);

/*
 * Drop messages less urgent than level; --quiet is XH_LOG_WARNING.
 * Order: not while other threads log.
 */
void xh_log_limit(xh_log_level_t level);

void xh_log_message(xh_log_level_t level, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
#define xh_log_error(...) xh_log_message(XH_LOG_ERROR, __VA_ARGS__)
#define xh_log_warning(...) xh_log_message(XH_LOG_WARNING, __VA_ARGS__)
#define xh_log_info(...) xh_log_message(XH_LOG_INFO, __VA_ARGS__)

/* Log an error in the form of another library: without program name and place.
 */
void xh_log_error_as_is(const char *line);

/* Log a warning about the process of that rank and host; a negative rank means
 * no process. */
void xh_log_warning_of(int rank, const char *host, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * Also pass each error and warning to `hear`, whatever the limit: the text
 * after "error: " or "warning: ", or the line as it is. Any thread may call
 * hear. NULL ends it.
 */
typedef void xh_log_listener_t(xh_log_level_t level, const char *text);
void xh_log_listen(xh_log_listener_t *hear);

/*
 * Show text as the last line of a terminal, in place of the previous live line;
 * "" erases it. The line is cut to the terminal's width, at a comma if
 * possible. Messages erase it, too. Its level is information. Order: one
 * thread.
 */
void xh_log_live(const char *text);

/*
 * Note whether another process has a live line on the same terminal: if so,
 * each message first erases that line. Any thread may call this.
 */
void xh_log_beside_live(bool is_there);

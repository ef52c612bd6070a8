/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/log.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
    LINE = 4096, /* what a pipe takes at once */
    NAME = 256,
    LIVE = 256, /* longest live line */
    WIDTH = 79  /* width if the terminal's is unknown */
};

static const char *const words[XH_LOG_LEVELS] = {
    [XH_LOG_ERROR] = "error: ",
    [XH_LOG_WARNING] = "warning: ",
    [XH_LOG_INFO] = "",
};

static xh_log_level_t limit = XH_LOG_INFO;
static char program_name[NAME] = "xhpl";
static char place[2 * NAME]; /* "rank R on HOST: " */
static bool is_first = true;
static _Atomic int live;   /* characters of the live line */
static atomic_bool beside; /* another process may show one */
static xh_log_listener_t *_Atomic listener;

static void write_place(int rank, const char *host, char text[2 * NAME])
{
    text[0] = '\0';
    if (rank >= 0)
        snprintf(text, 2 * NAME, "rank %d on %.255s: ", rank, host);
}

void xh_log_identify(const char *program, int rank, const char *host)
{
    snprintf(program_name, sizeof(program_name), "%s", program);
    write_place(rank, host, place);
    is_first = rank <= 0;
}

bool xh_log_is_first(void)
{
    return is_first;
}

void xh_log_limit(xh_log_level_t level)
{
    limit = level;
}

static void write_all(const char *text, size_t length)
{
    while (length > 0) {
        ssize_t written = write(STDERR_FILENO, text, length);

        if (written < 0 && errno != EINTR)
            return;
        if (written > 0) {
            text += written;
            length -= (size_t)written;
        }
    }
}

/* Write characters that erase the live line, if there is one. Returns their
 * number. */
static int erase(char *line)
{
    int width = atomic_exchange(&live, 0);

    if (width == 0 && atomic_load(&beside))
        width = WIDTH;
    return width > 0 ? sprintf(line, "\r%*s\r", width, "") : 0;
}

/* Errors are red and warnings yellow on a terminal, unless NO_COLOR is set
 * (no-color.org). */
static bool has_colours(void)
{
    const char *no = getenv("NO_COLOR"), *terminal = getenv("TERM");

    return (no == NULL || no[0] == '\0') && terminal != NULL &&
           strcmp(terminal, "dumb") != 0 && isatty(STDERR_FILENO) != 0;
}

/* Write a complete line, in the color of its level. */
static void write_coloured(xh_log_level_t level, const char *line,
                           size_t length)
{
    char text[LINE + 16];

    if (level > XH_LOG_WARNING || !has_colours()) {
        write_all(line, length);
        return;
    }
    snprintf(text, sizeof(text), "\x1b[%dm%.*s\x1b[0m\n",
             level == XH_LOG_ERROR ? 31 : 33, (int)length - 1, line);
    write_all(text, strlen(text));
}

/*
 * Print `line`, of LINE characters, and pass it to the listener. Its first
 * `erased` characters take the live line away; the listener gets what follows
 * the first `head`.
 */
static void say(xh_log_level_t level, char *line, int erased, int head)
{
    xh_log_listener_t *hear = atomic_load(&listener);
    size_t length;

    for (char *at = line + erased; *at != '\0'; at++)
        if (iscntrl((unsigned char)*at))
            *at = '?';
    if (hear != NULL && level <= XH_LOG_WARNING)
        hear(level, line + head);
    length = strnlen(line, LINE - 1);
    line[length] = '\n';
    if (level <= limit)
        write_coloured(level, line, length + 1);
}

/* where  in  the process that the message is about, in the form of `place` */
static void message(xh_log_level_t level, const char *where, const char *format,
                    va_list values)
{
    char line[LINE];
    int saved = errno;
    int erased, head, text;

    erased = head = level <= limit ? erase(line) : 0;
    head += snprintf(line + head, sizeof(line) - (size_t)head, "%s: %s",
                     program_name, words[level]);
    text = head;
    head += snprintf(line + head, sizeof(line) - (size_t)head, "%s", where);
    errno = saved; /* so that %m works */
    vsnprintf(line + head, sizeof(line) - (size_t)head, format, values);
    say(level, line, erased, text);
    errno = saved;
}

void xh_log_listen(xh_log_listener_t *hear)
{
    atomic_store(&listener, hear);
}

void xh_log_message(xh_log_level_t level, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    message(level, level == XH_LOG_INFO ? "" : place, format, values);
    va_end(values);
}

void xh_log_error_as_is(const char *text)
{
    char line[LINE];
    int saved = errno, erased = erase(line);

    snprintf(line + erased, sizeof(line) - (size_t)erased, "%s", text);
    say(XH_LOG_ERROR, line, erased, erased);
    errno = saved;
}

void xh_log_warning_of(int rank, const char *host, const char *format, ...)
{
    char where[2 * NAME];
    va_list values;

    write_place(rank, host, where);
    va_start(values, format);
    message(XH_LOG_WARNING, where, format, values);
    va_end(values);
}

/* Leave the last column free, because some terminals wrap after it. */
static int terminal_width(void)
{
    struct winsize size;

    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 2)
        return WIDTH;
    return size.ws_col < LIVE ? size.ws_col - 1 : LIVE - 1;
}

/* Number of characters of `text` to show in `width`: cut at a comma if
 * possible. */
static int shown_of(const char *text, int width)
{
    int length = (int)strlen(text), at = width;

    if (length <= width)
        return length;
    while (at > 0 && text[at] != ',')
        at--;
    return at > 0 ? at : width;
}

void xh_log_live(const char *text)
{
    char line[2 * LIVE + 4];
    int saved = errno, width, before;

    if (XH_LOG_INFO > limit)
        return;
    width = text[0] != '\0' ? shown_of(text, terminal_width()) : 0;
    if (width == 0) {
        write_all(line, (size_t)erase(line));
    } else {
        before = atomic_exchange(&live, width);
        sprintf(line, "\r%-*.*s", before, width, text);
        write_all(line, strlen(line));
    }
    errno = saved;
}

void xh_log_beside_live(bool is_there)
{
    atomic_store(&beside, is_there);
}

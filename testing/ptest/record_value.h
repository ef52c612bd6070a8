/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XHPL_RECORD_VALUE_H
#define XHPL_RECORD_VALUE_H

#include <jansson.h>
#include <stdint.h>
#include <time.h>

/*
 * Values of a record. What has no form in JSON becomes null: a number that is
 * not finite, a text that is NULL or empty. Bytes that are no UTF-8 become '?'.
 */
json_t *xhpl_json_number(double x);
json_t *xhpl_json_text(const char *text);

/* UTC with milliseconds: "2026-03-29T01:30:00.250Z". */
json_t *xhpl_json_moment(const struct timespec *moment);

/*
 * list, or null where those before it have *used up `most` members, as memory
 * is limited; *used counts what is kept. list may be null itself.
 */
json_t *xhpl_json_within(json_t *list, int64_t most, int64_t *used);

/* Give object the member key; an earlier one of that name is replaced. */
void xhpl_json_set_number(json_t *object, const char *key, double x);
void xhpl_json_set_count(json_t *object, const char *key, int64_t x);
void xhpl_json_set_text(json_t *object, const char *key, const char *text);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <jansson.h>
#include <stdint.h>
#include <time.h>

/*
 * Values of the programs' records. What JSON cannot express becomes null: a
 * number that is not finite, a text that is NULL or empty. Bytes that are not
 * UTF-8 become '?'.
 */
json_t *xh_json_number(double x);
json_t *xh_json_text(const char *text);
json_t *xh_json_positive(int64_t x); /* x > 0, else null */

/* UTC with milliseconds: "2026-03-29T01:30:00.250Z". */
json_t *xh_json_moment(const struct timespec *moment);
json_t *xh_json_now(void);

/* An object for each line of csv after the line of names; no empty members. */
json_t *xh_json_table(const char *csv, size_t size);

/* a member of an object; value NULL becomes null */
typedef struct {
    const char *key;
    json_t *value;
} xh_json_member_t;

/*
 * Set members of object, which takes over their values; the last one has no
 * key. A member that object has already is replaced.
 * Returns object.
 */
json_t *xh_json_set_members(json_t *object, const xh_json_member_t *members);

/* XH_JSON_SET(object, {"n", json_integer(n)}, {"name", xh_json_text(name)}) */
#define XH_JSON_SET(object, ...)                                               \
    xh_json_set_members(object,                                                \
                        (const xh_json_member_t[]){__VA_ARGS__, {NULL, NULL}})
#define XH_JSON_OBJECT(...) XH_JSON_SET(json_object(), __VA_ARGS__)

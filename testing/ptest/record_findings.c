/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/record_parts.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "testing/json/json.h"
#include "testing/ptest/processes.h"
#include "testing/ptest/record.h"

enum { MOST = 1000 }; /* of a process; later ones are dropped */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static json_t *found;

static void hear(xh_log_level_t level, const char *text)
{
    const char *word = level == XH_LOG_ERROR ? "error" : "warning";
    json_t *object =
        XH_JSON_OBJECT({"time", xh_json_now()}, {"level", json_string(word)},
                       {"text", xh_json_text(text)});

    pthread_mutex_lock(&lock);
    if (json_array_size(found) < MOST)
        json_array_append(found, object);
    pthread_mutex_unlock(&lock);
    json_decref(object);
}

void xhpl_record_listen(void)
{
    if (found == NULL)
        found = json_array();
    xh_log_listen(hear);
}

json_t *xhpl_record_findings(void)
{
    json_t *copy;

    pthread_mutex_lock(&lock);
    copy = json_deep_copy(found);
    pthread_mutex_unlock(&lock);
    return copy;
}

static int by_time(const void *one, const void *other)
{
    json_t *const *a = one, *const *b = other;

    return strcmp(json_string_value(json_object_get(*a, "time")),
                  json_string_value(json_object_get(*b, "time")));
}

/* Sort by time, under the lock; without memory the order stays. */
static void sort(void)
{
    size_t i, count = json_array_size(found);
    json_t **each = malloc((count + 1) * sizeof(*each)), *value;

    if (each == NULL)
        return;
    json_array_foreach(found, i, value) each[i] = json_incref(value);
    qsort(each, count, sizeof(*each), by_time);
    for (i = 0; i < count; i++)
        json_array_set_new(found, i, each[i]);
    free(each);
}

void xhpl_record_findings_gather(void)
{
    bool is_first =
        xhpl_rank(MPI_COMM_WORLD) == 0; /* which goes on listening */
    json_t *others = xhpl_record_gather(
        MPI_COMM_WORLD, is_first ? json_array() : xhpl_record_findings());

    pthread_mutex_lock(&lock);
    json_array_extend(found, others);
    sort();
    pthread_mutex_unlock(&lock);
    json_decref(others);
}

void xhpl_record_findings_close(void)
{
    xh_log_listen(NULL);
    pthread_mutex_lock(&lock);
    json_decref(found);
    found = NULL;
    pthread_mutex_unlock(&lock);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/record_findings.h"

#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "testing/json/json.h"
#include "testing/ptest/processes.h"

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

void xhpl_record_findings_open(void)
{
    if (found == NULL)
        found = json_array();
    xh_log_listen(hear);
}

/* ---- those of all processes ---------------------------------------------- */

static void receive(int process)
{
    size_t size;
    char *text;
    json_t *theirs;

    xhpl_text_receive(process, &text, &size);
    theirs = json_loadb(text, size, 0, NULL);
    pthread_mutex_lock(&lock);
    json_array_extend(found, theirs);
    pthread_mutex_unlock(&lock);
    json_decref(theirs);
    free(text);
}

static void send(void)
{
    json_t *mine = xhpl_record_findings();
    char *text = json_dumps(mine, JSON_COMPACT);

    xhpl_text_send(text, text != NULL ? strlen(text) : 0);
    json_decref(mine);
    free(text);
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
    json_t **each = malloc((count + 1) * sizeof(*each));

    if (each == NULL)
        return;
    for (i = 0; i < count; i++)
        each[i] = json_incref(json_array_get(found, i));
    qsort(each, count, sizeof(*each), by_time);
    for (i = 0; i < count; i++)
        json_array_set_new(found, i, each[i]);
    free(each);
}

void xhpl_record_findings_gather(void)
{
    if (xhpl_rank(MPI_COMM_WORLD) != 0) {
        send();
        return;
    }
    for (int process = 1; process < xhpl_size(MPI_COMM_WORLD); process++)
        receive(process);
    pthread_mutex_lock(&lock);
    sort();
    pthread_mutex_unlock(&lock);
}

json_t *xhpl_record_findings(void)
{
    json_t *copy;

    pthread_mutex_lock(&lock);
    copy = json_deep_copy(found);
    pthread_mutex_unlock(&lock);
    return copy;
}

void xhpl_record_findings_close(void)
{
    xh_log_listen(NULL);
    pthread_mutex_lock(&lock);
    json_decref(found);
    found = NULL;
    pthread_mutex_unlock(&lock);
}

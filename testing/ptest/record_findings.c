/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/record_findings.h"

#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "hpl.h"
#include "testing/json/json.h"
#include "testing/ptest/processes.h"

enum {
    MOST = 1000, /* of a process; later ones are dropped */
    TAG = 3
};

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

/* The findings of this process as text, for free(); NULL: none. */
static char *text_of_findings(void)
{
    json_t *mine = xhpl_record_findings();
    char *text =
        json_array_size(mine) > 0 ? json_dumps(mine, JSON_COMPACT) : NULL;

    json_decref(mine);
    return text;
}

static void receive(int source, int length)
{
    char *text = malloc((size_t)length);
    json_t *theirs;

    if (text == NULL)
        HPL_pabort(__LINE__, "xhpl_record_findings_gather", "out of memory");
    MPI_Recv(text, length, MPI_BYTE, source, TAG, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    theirs = json_loadb(text, (size_t)length, 0, NULL);
    pthread_mutex_lock(&lock);
    json_array_extend(found, theirs);
    pthread_mutex_unlock(&lock);
    json_decref(theirs);
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

/* lengths  in  of the texts of all processes */
static void receive_all(const int *lengths, int processes)
{
    for (int source = 1; source < processes; source++)
        if (lengths[source] > 0)
            receive(source, lengths[source]);
    pthread_mutex_lock(&lock);
    sort();
    pthread_mutex_unlock(&lock);
}

void xhpl_record_findings_gather(void)
{
    char *text = text_of_findings();
    int length = text != NULL ? (int)strlen(text) : 0;
    int *lengths = xhpl_gather(MPI_COMM_WORLD, &length, sizeof(length));

    if (lengths != NULL)
        receive_all(lengths, xhpl_size(MPI_COMM_WORLD));
    else if (length > 0)
        MPI_Send(text, length, MPI_BYTE, 0, TAG, MPI_COMM_WORLD);
    free(lengths);
    free(text);
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

/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/record_findings.h"

#include <pthread.h>
#include <time.h>
#include "base/log.h"
#include "testing/ptest/record_value.h"

enum { MOST = 1000 }; /* what comes later is not kept */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static json_t *found;

static void hear(xh_log_level_t level, const char *text)
{
    json_t *object = json_object();
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    json_object_set_new(object, "time", xhpl_json_moment(&now));
    xhpl_json_set_text(object, "level",
                       level == XH_LOG_ERROR ? "error" : "warning");
    xhpl_json_set_text(object, "text", text);
    pthread_mutex_lock(&lock);
    if (json_array_size(found) < MOST)
        json_array_append(found, object);
    pthread_mutex_unlock(&lock);
    json_decref(object);
}

void xhpl_record_findings_open(void)
{
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

void xhpl_record_findings_close(void)
{
    xh_log_listen(NULL);
    pthread_mutex_lock(&lock);
    json_decref(found);
    found = NULL;
    pthread_mutex_unlock(&lock);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "hpl/pauxil/hang.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static hpl_hang_t found;
static bool has_found;

void hpl_hang_note(const hpl_hang_t *hang)
{
    pthread_mutex_lock(&lock);
    found = *hang;
    has_found = true;
    pthread_mutex_unlock(&lock);
}

bool hpl_hang_found(hpl_hang_t *hang_p)
{
    bool has;

    pthread_mutex_lock(&lock);
    has = has_found;
    if (has)
        *hang_p = found;
    pthread_mutex_unlock(&lock);
    return has;
}

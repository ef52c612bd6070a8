/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/checkpoint/checkpoint.h"

#include "base/settings.h"
#include "hybrid/lu/checkpoint/settings.h"
#include "hybrid/lu/checkpoint/store.h"

/* Of both folders of the run. */
static void for_folders(int row, int column,
                        void (*call)(const hyb_store_t *store))
{
    static const char *const settings[] = {"restart", "checkpoint"};

    for (int i = 0; i < 2 && row >= 0; i++)
        if (hyb_checkpoint_is_asked(settings[i]))
            call(&(hyb_store_t){xh_settings_text(settings[i]), row, column,
                                false});
}

static void mark_done(const hyb_store_t *store)
{
    hyb_store_put_done(store);
}

void hyb_checkpoint_clear(MPI_Comm comm, int row, int column)
{
    if (!hyb_checkpoint_are_asked())
        return;
    for_folders(row, column, mark_done);
    MPI_Barrier(comm);
    for_folders(row, column, hyb_store_clear);
    MPI_Barrier(comm);
    for_folders(row, column, hyb_store_remove_done);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/checkpoint/folders.h"

#include <fcntl.h>
#include <unistd.h>
#include "base/settings.h"
#include "hybrid/lu/checkpoint/checkpoint.h"
#include "hybrid/lu/checkpoint/settings.h"

static const char *const settings[] = {"restart", "checkpoint"};
static hyb_store_t folders[] = {{.fd = -1}, {.fd = -1}};

const hyb_store_t *hyb_folder_open(hyb_folder_t which, const HPL_T_grid *grid,
                                   char *why_p)
{
    return hyb_store_begin(xh_settings_text(settings[which]), grid->myrow,
                           grid->mycol, &folders[which], why_p)
               ? &folders[which]
               : NULL;
}

const hyb_store_t *hyb_folder(hyb_folder_t which)
{
    return folders[which].fd >= 0 ? &folders[which] : NULL;
}

void hyb_folders_close(void)
{
    for (int i = 0; i < HYB_FOLDERS; i++)
        hyb_store_end(&folders[i]);
}

/* ---- the end of a run ---------------------------------------------------- */

bool hyb_folder_is_done(const hyb_store_t *store)
{
    return hyb_store_exists(store, "done");
}

static void mark_done(const hyb_store_t *store)
{
    int file = hyb_store_open(store, "done", O_WRONLY | O_TRUNC);

    if (file >= 0)
        close(file);
    hyb_store_sync(store);
}

static void remove_files(const hyb_store_t *store)
{
    hyb_store_keep(store, 0);
    hyb_store_unlink(store, "alive");
}

static void remove_mark(const hyb_store_t *store)
{
    hyb_store_unlink(store, "done");
}

static void for_both(bool mine, void (*call)(const hyb_store_t *store))
{
    for (int i = 0; mine && i < HYB_FOLDERS; i++)
        if (folders[i].fd >= 0)
            call(&folders[i]);
}

void hyb_checkpoint_clear(MPI_Comm comm, bool mine)
{
    if (!hyb_checkpoint_are_asked())
        return;
    for_both(mine, mark_done);
    MPI_Barrier(comm);
    for_both(mine, remove_files);
    MPI_Barrier(comm);
    for_both(mine, remove_mark);
    hyb_folders_close();
}

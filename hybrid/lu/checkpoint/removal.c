/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/checkpoint/checkpoint.h"

#include <fcntl.h>
#include <unistd.h>
#include "hybrid/lu/checkpoint/settings.h"
#include "hybrid/lu/checkpoint/store.h"

static void mark_done(const hyb_store_t *store)
{
    int file = hyb_store_open(store, HYB_STORE_DONE, O_WRONLY | O_TRUNC);

    if (file >= 0)
        close(file);
    fsync(store->fd);
}

static void remove_files(const hyb_store_t *store)
{
    hyb_store_keep(store, 0);
    hyb_store_unlink(store, HYB_STORE_ALIVE);
}

static void remove_mark(const hyb_store_t *store)
{
    hyb_store_unlink(store, HYB_STORE_DONE);
}

static void call_on_folders(bool mine, void (*call)(const hyb_store_t *store))
{
    if (mine && hyb_store_restart.fd >= 0)
        call(&hyb_store_restart);
    if (mine && hyb_store_checkpoint.fd >= 0)
        call(&hyb_store_checkpoint);
}

void hyb_checkpoint_clear(MPI_Comm comm, bool mine)
{
    if (!hyb_checkpoint_are_asked())
        return;
    call_on_folders(mine, mark_done);
    MPI_Barrier(comm);
    call_on_folders(mine, remove_files);
    MPI_Barrier(comm);
    call_on_folders(mine, remove_mark);
}

const char *hyb_checkpoint_advice(void)
{
    return hyb_store_checkpoint.fd >= 0
               ? "; --restart goes on from the last checkpoint, if there is one"
               : "";
}

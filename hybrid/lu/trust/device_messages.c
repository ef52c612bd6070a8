/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/log.h"
#include "base/settings.h"
#include "hpl/trust/trust.h"
#include "hybrid/lu/trust/trust.h"

/* Memory of a device: what is sent, and what comes from either side. */
typedef struct {
    hyb_queue_t *queue;
    hyb_event_t *done;
    hyb_buffer_t *memory;
} mailbox_t;

static xh_status_t open_mailbox(hyb_device_t *device, mailbox_t *m)
{
    size_t doubles = (1 + HPL_TRUST_SIDES) * (size_t)HPL_TRUST_MOST;

    XH_TRY(hyb_queue_create(device, HYB_QUEUE_NORMAL, &m->queue));
    XH_TRY(hyb_event_create(device, &m->done));
    return hyb_buffer_create(device, doubles * sizeof(double), &m->memory);
}

static void close_mailbox(mailbox_t *m)
{
    hyb_buffer_destroy(m->memory);
    hyb_event_destroy(m->done);
    hyb_queue_destroy(m->queue);
}

/* Vector number 0 is sent; 1 and 2 come. */
static hyb_block_t vector(const mailbox_t *m, int number, size_t count)
{
    return hyb_block(m->memory, (int64_t)number * HPL_TRUST_MOST,
                     (int64_t)count, 1);
}

static bool is_done(mailbox_t *m, xh_status_t queued)
{
    return queued == XH_OK && hyb_event_record(m->queue, m->done) == XH_OK &&
           hyb_event_await(m->done, xh_settings_real("stall_seconds")) == XH_OK;
}

static bool store(void *mailbox, const double *from, size_t count)
{
    mailbox_t *m = mailbox;
    xh_view_t host = {(double *)from, (int64_t)count, 1, (int64_t)count};

    return is_done(m, hyb_queue_copy_in(m->queue, host, vector(m, 0, count)));
}

static bool load(void *mailbox, int side, double *to, size_t count)
{
    mailbox_t *m = mailbox;
    xh_view_t host = {to, (int64_t)count, 1, (int64_t)count};

    return is_done(
        m, hyb_queue_copy_out(m->queue, vector(m, 1 + side, count), host));
}

void hyb_trust_device_messages(hyb_device_t *device, const HPL_T_grid *grid,
                               size_t most, xh_exact_t *checks)
{
    mailbox_t m = {.queue = NULL};
    hpl_trust_memory_t memory = {.store = store, .load = load, .context = &m};
    int ready = open_mailbox(device, &m) == XH_OK;

    MPI_Allreduce(MPI_IN_PLACE, &ready, 1, MPI_INT, MPI_MIN, grid->col_comm);
    if (ready) {
        memory.out = hyb_block_address(vector(&m, 0, 1));
        for (int side = 0; side < HPL_TRUST_SIDES; side++)
            memory.in[side] = hyb_block_address(vector(&m, 1 + side, 1));
        hpl_trust_messages_in(checks, grid, most, &memory);
    }
    close_mailbox(&m);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>
#include "base/checksum.h"
#include "base/log.h"
#include "testing/xdgemm/runs.h"

#define PATIENCE 600.0 /* seconds for one copy */

enum { MOST_COLS = 64 };

struct xdg_pattern {
    hyb_device_t *device;
    const char *name;
    hyb_queue_t *queue;
    hyb_event_t *end;
    hyb_device_view_t block, sums;
    xh_view_t sent, returned; /* the pattern, and its copy back */
    xh_view_t expected,
        computed;   /* checksums of `sent`, by the host and by the device */
    bool is_intact; /* result of the last check */
    double *memory; /* memory of the views */
    size_t bytes;
};

static size_t bytes_of(xh_view_t v)
{
    return (size_t)(v.rows * v.cols) * sizeof(double);
}

static bool is_same(xh_view_t a, xh_view_t b)
{
    return memcmp(a.data, b.data, bytes_of(a)) == 0;
}

/* ---- crossing ------------------------------------------------------------ */

static xh_status_t finish(const xdg_pattern_t *h)
{
    XH_TRY(hyb_event_record(h->queue, h->end));
    return hyb_event_await(h->end, PATIENCE);
}

/* Store is_intact. If it is false, report `message` and count the damage. */
static void judge(xdg_pattern_t *h, bool is_intact, const char *message,
                  int64_t *damaged)
{
    h->is_intact = is_intact;
    if (is_intact)
        return;
    ++*damaged;
    xh_log_error("%s: %s", h->name, message);
}

/* Compare the device's checksums with the host's. */
static xh_status_t compare_sums(xdg_pattern_t *h, const char *message,
                                int64_t *damaged)
{
    XH_TRY(hyb_queue_checksum(h->queue, h->block, h->sums));
    XH_TRY(hyb_queue_copy_out(h->queue, h->sums, h->computed));
    XH_TRY(finish(h));
    judge(h, is_same(h->computed, h->expected), message, damaged);
    return XH_OK;
}

static xh_status_t send(xdg_pattern_t *h, int64_t *damaged)
{
    XH_TRY(hyb_queue_copy_in(h->queue, h->sent, h->block));
    return compare_sums(h, "what was sent is not what arrived", damaged);
}

static xh_status_t copy_back(xdg_pattern_t *h, int64_t *damaged)
{
    XH_TRY(hyb_queue_copy_out(h->queue, h->block, h->returned));
    XH_TRY(finish(h));
    judge(h, is_same(h->returned, h->sent),
          "what came back is not what it holds", damaged);
    return XH_OK;
}

/* If the pattern was damaged before, do not compare or report it again. */
xh_status_t xdg_pattern_check(xdg_pattern_t *h, int64_t *damaged)
{
    if (h->is_intact)
        XH_TRY(compare_sums(h, "what it held has changed", damaged));
    if (h->is_intact)
        XH_TRY(copy_back(h, damaged));
    return send(h, damaged);
}

/* ---- coming and going ---------------------------------------------------- */

static xh_status_t open_host(xdg_pattern_t *h, hyb_team_t *team, int64_t rows,
                             int64_t cols)
{
    const xdg_random_t random = {XDG_NORMAL, 1};
    uint64_t sums[2];
    double *next;

    h->bytes = (size_t)(2 * (rows + 2) * cols) * sizeof(double);
    XH_TRY(hyb_pinned_alloc(h->device, h->bytes, &h->memory));
    next = h->memory;
    h->sent = xh_view_take(&next, rows, cols);
    h->returned = xh_view_take(&next, rows, cols);
    h->expected = xh_view_take(&next, 2, cols);
    h->computed = xh_view_take(&next, 2, cols);
    xdg_fill(team, &random, 0, 0, h->sent);
    for (int64_t j = 0; j < cols; j++) {
        xh_checksum(h->sent.data + j * rows, rows, sums);
        memcpy(h->expected.data + 2 * j, sums, sizeof(sums));
    }
    return XH_OK;
}

static xh_status_t open_device(xdg_pattern_t *h)
{
    hyb_buffer_t *buffer = NULL;
    int64_t rows = h->sent.rows, cols = h->sent.cols;

    XH_TRY(hyb_queue_create(h->device, HYB_QUEUE_NORMAL, &h->queue));
    XH_TRY(hyb_event_create(h->device, &h->end));
    XH_TRY(hyb_buffer_create(
        h->device, bytes_of(h->sent) + bytes_of(h->expected), &buffer));
    h->block = hyb_device_view(buffer, 0, rows, cols);
    h->sums = hyb_device_view(buffer, rows * cols, 2, cols);
    return XH_OK;
}

void xdg_pattern_close(xdg_pattern_t *h)
{
    if (h == NULL)
        return;
    hyb_queue_destroy(h->queue);
    hyb_event_destroy(h->end);
    hyb_buffer_destroy(h->block.buffer);
    hyb_pinned_free(h->device, h->memory, h->bytes);
    free(h);
}

xh_status_t xdg_pattern_open(hyb_device_t *device, const char *name,
                             hyb_team_t *team, int64_t rows, int64_t cols,
                             int64_t *damaged, xdg_pattern_t **pattern_p)
{
    xdg_pattern_t *h = calloc(1, sizeof(*h));
    xh_status_t status;

    if (h == NULL)
        return XH_ERR_MEMORY;
    h->device = device;
    h->name = name;
    status = open_host(h, team, rows, cols < MOST_COLS ? cols : MOST_COLS);
    if (status == XH_OK)
        status = open_device(h);
    if (status == XH_OK)
        status = send(h, damaged);
    if (status == XH_OK)
        *pattern_p = h;
    else
        xdg_pattern_close(h);
    return status;
}

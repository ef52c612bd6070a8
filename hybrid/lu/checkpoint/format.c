/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/checkpoint/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/checksum.h"

static const char header_magic[8] = "XHPLCKP";

static uint64_t check_of(const void *data, size_t bytes)
{
    return xh_hash(XH_HASH_START, data, bytes);
}

/* ---- headers ------------------------------------------------------------- */

uint64_t hyb_header_dealing(const hpl_deal_t *deal)
{
    return deal == NULL ? 0
                        : check_of(deal->owner,
                                   (size_t)deal->blocks * sizeof(*deal->owner));
}

void hyb_header_seal(hyb_header_t *header)
{
    memcpy(header->magic, header_magic, sizeof(header_magic));
    header->version = HYB_FORMAT_VERSION;
    header->check = check_of(header, offsetof(hyb_header_t, check));
}

static bool is_time(double seconds)
{
    return seconds >= 0.0 && seconds < HYB_MOMENT_MOST;
}

/* Can a run have written these values? */
static bool is_possible(const hyb_header_t *h)
{
    const int64_t most = (int64_t)1 << 31;

    return is_time(h->start) && is_time(h->moment) && is_time(h->lost) &&
           is_time(h->gap) && is_time(h->elapsed) && h->first >= 1 &&
           h->first < most && h->info >= 0 && h->info < most &&
           h->restarts >= 0 && h->restarts < most &&
           (h->clocks_disagree == 0 || h->clocks_disagree == 1);
}

const char *hyb_header_fault(const hyb_header_t *header)
{
    if (memcmp(header->magic, header_magic, sizeof(header_magic)) != 0)
        return "it is no checkpoint";
    if (header->version != HYB_FORMAT_VERSION)
        return "another version of xhpl wrote it";
    if (header->check != check_of(header, offsetof(hyb_header_t, check)))
        return "its header is damaged";
    return is_possible(header) ? NULL : "its header has values that no run has";
}

bool hyb_header_differs(const hyb_header_t *header, const hyb_header_t *wanted,
                        char *text, int64_t size)
{
    const struct {
        const char *name;
        int64_t value, wanted;
    } member[] = {{"N", header->n, wanted->n},
                  {"NB", header->nb, wanted->nb},
                  {"P", header->nprow, wanted->nprow},
                  {"Q", header->npcol, wanted->npcol},
                  {"the process row", header->myrow, wanted->myrow},
                  {"the process column", header->mycol, wanted->mycol},
                  {"the seed", header->seed, wanted->seed}};

    for (size_t i = 0; i < sizeof(member) / sizeof(member[0]); i++)
        if (member[i].value != member[i].wanted) {
            snprintf(text, (size_t)size, "%s = %" PRId64 ", not %" PRId64,
                     member[i].name, member[i].value, member[i].wanted);
            return true;
        }
    if (header->dealing == wanted->dealing)
        return false;
    snprintf(text, (size_t)size, "its columns are dealt by other weights");
    return true;
}

bool hyb_header_rounds_otherwise(const hyb_header_t *header,
                                 const hyb_header_t *wanted)
{
    return memcmp(header->rounding, wanted->rounding,
                  sizeof(header->rounding)) != 0 ||
           strncmp(header->kernel, wanted->kernel, sizeof(header->kernel)) != 0;
}

/* ---- pieces -------------------------------------------------------------- */

int64_t hyb_piece_columns(int64_t rows)
{
    int64_t columns =
        HYB_FORMAT_PIECE / (int64_t)sizeof(double) / (rows > 0 ? rows : 1);

    return columns > 0 ? columns : 1;
}

hyb_piece_t hyb_piece_seal(int64_t column, const double *elements,
                           int64_t count)
{
    hyb_piece_t piece = {.column = column};

    xh_checksum(elements, count, piece.sums);
    return piece;
}

bool hyb_piece_holds(const hyb_piece_t *piece, int64_t column,
                     const double *elements, int64_t count)
{
    hyb_piece_t found = hyb_piece_seal(column, elements, count);

    return memcmp(piece, &found, sizeof(found)) == 0;
}

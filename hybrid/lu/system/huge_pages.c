/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/system/huge_pages.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include "base/log.h"
#include "base/memory.h"
#include "base/sysfile.h"
#include "hpl_misc.h"
#include "hybrid/lu/state/homes.h"
#include "hybrid/lu/state/ledger.h"

/* ---- to ask for them ----------------------------------------------------- */

/* Use huge pages for columns from .. to - 1. A page at either end counts if at
 * least half of it belongs to them. */
static void prefer(const HPL_T_pmat *mat, int64_t from, int64_t to)
{
    const int64_t half = (1 << 20) / (int64_t)sizeof(double); /* doubles */
    int64_t ld = mat->ld, end = mat->nq * ld;
    int64_t begin = Mmax(0, from * ld - half);

    xh_memory_prefer_huge(mat->A + begin,
                          (size_t)(Mmin(end, to * ld + half) - begin) *
                              sizeof(double));
}

void hyb_huge_pages_prefer(const hyb_lu_t *lu)
{
    int64_t from = 0, blocks = lu->homes.blocks;

    for (int64_t b = 0; b <= blocks; b++) {
        int64_t column = hyb_ledger_first(&lu->ledger, b);

        if (b < blocks && hyb_homes_in_host_memory(&lu->homes, b))
            continue;
        if (from < column)
            prefer(lu->mat, from, column);
        if (b < blocks)
            from = hyb_ledger_first(&lu->ledger, b + 1);
    }
}

/* ---- to verify them ------------------------------------------------------ */

static const char system_folder[] = "/sys/kernel/mm/transparent_hugepage";

/* What keeps the system from giving huge pages, and what to do. */
static const char *remedy(void)
{
    char enabled[64];

#ifdef PR_GET_THP_DISABLE
    if (prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0) == 1)
        return "what started xhpl turned them off for its processes "
               "(PR_SET_THP_DISABLE)";
#endif
    if (xh_sysfile_line(system_folder, "enabled", enabled, sizeof(enabled)) &&
        strstr(enabled, "[never]") != NULL)
        return "write madvise to /sys/kernel/mm/transparent_hugepage/enabled, "
               "as root";
    return "memory may be in fragments: write 1 to "
           "/proc/sys/vm/compact_memory, as root, or restart the node";
}

/* Return the bytes of this process in huge pages, or -1 if unknown. */
static double huge_bytes(void)
{
    char enabled[64], value[64];

    if (!xh_sysfile_line(system_folder, "enabled", enabled, sizeof(enabled)) ||
        !xh_sysfile_value("/proc/self", "smaps_rollup", "AnonHugePages", value,
                          sizeof(value)))
        return -1.0;
    return 1024.0 * strtod(value, NULL); /* in kB */
}

/* Bytes of the columns in host memory. */
static double bytes_of(const HPL_T_pmat *mat, const hyb_lu_t *lu)
{
    int64_t columns = lu == NULL ? mat->nq : 0;

    for (int64_t b = 0; lu != NULL && b < lu->homes.blocks; b++)
        if (hyb_homes_in_host_memory(&lu->homes, b))
            columns += hyb_ledger_first(&lu->ledger, b + 1) -
                       hyb_ledger_first(&lu->ledger, b);
    return (double)mat->ld * (double)columns * sizeof(double);
}

void hyb_huge_pages_verify(const HPL_T_grid *grid, const HPL_T_pmat *mat,
                           const hyb_lu_t *lu)
{
    static const double little = 256 << 20, enough = 0.9;
    static double most; /* bytes seen so far */
    double bytes = bytes_of(mat, lu);
    struct {
        double part;
        int process;
    } least = {1.0, grid->iam};

    if (bytes >= little && bytes > most) {
        double huge = huge_bytes();

        most = bytes;
        least.part = huge < 0.0 ? 1.0 : huge / bytes;
    }
    MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_DOUBLE_INT, MPI_MINLOC,
                  grid->all_comm);
    if (least.part < enough && least.process == grid->iam)
        xh_log_warning("huge pages back only %.0f%% of this process's part of "
                       "the matrix, which slows the run: %s",
                       100.0 * least.part, remedy());
}

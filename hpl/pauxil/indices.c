/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdbool.h>
#include "hpl.h"
#include "hpl/pauxil/map.h"

/*
 * Upstream's index maps on the plain cyclic map: stretching or shrinking the
 * first block from inb to nb indices shifts all global indices after it, and
 * its owner's local ones, by nb - inb.
 */
typedef struct {
    hpl_map_t map; /* processes are counted from srcproc */
    int64_t inb;
    int64_t stretch; /* nb - inb */
    int srcproc;
} deal_t;

/* The map as seen by process proc. */
static deal_t deal(int inb, int nb, int proc, int srcproc, int nprocs)
{
    int me = (int)(((int64_t)proc - srcproc + nprocs) % nprocs);

    return (deal_t){.map = hpl_map(nb, nprocs, me),
                    .inb = inb,
                    .stretch = (int64_t)nb - inb,
                    .srcproc = srcproc};
}

static bool whole(int srcproc, int nprocs)
{
    return srcproc == -1 || nprocs == 1;
}

static int owner(deal_t d, int64_t g)
{
    int from_source = g < d.inb ? 0 : hpl_map_owner(&d.map, g + d.stretch);

    return (int)(((int64_t)from_source + d.srcproc) % d.map.nprocs);
}

static int64_t local(deal_t d, int64_t g)
{
    if (g < d.inb)
        return g;
    g += d.stretch;
    return hpl_map_local(&d.map, g) -
           (hpl_map_owner(&d.map, g) == 0 ? d.stretch : 0);
}

static int64_t global(deal_t d, int64_t l)
{
    if (d.map.me == 0) {
        if (l < d.inb)
            return l;
        l += d.stretch;
    }
    return hpl_map_global(&d.map, l) - d.stretch;
}

/* Number of my indices below n, which may exceed an int. */
static int64_t count(deal_t d, int64_t n)
{
    if (whole(d.srcproc, d.map.nprocs))
        return n;
    if (n <= d.inb)
        return d.map.me == 0 ? n : 0;
    return hpl_map_count(&d.map, n + d.stretch) -
           (d.map.me == 0 ? d.stretch : 0);
}

int HPL_indxg2p(int IG, int INB, int NB, int SRCPROC, int NPROCS)
{
    if (whole(SRCPROC, NPROCS))
        return SRCPROC;
    return owner(deal(INB, NB, SRCPROC, SRCPROC, NPROCS), IG);
}

int HPL_indxg2l(int IG, int INB, int NB, int SRCPROC, int NPROCS)
{
    if (whole(SRCPROC, NPROCS))
        return IG;
    return (int)local(deal(INB, NB, SRCPROC, SRCPROC, NPROCS), IG);
}

void HPL_indxg2lp(int *IL, int *PROC, int IG, int INB, int NB, int SRCPROC,
                  int NPROCS)
{
    *IL = HPL_indxg2l(IG, INB, NB, SRCPROC, NPROCS);
    *PROC = HPL_indxg2p(IG, INB, NB, SRCPROC, NPROCS);
}

int HPL_indxl2g(int IL, int INB, int NB, int PROC, int SRCPROC, int NPROCS)
{
    if (whole(SRCPROC, NPROCS))
        return IL;
    return (int)global(deal(INB, NB, PROC, SRCPROC, NPROCS), IL);
}

int HPL_numrocI(int N, int IA, int INB, int NB, int PROC, int SRCPROC,
                int NPROCS)
{
    deal_t d = deal(INB, NB, PROC, SRCPROC, NPROCS);

    return (int)(count(d, (int64_t)IA + N) - count(d, IA));
}

int HPL_numroc(int N, int INB, int NB, int PROC, int SRCPROC, int NPROCS)
{
    return HPL_numrocI(N, 0, INB, NB, PROC, SRCPROC, NPROCS);
}

void HPL_infog2l(int IA, int JA, int IMB, int MB, int INB, int NB, int RSRC,
                 int CSRC, int MYROW, int MYCOL, int NPROW, int NPCOL, int *II,
                 int *JJ, int *PROW, int *PCOL)
{
    *II = HPL_numroc(IA, IMB, MB, MYROW, RSRC, NPROW);
    *JJ = HPL_numroc(JA, INB, NB, MYCOL, CSRC, NPCOL);
    *PROW = HPL_indxg2p(IA, IMB, MB, RSRC, NPROW);
    *PCOL = HPL_indxg2p(JA, INB, NB, CSRC, NPCOL);
}

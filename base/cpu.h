/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XH_CPU_H
#define XH_CPU_H

#include <stdbool.h>
#include <stdint.h>

/*
 * What the processor this process runs on can do, asked from the processor
 * itself, and what it really reaches.
 */

/*
 * The instruction sets that code here is written for, the widest first:
 * AVX-512 F, AVX2 with FMA, and what the compiler's baseline gives.
 */
#define XH_EACH_ISA(X) X(AVX512, avx512) X(AVX2, avx2) X(PORTABLE, portable)
#define XH_ISA_NAMES "avx512|avx2|portable"

#define XH_ISA_(NAME, name) XH_ISA_##NAME,
typedef enum { XH_EACH_ISA(XH_ISA_) XH_ISA_COUNT } xh_isa_t;
#undef XH_ISA_

/* Is isa usable here: in the processor, and saved by the system? */
bool xh_cpu_has(xh_isa_t isa);

/* The widest instruction set usable here. */
xh_isa_t xh_cpu_isa(void);

/* "portable", "avx2", "avx512". */
const char *xh_cpu_isa_name(xh_isa_t isa);

/* Model name of the processor, "unknown" where the system does not tell. */
const char *xh_cpu_model(void);

/*
 * Cores in the calling thread's affinity mask, at most the cgroup's CPU quota
 * rounded down, at least 1. Hardware threads of one core count once.
 */
int xh_cpu_cores(void);

/* The same of a machine whose /proc and /sys lie below the folder root. */
int xh_cpu_cores_below(const char *root);

/*
 * The system's numbers of those cores, ascending, one hardware thread each.
 *
 * ids  out  the first capacity of them
 *
 * Returns how many there are, whatever the quota; 0 where the system does not
 * tell.
 */
int xh_cpu_core_ids(const char *root, int *ids, int capacity);

/* Bytes of a core's second cache; 512 KiB where the system does not tell. */
int64_t xh_cpu_l2_bytes(void);

/*
 * Flop/s that threads threads reach together in a register-only loop of
 * independent fused multiply-adds in double, best of several short runs:
 * the ceiling of every dense kernel on these cores. Threads are started and
 * joined inside; each is pinned to its own core of the mask where threads is
 * at most their number. All start together, and a run lasts until the last
 * one has done its share.
 *
 * Cost:   about seconds of wall time.
 * Errors: 0 if isa is not usable here, threads < 1, or no threads can be had
 */
double xh_cpu_fma_ceiling(xh_isa_t isa, int threads, double seconds);

/* The same with a thread on each of cpus, the system's numbers; NULL: unpinned.
 */
double xh_cpu_fma_ceiling_on(xh_isa_t isa, const int *cpus, int threads,
                             double seconds);

#endif

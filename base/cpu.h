/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Capabilities of this process's processor, as reported by the processor
 * itself.
 */

/*
 * The supported instruction sets, the widest first. x86: AVX-512 F, and AVX2
 * with FMA. Arm: SVE with vectors of 512, 256 or 128 bits (a process has one of
 * them), and NEON. Other: the compiler's baseline.
 */
/* clang-format off */
#define XH_EACH_ISA(X)                                                         \
    X(AVX512, avx512)                                                          \
    X(AVX2, avx2)                                                              \
    X(SVE512, sve512)                                                          \
    X(SVE256, sve256)                                                          \
    X(SVE128, sve128)                                                          \
    X(NEON, neon)                                                              \
    X(PORTABLE, portable)
/* clang-format on */
#define XH_ISA_NAMES "avx512|avx2|sve512|sve256|sve128|neon|portable"

#define XH_ISA_(NAME, name) XH_ISA_##NAME,
typedef enum { XH_EACH_ISA(XH_ISA_) XH_ISA_COUNT } xh_isa_t;
#undef XH_ISA_

/* Is isa usable here: does the processor have it, and the system save its
 * state? */
bool xh_cpu_has(xh_isa_t isa);

/* The widest instruction set usable here. */
xh_isa_t xh_cpu_isa(void);

/* The name of isa, one of XH_ISA_NAMES. */
const char *xh_cpu_isa_name(xh_isa_t isa);

/* The processor's model name, "unknown" if the system does not report it. */
const char *xh_cpu_model(void);

/*
 * Cores in the calling thread's affinity mask, at most the cgroup's CPU quota
 * rounded down, at least 1. Hardware threads of one core count once.
 *
 * root  in  where /proc and /sys are: "", or a folder with another machine's
 */
int xh_cpu_cores(const char *root);

/*
 * The system's numbers of those cores, ascending, one hardware thread each.
 *
 * ids  out  the first capacity of them
 *
 * Returns their number, ignoring the quota; 0 if the system does not report it.
 */
int xh_cpu_core_ids(const char *root, int *ids, int capacity);

/* All parts of the machine, even those that this process may not use; 0:
 * unknown. */
typedef struct {
    int sockets;
    int cores;      /* hardware threads of a core count once */
    int numa_nodes; /* memory nodes */
} xh_census_t;

xh_census_t xh_cpu_census(const char *root);

/*
 * The numbers in a text list such as "0-3,8", as the system writes processors
 * and memory nodes, up to the first character that belongs in none.
 *
 * numbers  out  the first capacity of them, in the order of the list
 *
 * Returns how many are in it.
 */
int xh_cpu_list(const char *list, int *numbers, int capacity);

/* Bytes of a core's L2 cache; 512 KiB if the system does not report it. */
int64_t xh_cpu_l2_bytes(void);

/* ---- what its cores can compute ------------------------------------------ */

/*
 * Loops of fused multiply-adds in registers, one per instruction set that this
 * program was compiled for.
 */
typedef struct {
    double (*run)(int64_t rounds); /* the result depends on every step */
    double flop;                   /* flop per round */
} xh_fma_t;

/* Returns NULL if isa is not usable here. */
const xh_fma_t *xh_fma_kernel(xh_isa_t isa);

/*
 * Flop/s that threads threads reach together in these loops, best of several
 * short runs: the ceiling of every dense kernel on these cores. Threads are
 * started and joined inside. All start together, and a run lasts until the
 * last one has done its share.
 *
 * cpus  in  the system's numbers, one for each thread; NULL: unpinned
 *
 * Cost:   about seconds of wall time.
 * Errors: 0 if isa is not usable here, threads < 1, or no threads can be had
 */
double xh_fma_ceiling(xh_isa_t isa, const int *cpus, int threads,
                      double seconds);

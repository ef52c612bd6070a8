/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XH_CPU_H
#define XH_CPU_H

/*
 * What the processor this process runs on can do, asked from the processor
 * itself, and what it really reaches.
 */
typedef enum {
    XH_ISA_PORTABLE, /* what the compiler's baseline gives */
    XH_ISA_AVX2,     /* AVX2 with FMA */
    XH_ISA_AVX512,   /* AVX-512 F, with the system saving its registers */
    XH_ISA_COUNT
} xh_isa_t;

/* The widest instruction set usable here. */
xh_isa_t xh_cpu_isa(void);

/* "portable", "avx2", "avx512". */
const char *xh_cpu_isa_name(xh_isa_t isa);

/* Model name of the processor, "unknown" where the system does not tell. */
const char *xh_cpu_model(void);

/* Cores in this process's affinity mask, at most the cgroup's CPU quota. */
int xh_cpu_cores(void);

/*
 * Flop/s that threads threads reach together in a register-only loop of
 * independent fused multiply-adds in double, best of several short runs:
 * the ceiling of every dense kernel on these cores. Threads are started and
 * joined inside; each is pinned to its own core of the mask where threads is
 * at most their number.
 *
 * Cost: about seconds of wall time.
 */
double xh_cpu_fma_ceiling(xh_isa_t isa, int threads, double seconds);

#endif

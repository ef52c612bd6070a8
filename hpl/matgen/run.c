/* SPDX-License-Identifier: BSD-3-Clause */
#include "hpl/matgen/run.h"

hpl_lanes_t hpl_lanes(void)
{
    hpl_lanes_t lanes = {.round = hpl_jump_power(hpl_jump_step, HPL_LANES)};
    hpl_jump_t ahead;
    int l;

    for (l = 0; l < HPL_LANES; l++) {
        ahead = hpl_jump_power(hpl_jump_step, (uint64_t)l);
        lanes.mul[l] = ahead.mul;
        lanes.add[l] = ahead.add;
    }
    return lanes;
}

static inline __attribute__((always_inline)) void
run(const hpl_lanes_t *lanes, uint64_t first, int64_t count, double *a)
{
    const hpl_jump_t round = lanes->round;
    uint64_t x[HPL_LANES];
    int64_t done;
    int l;

    for (l = 0; l < HPL_LANES; l++)
        x[l] = lanes->mul[l] * first + lanes->add[l];
    for (done = 0; done + HPL_LANES <= count; done += HPL_LANES) {
        for (l = 0; l < HPL_LANES; l++)
            a[done + l] = hpl_entry(x[l]);
        for (l = 0; l < HPL_LANES; l++)
            x[l] = hpl_jump_apply(round, x[l]);
    }
    for (l = 0; done + l < count; l++)
        a[done + l] = hpl_entry(x[l]);
}

/* the same code, compiled for each instruction set */
#define RUN(name, target)                                                      \
    target static void name(const hpl_lanes_t *lanes, uint64_t first,          \
                            int64_t count, double *a)                          \
    {                                                                          \
        run(lanes, first, count, a);                                           \
    }

RUN(run_portable, )
#ifdef __x86_64__
RUN(run_avx2, __attribute__((target("avx2"))))
RUN(run_avx512, __attribute__((target("avx512f"))))
#else
#define run_avx2 run_portable
#define run_avx512 run_portable
#endif

hpl_run_fn_t hpl_run(xh_isa_t isa)
{
    static const hpl_run_fn_t runs[XH_ISA_COUNT] = {
        [XH_ISA_PORTABLE] = run_portable,
        [XH_ISA_AVX2] = run_avx2,
        [XH_ISA_AVX512] = run_avx512,
    };

    return runs[isa];
}

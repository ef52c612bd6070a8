/* SPDX-License-Identifier: BSD-3-Clause */
#include "hpl.h"
#include "base/sequence.h"

/* The random sequence of upstream's interface, with 64-bit numbers as two int.
 */

enum { CURRENT, MULTIPLIER, INCREMENT, GET_CURRENT };

/* The values that HPL_setran sets. */
static uint64_t state[] = {
    [CURRENT] = HPL_ISEED, [MULTIPLIER] = 6364136223846793005, [INCREMENT] = 1};

static uint64_t joined(const int *pair)
{
    return (uint64_t)(uint32_t)pair[1] << 32 | (uint32_t)pair[0];
}

static void split(uint64_t x, int *pair)
{
    uint32_t halves[2] = {(uint32_t)x, (uint32_t)(x >> 32)};

    memcpy(pair, halves, sizeof(halves));
}

void HPL_ladd(int *J, int *K, int *SUM)
{
    split(joined(J) + joined(K), SUM);
}

void HPL_lmul(int *K, int *J, int *PRODUCT)
{
    split(joined(J) * joined(K), PRODUCT);
}

void HPL_setran(int OPTION, int *IRAN)
{
    if (OPTION == GET_CURRENT)
        split(state[CURRENT], IRAN);
    else
        state[OPTION] = joined(IRAN);
}

double HPL_rand(void)
{
    double entry = xh_sequence_entry(state[CURRENT]);

    state[CURRENT] = state[MULTIPLIER] * state[CURRENT] + state[INCREMENT];
    return entry;
}

void HPL_jumpit(int *MULT, int *IADD, int *IRANN, int *IRANM)
{
    xh_jump_t jump = {.mul = joined(MULT), .add = joined(IADD)};

    split(xh_jump_apply(jump, joined(IRANN)), IRANM);
    HPL_setran(CURRENT, IRANM);
}

void HPL_xjumpm(int JUMPM, int *MULT, int *IADD, int *IRANN, int *IRANM,
                int *IAM, int *ICM)
{
    xh_jump_t step = {.mul = joined(MULT), .add = joined(IADD)};
    xh_jump_t jump = xh_jump_power(step, (uint64_t)Mmax(JUMPM, 0));

    split(xh_jump_apply(jump, joined(IRANN)), IRANM);
    split(jump.mul, IAM);
    split(jump.add, ICM);
}

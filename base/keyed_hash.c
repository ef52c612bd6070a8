/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/keyed_hash.h"

typedef struct {
    uint64_t v[4];
} state_t;

static uint64_t rotate(uint64_t x, int bits)
{
    return x << bits | x >> (64 - bits);
}

/* One half of a round: v[b] is added to v[a], v[d] to v[c]. */
static void mix(uint64_t *v, int a, int b, int c, int d, int left, int right)
{
    v[a] += v[b];
    v[c] += v[d];
    v[b] = rotate(v[b], left) ^ v[a];
    v[d] = rotate(v[d], right) ^ v[c];
    v[a] = rotate(v[a], 32);
}

static void rounds(state_t *s, int count)
{
    for (int i = 0; i < count; i++) {
        mix(s->v, 0, 1, 2, 3, 13, 16);
        mix(s->v, 2, 1, 0, 3, 17, 21);
    }
}

static void absorb(state_t *s, uint64_t word)
{
    s->v[3] ^= word;
    rounds(s, 2);
    s->v[0] ^= word;
}

/* The first `bytes` bytes as a number, the lowest byte first. */
static uint64_t word_of(const unsigned char *data, size_t bytes)
{
    uint64_t word = 0;

    for (size_t i = 0; i < bytes; i++)
        word |= (uint64_t)data[i] << (8 * i);
    return word;
}

uint64_t xh_keyed_hash(const uint64_t key[2], const void *data, size_t bytes)
{
    const unsigned char *at = data;
    state_t s = {
        {key[0] ^ UINT64_C(0x736f6d6570736575),
         key[1] ^ UINT64_C(0x646f72616e646f6d),
         key[0] ^ UINT64_C(0x6c7967656e657261),
         key[1] ^ UINT64_C(0x7465646279746573)}}; /* "somepseudorandom..." */

    for (size_t left = bytes / 8; left > 0; left--, at += 8)
        absorb(&s, word_of(at, 8));
    absorb(&s, (uint64_t)bytes << 56 | word_of(at, bytes % 8));
    s.v[2] ^= 0xff;
    rounds(&s, 4);
    return s.v[0] ^ s.v[1] ^ s.v[2] ^ s.v[3];
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/keyed_hash.h"

#include "testing/unit/unit.h"

/* The key of the paper's appendix A, which also has the bytes 0, 1, 2, ... */
static const uint64_t key[2] = {UINT64_C(0x0706050403020100),
                                UINT64_C(0x0f0e0d0c0b0a0908)};

static uint64_t hash_of_first(size_t bytes)
{
    unsigned char data[64];

    for (size_t i = 0; i < sizeof(data); i++)
        data[i] = (unsigned char)i;
    return xh_keyed_hash(key, data, bytes);
}

TEST(the_papers_message_has_the_papers_hash)
{
    assert_true(hash_of_first(15) == UINT64_C(0xa129ca6149be45e5));
}

/* These values are from the authors' table. */
TEST(messages_of_other_lengths_have_the_authors_hashes)
{
    assert_true(hash_of_first(0) == UINT64_C(0x726fdb47dd0e0e31));
    assert_true(hash_of_first(1) == UINT64_C(0x74f839c593dc67fd));
    assert_true(hash_of_first(7) == UINT64_C(0xab0200f58b01d137));
    assert_true(hash_of_first(8) == UINT64_C(0x93f5f5799a932462));
    assert_true(hash_of_first(63) == UINT64_C(0x958a324ceb064572));
}

TEST(each_bit_of_key_and_message_matters)
{
    unsigned char data[24] = {0};
    uint64_t first = xh_keyed_hash(key, data, sizeof(data));

    for (int bit = 0; bit < 128; bit++) {
        uint64_t other[2] = {key[0], key[1]};

        other[bit / 64] ^= UINT64_C(1) << bit % 64;
        assert_true(xh_keyed_hash(other, data, sizeof(data)) != first);
    }
    for (size_t bit = 0; bit < 8 * sizeof(data); bit++) {
        data[bit / 8] ^= (unsigned char)(1 << bit % 8);
        assert_true(xh_keyed_hash(key, data, sizeof(data)) != first);
        data[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
}

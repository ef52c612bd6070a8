/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * SipHash-2-4 of bytes: without the key, a hash cannot be told from a random
 * number, and so cannot be forged for a message that was not sent before.
 * Source: J.-P. Aumasson and D. J. Bernstein, "SipHash: a fast short-input
 * PRF", INDOCRYPT 2012, section 2
 */
uint64_t xh_keyed_hash(const uint64_t key[2], const void *data, size_t bytes);

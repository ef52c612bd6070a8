/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

/* The addresses of a host, and which of them lead where. */
enum { HYB_ADDRESSES_MOST = 16 };

typedef struct {
    int count;
    struct sockaddr_storage at[HYB_ADDRESSES_MOST];
} hyb_addresses_t;

/* An address and a port in one form: IPv4 as its part of IPv6. */
typedef struct {
    uint64_t address[2], port;
} hyb_place_t;

hyb_place_t hyb_place_of(const struct sockaddr_storage *address);
bool hyb_place_is(const hyb_place_t *a, const hyb_place_t *b);

/* Is this the host itself, by that address alone? */
bool hyb_address_is_loopback(const struct sockaddr_storage *address);

/* Those of this host with that port, those for others first. */
void hyb_addresses_list(in_port_t port, hyb_addresses_t *list_p);

/* Is place among them? */
bool hyb_addresses_have(const hyb_addresses_t *list, const hyb_place_t *place);

/* Which of them, bit by bit, another host calls its own too, such as those of
 * bridges to virtual machines; called on that host. */
unsigned hyb_addresses_here(const hyb_addresses_t *list);
void hyb_addresses_leave_out(hyb_addresses_t *list, unsigned these);

/* The same number in all processes that a loopback address connects. */
uint64_t hyb_network_of_loopback(const char *host);

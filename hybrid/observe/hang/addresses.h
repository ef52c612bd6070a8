/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

/* The network addresses of a host that other processes can use. */
enum { HYB_ADDRESSES_MOST = 16 };

typedef struct {
    int count;
    struct sockaddr_storage at[HYB_ADDRESSES_MOST];
} hyb_addresses_t;

/* An IP address and a port, for comparison; IPv4 is mapped into IPv6. */
typedef struct {
    uint64_t address[2], port;
} hyb_endpoint_t;

hyb_endpoint_t hyb_endpoint_of(const struct sockaddr_storage *address);
bool hyb_endpoint_equals(const hyb_endpoint_t *a, const hyb_endpoint_t *b);

bool hyb_address_is_loopback(const struct sockaddr_storage *address);

/* List the addresses of this host, each with `port`; loopback addresses come
 * last. */
void hyb_addresses_of_host(in_port_t port, hyb_addresses_t *list_p);

bool hyb_addresses_contain(const hyb_addresses_t *list,
                           const hyb_endpoint_t *endpoint);

/*
 * Return a mask: bit i is set if list->at[i], an address of another host, is
 * also an address of this host, as for a bridge to virtual machines.
 */
unsigned hyb_addresses_also_mine(const hyb_addresses_t *list);

/* Remove the addresses whose bits are set in `mask`. */
void hyb_addresses_remove(hyb_addresses_t *list, unsigned mask);

/* Return an identifier of this process's loopback network: equal in processes
 * that a loopback address connects. */
uint64_t hyb_loopback_network(const char *host);

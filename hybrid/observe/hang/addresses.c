/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/observe/hang/addresses.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>
#include "base/checksum.h"
#include "base/sysfile.h"

/* ---- one address --------------------------------------------------------- */

bool hyb_address_is_loopback(const struct sockaddr_storage *address)
{
    const struct sockaddr_in *v4 = (const struct sockaddr_in *)address;
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)address;

    if (address->ss_family == AF_INET)
        return ntohl(v4->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
    return IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr);
}

hyb_endpoint_t hyb_endpoint_of(const struct sockaddr_storage *address)
{
    const struct sockaddr_in *v4 = (const struct sockaddr_in *)address;
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)address;
    unsigned char bytes[16] = {[10] = 0xff, [11] = 0xff};
    hyb_endpoint_t endpoint;

    if (address->ss_family == AF_INET) {
        memcpy(bytes + 12, &v4->sin_addr, 4);
        endpoint.port = v4->sin_port;
    } else {
        memcpy(bytes, &v6->sin6_addr, sizeof(bytes));
        endpoint.port = v6->sin6_port;
    }
    memcpy(endpoint.address, bytes, sizeof(bytes));
    return endpoint;
}

bool hyb_endpoint_equals(const hyb_endpoint_t *a, const hyb_endpoint_t *b)
{
    return a->address[0] == b->address[0] && a->address[1] == b->address[1] &&
           a->port == b->port;
}

/* ---- addresses of this host ---------------------------------------------- */

/* Can other hosts use this interface's address? Link-local addresses would need
 * a zone. */
static bool is_useful(const struct ifaddrs *interface)
{
    const struct sockaddr *address = interface->ifa_addr;
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)address;

    if (address == NULL || (interface->ifa_flags & IFF_UP) == 0)
        return false;
    if (address->sa_family == AF_INET)
        return true;
    return address->sa_family == AF_INET6 &&
           !IN6_IS_ADDR_LINKLOCAL(&v6->sin6_addr);
}

static void add(hyb_addresses_t *list, const struct sockaddr *address,
                in_port_t port)
{
    struct sockaddr_storage *to = &list->at[list->count];

    if (list->count == HYB_ADDRESSES_MOST)
        return;
    if (address->sa_family == AF_INET) {
        memcpy(to, address, sizeof(struct sockaddr_in));
        ((struct sockaddr_in *)to)->sin_port = port;
    } else {
        memcpy(to, address, sizeof(struct sockaddr_in6));
        ((struct sockaddr_in6 *)to)->sin6_port = port;
    }
    list->count++;
}

void hyb_addresses_of_host(in_port_t port, hyb_addresses_t *list_p)
{
    struct ifaddrs *all, *at;

    *list_p = (hyb_addresses_t){.count = 0};
    if (getifaddrs(&all) != 0)
        return;
    for (int loopback = 0; loopback < 2; loopback++)
        for (at = all; at != NULL; at = at->ifa_next)
            if (is_useful(at) &&
                ((at->ifa_flags & IFF_LOOPBACK) != 0) == (loopback != 0))
                add(list_p, at->ifa_addr, port);
    freeifaddrs(all);
}

/* ---- lists --------------------------------------------------------------- */

bool hyb_addresses_contain(const hyb_addresses_t *list,
                           const hyb_endpoint_t *endpoint)
{
    hyb_endpoint_t one;

    for (int i = 0; i < list->count; i++) {
        one = hyb_endpoint_of(&list->at[i]);
        if (hyb_endpoint_equals(&one, endpoint))
            return true;
    }
    return false;
}

unsigned hyb_addresses_also_mine(const hyb_addresses_t *list)
{
    hyb_addresses_t mine;
    hyb_endpoint_t endpoint;
    unsigned mask = 0;

    hyb_addresses_of_host(0, &mine);
    for (int i = 0; i < list->count; i++) {
        endpoint = hyb_endpoint_of(&list->at[i]);
        endpoint.port = 0;
        if (!hyb_address_is_loopback(&list->at[i]) &&
            hyb_addresses_contain(&mine, &endpoint))
            mask |= 1u << i;
    }
    return mask;
}

void hyb_addresses_remove(hyb_addresses_t *list, unsigned mask)
{
    int count = 0;

    for (int i = 0; i < list->count; i++)
        if ((mask >> i & 1u) == 0)
            list->at[count++] = list->at[i];
    list->count = count;
}

/* ---- loopback ------------------------------------------------------------ */

/* Hash the network namespace and this boot's identifier. If the system reports
 * neither, hash the host name. */
uint64_t hyb_loopback_network(const char *host)
{
    char boot[64], namespace[64];
    ssize_t length =
        readlink("/proc/self/ns/net", namespace, sizeof(namespace));
    uint64_t hash = XH_HASH_START;

    if (length <= 0 || !xh_sysfile_line("/proc/sys/kernel/random", "boot_id",
                                        boot, sizeof(boot)))
        return xh_hash(hash, host, strlen(host));
    hash = xh_hash(hash, boot, strlen(boot));
    return xh_hash(hash, namespace, (size_t)length);
}

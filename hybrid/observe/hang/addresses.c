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

hyb_place_t hyb_place_of(const struct sockaddr_storage *address)
{
    const struct sockaddr_in *v4 = (const struct sockaddr_in *)address;
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)address;
    unsigned char bytes[16] = {[10] = 0xff, [11] = 0xff};
    hyb_place_t place;

    if (address->ss_family == AF_INET) {
        memcpy(bytes + 12, &v4->sin_addr, 4);
        place.port = v4->sin_port;
    } else {
        memcpy(bytes, &v6->sin6_addr, sizeof(bytes));
        place.port = v6->sin6_port;
    }
    memcpy(place.address, bytes, sizeof(bytes));
    return place;
}

bool hyb_place_is(const hyb_place_t *a, const hyb_place_t *b)
{
    return a->address[0] == b->address[0] && a->address[1] == b->address[1] &&
           a->port == b->port;
}

/* ---- those of this host -------------------------------------------------- */

/* One that others can use; those of a single link need its name. */
static bool is_useful(const struct ifaddrs *at)
{
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)at->ifa_addr;

    if (at->ifa_addr == NULL || (at->ifa_flags & IFF_UP) == 0)
        return false;
    if (at->ifa_addr->sa_family == AF_INET)
        return true;
    return at->ifa_addr->sa_family == AF_INET6 &&
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

void hyb_addresses_list(in_port_t port, hyb_addresses_t *list_p)
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

bool hyb_addresses_have(const hyb_addresses_t *list, const hyb_place_t *place)
{
    hyb_place_t one;

    for (int i = 0; i < list->count; i++) {
        one = hyb_place_of(&list->at[i]);
        if (hyb_place_is(&one, place))
            return true;
    }
    return false;
}

unsigned hyb_addresses_here(const hyb_addresses_t *list)
{
    hyb_addresses_t mine;
    hyb_place_t place;
    unsigned these = 0;

    hyb_addresses_list(0, &mine);
    for (int i = 0; i < list->count; i++) {
        place = hyb_place_of(&list->at[i]);
        place.port = 0;
        if (!hyb_address_is_loopback(&list->at[i]) &&
            hyb_addresses_have(&mine, &place))
            these |= 1u << i;
    }
    return these;
}

void hyb_addresses_leave_out(hyb_addresses_t *list, unsigned these)
{
    int kept = 0;

    for (int i = 0; i < list->count; i++)
        if ((these >> i & 1u) == 0)
            list->at[kept++] = list->at[i];
    list->count = kept;
}

/* ---- loopback ------------------------------------------------------------ */

/* Of this start of the system the namespace of networks. Where the system does
 * not tell, hosts of one name are one. */
uint64_t hyb_network_of_loopback(const char *host)
{
    char start[64], space[64];
    ssize_t length = readlink("/proc/self/ns/net", space, sizeof(space));
    uint64_t hash = XH_HASH_START;

    if (length <= 0 || !xh_sysfile_line("/proc/sys/kernel/random", "boot_id",
                                        start, sizeof(start)))
        return xh_hash(hash, host, strlen(host));
    hash = xh_hash(hash, start, strlen(start));
    return xh_hash(hash, space, (size_t)length);
}

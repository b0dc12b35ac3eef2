#include "route.h"

#include <stddef.h>

#include "mac.h"
#include "settings.h"

#define ROUTES 8u
#define BY_FLOODS MAC_BROADCAST
#define PAST 16u /* sequence numbers that count as older; any other is a newer one, or of a node that was reset */

static struct route {
    uint16_t destination, next_hop;
    uint8_t hops, sequence; /* of the flood that showed it */
} routes[ROUTES];
static uint8_t known;
static uint16_t next_hop; /* 0: every node is a neighbour; BY_FLOODS: the routes */

static struct route *find(uint16_t destination)
{
    for (struct route *route = routes; route < routes + known; route++) {
        if (route->destination == destination) {
            return route;
        }
    }
    return NULL;
}

uint16_t route_next_hop(uint16_t destination)
{
    const struct route *route;

    if (next_hop == 0 || destination == MAC_BROADCAST) {
        return destination;
    }
    if (next_hop != BY_FLOODS) {
        return next_hop;
    }
    route = find(destination);
    return route == NULL ? (uint16_t)settings.next_hop : route->next_hop;
}

void route_configure(void)
{
    known = 0;
    next_hop = settings.flood_us > 0 ? BY_FLOODS : (uint16_t)settings.next_hop;
}

bool route_learn(uint16_t origin, uint16_t neighbour, uint8_t hops, uint8_t sequence)
{
    struct route *route = find(origin);
    uint8_t age = route == NULL ? PAST : (uint8_t)(route->sequence - sequence);

    if (route == NULL && known == ROUTES) {
        return false;
    }
    if (route == NULL) {
        route = &routes[known++];
    }
    if (age >= PAST || (age == 0 && hops < route->hops)) {
        *route = (struct route){ .destination = origin, .next_hop = neighbour, .hops = hops, .sequence = sequence };
    }
    return age >= PAST;
}

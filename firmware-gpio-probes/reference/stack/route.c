#include "route.h"

#include "mac.h"
#include "settings.h"

uint16_t route_next_hop(uint16_t destination)
{
    return settings.next_hop == 0 || destination == MAC_BROADCAST ? destination : (uint16_t)settings.next_hop;
}

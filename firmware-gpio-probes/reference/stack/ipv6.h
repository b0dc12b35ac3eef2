/** IPv6 between link-local neighbours: the header, and nothing to look up. */
#ifndef IPV6_H
#define IPV6_H

#include "kernel.h"

extern struct actor ipv6_actor;

#endif

/** What the glue uses of Contiki-NG 5.0's os/net/nullnet/nullnet.h (1b2b043f). Declarations only, written for these tests. */
#ifndef NET_NULLNET_NULLNET_H
#define NET_NULLNET_NULLNET_H

#include "contiki.h"
#include "net/linkaddr.h"

typedef void (*nullnet_input_callback)(const void *data, uint16_t len, const linkaddr_t *src, const linkaddr_t *dest);
void nullnet_set_input_callback(nullnet_input_callback callback);

#endif

/* Stand-in for openstack/02a-MAClow/IEEE802154E.h. */
#ifndef IEEE802154E_H
#define IEEE802154E_H

#include "opendefs.h"

void ieee154e_init(void);
void ieee154e_getAsn(uint8_t *array);
void isr_ieee154e_newSlot(void);

#endif

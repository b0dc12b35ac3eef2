/** What the glue uses of Contiki-NG 5.0's os/net/mac/tsch/tsch.h and tsch-asn.h. Declarations only, written for these tests. */
#ifndef NET_MAC_TSCH_TSCH_H
#define NET_MAC_TSCH_TSCH_H

#include "contiki.h"

struct tsch_asn_t {
    uint32_t ls4b;
    uint8_t ms1b;
};

extern struct tsch_asn_t tsch_current_asn;
extern int tsch_is_associated;
void tsch_set_coordinator(int enable);

#endif

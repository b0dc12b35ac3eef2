/** What the glue uses of Contiki-NG 5.0's os/net/packetbuf.h (01809bb4). Declarations only, written for these tests. */
#ifndef NET_PACKETBUF_H
#define NET_PACKETBUF_H

#include "contiki.h"
#include "net/linkaddr.h"

#define PACKETBUF_SIZE 128

void packetbuf_clear(void);
void *packetbuf_dataptr(void);
uint16_t packetbuf_datalen(void);
void packetbuf_set_datalen(uint16_t len);

#endif

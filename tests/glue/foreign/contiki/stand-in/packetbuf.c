/** Stand-in for os/net/packetbuf.c. */
#include "net/packetbuf.h"

static uint8_t data[PACKETBUF_SIZE];
static uint16_t length;

void packetbuf_clear(void)
{
    length = 0;
}

void *packetbuf_dataptr(void)
{
    return data;
}

uint16_t packetbuf_datalen(void)
{
    return length;
}

void packetbuf_set_datalen(uint16_t len)
{
    length = len;
}

/** A radio's transmission, step by step. What it sends comes back as if a neighbour had answered, 1 ms later. */
#include <string.h>

#include "at86rf2xx_internal.h"
#include "standin.h"

uint8_t radio_frame[128];
uint8_t radio_registers[64];
volatile uint8_t radio_irq_status; /* 1 reception began, 2 frame received, 4 sent */
void radio_interrupt(void);

static void air_end(void)
{
    radio_irq_status |= 2;
    radio_interrupt();
}

static void air_begin(void)
{
    radio_irq_status |= 1;
    radio_interrupt();
    air_in(1000, air_end);
}

static void air_sent(void)
{
    radio_irq_status |= 4;
    radio_interrupt();
    air_in(1000, air_begin);
}

void at86rf2xx_tx_prepare(at86rf2xx_t *dev)
{
    dev->tx_frame_len = 0;
}

size_t at86rf2xx_tx_load(at86rf2xx_t *dev, const uint8_t *data, size_t len, size_t offset)
{
    memcpy(radio_frame + offset, data, len);
    dev->tx_frame_len += (uint8_t)len;
    return offset + len;
}

void at86rf2xx_tx_exec(at86rf2xx_t *dev)
{
    (void)dev;
    air_in(2000, air_sent);
}

uint8_t at86rf2xx_reg_read(const at86rf2xx_t *dev, uint8_t addr)
{
    (void)dev;
    return radio_registers[addr];
}

void at86rf2xx_reg_write(const at86rf2xx_t *dev, uint8_t addr, uint8_t value)
{
    (void)dev;
    radio_registers[addr] = value;
}

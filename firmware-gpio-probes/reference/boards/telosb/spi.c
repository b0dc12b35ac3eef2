#include "spi.h"

#include "board.h"

/* USART0, P3.1 SIMO, P3.2 SOMI, P3.3 SCLK: SMCLK / 2 = 2 MHz, the fastest; a CC2420 takes 10 MHz (SWRS041 4.9). */
void spi_init(void)
{
    P3SEL |= 0x0Eu;
    P3DIR |= 0x0Au;
    U0CTL = UCTL_SWRST;
    U0CTL = UCTL_CHAR | UCTL_SYNC | UCTL_MM | UCTL_SWRST;
    U0TCTL = UTCTL_CKPH | UTCTL_SSEL_SMCLK | UTCTL_STC;
    U0BR0 = 2;
    U0BR1 = 0;
    U0MCTL = 0;
    ME1 |= USPIE0;
    U0CTL &= (uint8_t)~UCTL_SWRST;
}

/* The master's own clock makes the byte come, so this wait ends after 8 bits. */
uint8_t spi_transfer(uint8_t byte)
{
    U0TXBUF = byte;
    while ((IFG1 & URXIFG0) == 0) {
    }
    return U0RXBUF; /* reading clears the flag */
}

void spi_write(const uint8_t *bytes, uint8_t length)
{
    for (; length > 0; length--) {
        spi_transfer(*bytes++);
    }
}

void spi_read(uint8_t *bytes, uint8_t length)
{
    for (; length > 0; length--) {
        *bytes++ = spi_transfer(0);
    }
}

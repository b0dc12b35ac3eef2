#include "radio_port.h"

#include "gpiorig/probe.h"

#include "board.h"
#include "cc2420_port.h"
#include "interrupts.h"
#include "radio_interrupt.h"
#include "spi.h"
#include "timer.h"

/* Tmote Sky data sheet (Moteiv 2006), schematics. Port 1: FIFOP 0, FIFO 3, CCA 4. */
#define FIFOP 0x01u
#define FIFO 0x08u
/* Port 4: SFD 1 (TB1), CSn 2, /CS of the flash on the same SPI 4, VREG_EN 5, RESETn 6 */
#define SFD 0x02u
#define CSN 0x04u
#define FLASH_CSN 0x10u
#define VREG_EN 0x20u
#define RESETN 0x40u

#define SFD_BLOCK 1u /* of Timer_B: its CCI1A is P4.1 (SLAS368, timer B7 signal connections) */

static volatile bool sfd_fell;

void radio_port_init(void)
{
    P4OUT |= CSN | FLASH_CSN | RESETN;
    P4OUT &= (uint8_t)~VREG_EN;
    P4DIR |= CSN | FLASH_CSN | VREG_EN | RESETN;
    P4SEL |= SFD;
    spi_init();
    P1IES &= (uint8_t)~FIFOP;
    P1IFG &= (uint8_t)~FIFOP;
    P1IE |= FIFOP;
}

void radio_port_select(void)
{
    P4OUT &= (uint8_t)~CSN;
}

void radio_port_deselect(void)
{
    P4OUT |= CSN;
}

/* SWRS041 4.7: the regulator takes 0.6 ms; the reset pulse has no length to keep (13.1). */
void radio_port_reset(void)
{
    P4OUT &= (uint8_t)~VREG_EN;
    timer_spin(100);
    P4OUT |= VREG_EN;
    timer_spin(1000);
    P4OUT &= (uint8_t)~RESETN;
    timer_spin(10);
    P4OUT |= RESETN;
    timer_spin(10);
}

bool radio_port_interrupt_level(void)
{
    return (P1IN & FIFOP) != 0;
}

bool cc2420_port_fifo(void)
{
    return (P1IN & FIFO) != 0;
}

bool cc2420_port_sfd(void)
{
    return (P4IN & SFD) != 0;
}

void cc2420_port_watch_sfd(bool watch)
{
    sfd_fell = false;
    TBCCTL(SFD_BLOCK) = watch ? CCTL_CM_FALLING | CCTL_SCS | CCTL_CAP | CCTL_CCIE : CCTL_CM_RISING | CCTL_SCS | CCTL_CAP;
}

bool cc2420_port_sfd_fell(void)
{
    return sfd_fell;
}

/* Reading TBIV takes the flag back (SLAU049F 12.2.6); no other block of this interrupt is in use. */
void timer_b1_handler(void)
{
    GPIORIG_ENTER(ISR_TIMER);
    (void)TBIV;
    cc2420_port_watch_sfd(false);
    sfd_fell = true;
    radio_ask_for_service();
    GPIORIG_EXIT(ISR_TIMER);
}

/* TBR, of which the capture is one, is the lower half of the time (timer.c). */
static uint32_t sfd_rose_us(void)
{
    uint32_t now_us = timer_now();

    return now_us - (uint16_t)((uint16_t)now_us - TBCCR(SFD_BLOCK));
}

void port1_handler(void)
{
    GPIORIG_ENTER(ISR_RADIO);
    P1IFG &= (uint8_t)~FIFOP;
    radio_interrupt(sfd_rose_us());
    GPIORIG_EXIT(ISR_RADIO);
}

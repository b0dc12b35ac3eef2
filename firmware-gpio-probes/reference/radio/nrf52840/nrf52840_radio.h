/**
 * The registers of the radio (nRF52840 Product Specification, section "RADIO"; nrf52840.svd of nrfx 3.14.0). Its tasks, events
 * and shortcuts are also what the PPI connects.
 */
#ifndef NRF52840_RADIO_H
#define NRF52840_RADIO_H

#include "board.h"

#define RADIO_BASE 0x40001000u
#define RADIO_TASK(offset) REG(RADIO_BASE + (offset))
#define TASK_TXEN 0x000u
#define TASK_RXEN 0x004u
#define TASK_START 0x008u
#define TASK_STOP 0x00Cu
#define TASK_DISABLE 0x010u
#define TASK_CCASTART 0x02Cu

#define RADIO_EVENT(offset) REG(RADIO_BASE + (offset))
#define EVENT_ADDRESS 0x104u /* the SFD is over */
#define EVENT_FRAMESTART 0x138u /* the length field is over */
#define EVENT_CCAIDLE 0x144u
#define EVENT_CCABUSY 0x148u
#define EVENT_PHYEND 0x16Cu /* the last bit is over; END of a sender is 17 us before that */
/** Bit of an event in INTENSET and INTENCLR. */
#define RADIO_INTERRUPT_OF(event) (1u << (((event) - 0x100u) / 4u))

#define RADIO_SHORTS REG(RADIO_BASE + 0x200u)
#define SHORT_RXREADY_CCASTART (1u << 11)
#define SHORT_CCAIDLE_TXEN (1u << 12)
#define SHORT_CCAIDLE_STOP (1u << 17)
#define SHORT_TXREADY_START (1u << 18)
#define SHORT_RXREADY_START (1u << 19)
#define RADIO_INTENSET REG(RADIO_BASE + 0x304u)
#define RADIO_CRCSTATUS REG(RADIO_BASE + 0x400u)
#define RADIO_PACKETPTR REG(RADIO_BASE + 0x504u)
#define RADIO_FREQUENCY REG(RADIO_BASE + 0x508u)
#define FREQUENCY_OF(channel) (5u * ((channel) - 10u)) /* above 2400 MHz */
#define RADIO_MODE REG(RADIO_BASE + 0x510u)
#define MODE_IEEE802154 15u
#define RADIO_PCNF0 REG(RADIO_BASE + 0x514u)
#define PCNF0_IEEE802154 (8u | 3u << 24 | 1u << 26) /* length of 8 bits, preamble of 32 zeros, the length counts the FCS */
#define RADIO_PCNF1 REG(RADIO_BASE + 0x518u)
#define RADIO_CRCCNF REG(RADIO_BASE + 0x534u)
#define CRCCNF_IEEE802154 (2u | 2u << 8)
#define RADIO_CRCPOLY REG(RADIO_BASE + 0x538u)
#define CRCPOLY_IEEE802154 0x11021u
#define RADIO_CRCINIT REG(RADIO_BASE + 0x53Cu)
#define RADIO_STATE REG(RADIO_BASE + 0x550u)
enum { STATE_DISABLED = 0, STATE_RXIDLE = 2, STATE_RX = 3, STATE_TXIDLE = 10 };
#define RADIO_MODECNF0 REG(RADIO_BASE + 0x650u)
#define MODECNF0_FAST_CENTER (1u | 2u << 8)
#define RADIO_CCACTRL REG(RADIO_BASE + 0x66Cu)
/* Busy above -75 dBm (threshold 17 from -92 dBm, IEEE 802.15.4 operation), as an AT86RF231 after reset has it: -77 dBm. */
#define CCACTRL_ED_75DBM (0u | 17u << 8)
#define RADIO_POWER REG(RADIO_BASE + 0xFFCu)

/* PPI: channel 20 is TIMER0 COMPARE[0] to TXEN (PS, "PPI", pre-programmed channels); 0 and 1 are ours. */
#define PPI_PHYEND_TO_TIMER0 0u
#define PPI_FRAMESTART_TO_TIMER1 1u
#define PPI_TIMER0_TO_TXEN 20u

#endif

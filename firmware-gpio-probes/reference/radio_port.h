/** How the AT86RF231 is wired to this board: select, reset, sleep and interrupt lines. */
#ifndef RADIO_PORT_H
#define RADIO_PORT_H

#include <stdbool.h>

void radio_port_init(void);

void radio_port_select(void);   /* /SEL low: an access begins */
void radio_port_deselect(void); /* /SEL high: it ends */

/** Pulses /RST with SLP_TR low. */
void radio_port_reset(void);

/** The level of the interrupt line. */
bool radio_port_interrupt_level(void);

#endif

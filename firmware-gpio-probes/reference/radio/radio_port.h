/** How the radio is wired to this board. A chip with more lines has a port header of its own next to its driver. */
#ifndef RADIO_PORT_H
#define RADIO_PORT_H

#include <stdbool.h>
#include <stdint.h>

void radio_port_init(void);

void radio_port_select(void);   /* select line low: an access begins */
void radio_port_deselect(void); /* and high: it ends */

/** Resets the chip, as its data sheet asks. */
void radio_port_reset(void);

/** The level of the interrupt line. */
bool radio_port_interrupt_level(void);

/** The driver's: the board calls it in the interrupt of that line; `at_us` is when, as the chip's port header defines. */
void radio_interrupt(uint32_t at_us);

#endif

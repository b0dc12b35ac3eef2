/** The radio's interrupt: when it came, and that it has not been seen to yet. */
#ifndef RADIO_INTERRUPT_H
#define RADIO_INTERRUPT_H

#include <stdbool.h>
#include <stdint.h>

/** From any context: radio_service shall be called soon. */
void radio_ask_for_service(void);

/** Forgets the interrupt; true when there was one, and `*at_us` then is when. */
bool radio_take_interrupt(uint32_t *at_us);

#endif

/** The radio's interrupt: when it came, and that it has not been seen to yet. */
#ifndef RADIO_INTERRUPT_H
#define RADIO_INTERRUPT_H

#include <stdbool.h>
#include <stdint.h>

/** From any context: radio_service shall be called soon. */
void radio_ask_for_service(void);

/** True when there was an interrupt, which then is seen to, and `*at_us` is when. */
bool radio_take_interrupt(uint32_t *at_us);

/** What it reported has become void. */
void radio_forget_interrupt(void);

#endif

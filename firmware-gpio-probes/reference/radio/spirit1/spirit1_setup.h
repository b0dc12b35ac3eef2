/** How the SPIRIT1 is set up: modulation, packets, interrupts, channel. */
#ifndef SPIRIT1_SETUP_H
#define SPIRIT1_SETUP_H

#include <stdbool.h>
#include <stdint.h>

#include "spirit1_registers.h"

#define INTERRUPTS (IRQ_RX_DATA_READY | IRQ_TX_DATA_SENT | IRQ_MAX_RE_TX_REACH | IRQ_TX_FIFO_ERROR | IRQ_RX_FIFO_ERROR | \
                    IRQ_MAX_BO_CCA_REACH)

/** All that never changes; from READY, after a reset. */
void setup_write(void);

/** The interrupts that pull nIRQ: INTERRUPTS or none. IRQ_STATUS shows them all the same. */
void setup_enable_interrupts(bool enable);

/** Forgets how channels were calibrated. */
void setup_forget_calibration(void);

/** What `set radio_profile` chooses: preamble, CRC, FEC, output power. In READY. */
void setup_profile(bool is_yetimote);

/** Tunes to a channel, in READY; calibrates the VCO for it where that was not done yet. False when the chip does not obey. */
bool setup_tune(uint8_t channel);

#endif

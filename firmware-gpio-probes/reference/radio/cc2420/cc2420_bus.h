/** Accesses to the CC2420 over SPI: strobes, registers, RAM, FIFOs. */
#ifndef CC2420_BUS_H
#define CC2420_BUS_H

#include <stdbool.h>
#include <stdint.h>

/** Returns the status as it was before the strobe. */
uint8_t cc2420_strobe(uint8_t strobe);

/** Waits for bits of the status byte; false when they do not come in time. */
bool cc2420_wait_for(uint8_t mask, uint8_t value, uint32_t max_us);

uint16_t cc2420_read(uint8_t address);
void cc2420_write(uint8_t address, uint16_t value);
void cc2420_ram_write(uint16_t address, const uint8_t *bytes, uint8_t length);

/** Takes bytes out of the RXFIFO. */
void cc2420_rxfifo_read(uint8_t *bytes, uint8_t length);

/** Writes a frame into the TXFIFO; the chip appends the FCS. */
void cc2420_txfifo_write(const uint8_t *bytes, uint8_t length);

/** STXON or STXONCCA; true when the transmission has begun. */
bool cc2420_try_to_send(uint8_t strobe);

#endif

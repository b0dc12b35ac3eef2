/** Accesses to the MRF24J40 over SPI: registers and FIFOs (Microchip DS39776C 2.14). */
#ifndef MRF24J40_BUS_H
#define MRF24J40_BUS_H

#include <stdint.h>

uint8_t mrf24j40_read(uint8_t address);
void mrf24j40_write(uint8_t address, uint8_t value);
void mrf24j40_write_long(uint16_t address, uint8_t value);

/** Reads bytes from a long address on. */
void mrf24j40_read_many(uint16_t address, uint8_t *bytes, uint8_t length);

/** Writes a frame to the TX normal FIFO; the chip appends the FCS. */
void mrf24j40_frame_write(const uint8_t *bytes, uint8_t length);

#endif

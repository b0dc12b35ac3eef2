/** SPI1 as the radio's master: mode 0, 4.5 MHz. */
#ifndef SPI_H
#define SPI_H

#include <stdint.h>

void spi_init(void);

/** Sends one byte and returns the one that came meanwhile. */
uint8_t spi_transfer(uint8_t byte);

#endif

/** The SPI of the radio: master, mode 0, most significant bit first. */
#ifndef SPI_H
#define SPI_H

#include <stdint.h>

void spi_init(void);

/** Sends one byte and returns the one that came meanwhile. */
uint8_t spi_transfer(uint8_t byte);

#endif

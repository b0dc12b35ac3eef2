/** The SPI of the radio: master, mode 0, most significant bit first. */
#ifndef SPI_H
#define SPI_H

#include <stdint.h>

void spi_init(void);

/** Sends one byte and returns the one that came meanwhile. */
uint8_t spi_transfer(uint8_t byte);

/** Many bytes in a row, on boards where the way between two of them is long. */
void spi_write(const uint8_t *bytes, uint8_t length);
void spi_read(uint8_t *bytes, uint8_t length);

#endif

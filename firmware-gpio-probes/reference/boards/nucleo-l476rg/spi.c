#include "spi.h"

#include "board.h"
#include "wiring.h"

/* 80 MHz / 16 = 5 MHz; the SPIRIT1 and an MRF24J40 take 10 MHz, an AT86RF231 7.5 MHz (Atmel 8111C 12.4). */
void spi_init(void)
{
    RCC_AHB2ENR |= RCC_AHB2ENR_GPIO(PORT_A) | RCC_AHB2ENR_GPIO(PORT_B);
    RCC_APB2ENR |= RCC_APB2ENR_SPI1;
    gpio_alternate(SCK_PORT, SCK_PIN, 5);
    gpio_alternate(PORT_A, 6, 5);
    gpio_alternate(PORT_A, 7, 5);
    SPI1_CR2 = SPI_CR2_8_BITS | SPI_CR2_FRXTH; /* RXNE at one byte: RM0351 42.4.9 */
    SPI1_CR1 = SPI_CR1_MSTR | SPI_CR1_BR_DIV16 | SPI_CR1_SSM | SPI_CR1_SSI;
    SPI1_CR1 |= SPI_CR1_SPE;
}

/* The master's own clock makes the byte come, so this wait ends after 8 bits. */
uint8_t spi_transfer(uint8_t byte)
{
    SPI1_DR_BYTE = byte;
    while ((SPI1_SR & SPI_SR_RXNE) == 0) {
    }
    return SPI1_DR_BYTE;
}

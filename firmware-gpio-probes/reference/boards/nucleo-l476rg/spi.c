#include "spi.h"

#include "board.h"
#include "wiring.h"

/* 80 MHz / 16 = 5 MHz; an AT86RF231 takes 7.5 MHz (Atmel 8111C 12.4), a SPIRIT1 10 MHz (DocID022758, table 15). */
void spi_init(void)
{
    RCC_AHB2ENR |= RCC_AHB2ENR_GPIOA | RCC_AHB2ENR_GPIOB;
    RCC_APB2ENR |= RCC_APB2ENR_SPI1;
    gpio_function(SCK_PORT, SCK_PIN, SPI1_FUNCTION);
    gpio_function(GPIOA, MISO_PIN, SPI1_FUNCTION);
    gpio_function(GPIOA, MOSI_PIN, SPI1_FUNCTION);
    SPI1_CR2 = SPI_CR2_DS_8_BITS | SPI_CR2_FRXTH; /* RXNE with the first byte, not the second */
    SPI1_CR1 = SPI_CR1_MSTR | SPI_CR1_BR_DIV16 | SPI_CR1_SSM | SPI_CR1_SSI;
    SPI1_CR1 |= SPI_CR1_SPE;
}

/* The master's own clock makes the byte come, so this wait ends after 8 bits. */
uint8_t spi_transfer(uint8_t byte)
{
    SPI1_DR8 = byte;
    while ((SPI1_SR & SPI_SR_RXNE) == 0) {
    }
    return SPI1_DR8;
}

#include "spi.h"

#include "board.h"

/* 72 MHz / 16 = 4.5 MHz; an AT86RF231 takes 7.5 MHz when not clocked by CLKM (Atmel 8111C 12.4). */
void spi_init(void)
{
    RCC_APB2ENR |= RCC_APB2ENR_IOPA | RCC_APB2ENR_SPI1;
    gpio_mode(GPIOA, 5, GPIO_ALTERNATE);
    gpio_mode(GPIOA, 6, GPIO_INPUT);
    gpio_mode(GPIOA, 7, GPIO_ALTERNATE);
    SPI1_CR1 = SPI_CR1_MSTR | SPI_CR1_BR_DIV16 | SPI_CR1_SSM | SPI_CR1_SSI;
    SPI1_CR1 |= SPI_CR1_SPE;
}

/* The master's own clock makes the byte come, so this wait ends after 8 bits. */
uint8_t spi_transfer(uint8_t byte)
{
    SPI1_DR = byte;
    while ((SPI1_SR & SPI_SR_RXNE) == 0) {
    }
    return (uint8_t)SPI1_DR;
}

/* Stand-in for bsp/boards/iot-lab_M3/leds.c: the green one is PB5, a line of the bus, the orange one PC10. */
#include "leds.h"

#include <stdint.h>

/* RM0008 7.3.7, 9.2.4 */
#define RCC_APB2ENR (*(volatile uint32_t *)0x40021018u)
#define GPIOB_ODR (*(volatile uint32_t *)0x40010C0Cu)
#define GPIOC_ODR (*(volatile uint32_t *)0x4001100Cu)

void leds_init(void)
{
    RCC_APB2ENR |= 1u << 3 | 1u << 4; /* GPIOB, GPIOC */
}

void leds_sync_on(void)
{
    GPIOB_ODR &= ~(1u << 5);
}

void leds_sync_off(void)
{
    GPIOB_ODR |= 1u << 5;
}

void leds_radio_on(void)
{
    GPIOC_ODR &= ~(1u << 10);
}

void leds_radio_off(void)
{
    GPIOC_ODR |= 1u << 10;
}

/**
 * GPIO of an STM32L4: RM0351 2.2.2 (memory map), 6.4.17 (RCC_AHB2ENR), 8.5 (GPIOx_MODER, OSPEEDR, BSRR). For
 * ports/stm32.h.
 */
#ifndef GPIORIG_PORT_STM32L4_H
#define GPIORIG_PORT_STM32L4_H

#include <stdint.h>

#define GPIORIG_PIN_A(n) (0x00 + (n))
#define GPIORIG_PIN_B(n) (0x10 + (n))
#define GPIORIG_PIN_C(n) (0x20 + (n))
#define GPIORIG_PIN_D(n) (0x30 + (n))

#define GPIORIG_RCC_AHB2ENR (*(volatile uint32_t *)0x4002104Cu)
#define GPIORIG_GPIO(pin, offset) (*(volatile uint32_t *)(0x48000000u + 0x400u * ((unsigned)(pin) >> 4) + (offset)))
#define GPIORIG_GPIO_MODER(pin) GPIORIG_GPIO(pin, 0x00u)
#define GPIORIG_GPIO_OSPEEDR(pin) GPIORIG_GPIO(pin, 0x08u)
#define GPIORIG_GPIO_BSRR(pin) GPIORIG_GPIO(pin, 0x18u)

/*
 * Code that the instruction cache does not hold comes at 8 bytes per 5 cycles (RM0351 3.3.3: 4 wait states, 64 bits), a
 * cycle more than the core needs for them: a symbol may take twice as long the first time, never less. So 3.2 holds end
 * a frame, and 4 lie between two.
 */
#define GPIORIG_QUIET_NS (4 * GPIORIG_HOLD_NS)

GPIORIG_INLINE void gpiorig_port_clock(unsigned pin)
{
    GPIORIG_RCC_AHB2ENR |= 1u << (pin >> 4);
}

/** The pin becomes an output; its level is whatever was stored before. */
GPIORIG_INLINE void gpiorig_port_pin_init(unsigned pin)
{
    unsigned shift = (pin & 15u) * 2u;

    GPIORIG_GPIO_OSPEEDR(pin) |= 3u << shift; /* the fastest */
    GPIORIG_GPIO_MODER(pin) = (GPIORIG_GPIO_MODER(pin) & ~(3u << shift)) | 1u << shift; /* output */
}

#endif

/** GPIO of an STM32F1: RM0008 3.3 (memory map), 7.3.7 (RCC_APB2ENR), 9.2 (GPIOx_CRL, CRH, BSRR). For ports/stm32.h. */
#ifndef GPIORIG_PORT_STM32F1_H
#define GPIORIG_PORT_STM32F1_H

#include <stdint.h>

#define GPIORIG_PIN_A(n) (0x00 + (n))
#define GPIORIG_PIN_B(n) (0x10 + (n))
#define GPIORIG_PIN_C(n) (0x20 + (n))
#define GPIORIG_PIN_D(n) (0x30 + (n))

#define GPIORIG_RCC_APB2ENR (*(volatile uint32_t *)0x40021018u)
#define GPIORIG_GPIO(pin, offset) (*(volatile uint32_t *)(0x40010800u + 0x400u * ((unsigned)(pin) >> 4) + (offset)))
#define GPIORIG_GPIO_CR(pin) GPIORIG_GPIO(pin, (((unsigned)(pin) & 8u) >> 3) * 4u)
#define GPIORIG_GPIO_BSRR(pin) GPIORIG_GPIO(pin, 0x10u)

/*
 * The flash keeps up with a symbol (RM0008 3.3.3: 2 wait states, 8 bytes at a time, prefetch on after reset), so that
 * 280 ns end a frame, and 312 lie between two; with a longer hold, 2.24 and 2.5 holds. 63 ns are three samples at 48 MHz,
 * 5 cycles at 72 MHz: three are the symbol and its store.
 */
#define GPIORIG_MIN_HOLD_NS 63
#if defined(GPIORIG_HOLD_NS) && GPIORIG_HOLD_NS > 125
#define GPIORIG_QUIET_NS (GPIORIG_HOLD_NS * 5 / 2)
#else
#define GPIORIG_QUIET_NS 312
#endif

GPIORIG_INLINE void gpiorig_port_clock(unsigned pin)
{
    GPIORIG_RCC_APB2ENR |= 4u << (pin >> 4); /* IOPAEN is bit 2 */
}

/** The pin becomes an output; its level is whatever was stored before. */
GPIORIG_INLINE void gpiorig_port_pin_init(unsigned pin)
{
    unsigned shift = (pin & 7u) * 4u;

    GPIORIG_GPIO_CR(pin) = (GPIORIG_GPIO_CR(pin) & ~(0xfu << shift)) | 0x3u << shift; /* push-pull, 50 MHz */
}

#endif

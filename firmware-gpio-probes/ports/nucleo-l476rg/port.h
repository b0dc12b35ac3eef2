/**
 * gpiorig port: Nucleo-L476RG, STM32L476RG at 80 MHz. Works under any OS: it needs no header of one.
 *
 * Lines, all on one port so that one store changes them all. Override with e.g. -DGPIORIG_STROBE='GPIORIG_PIN_C(9)'.
 *     strobe PC8 (CN10-2), d0 PC2 (CN7-35), d1 PC3 (CN7-37): UM1724 table 29
 * 4 data lines are PC2 to PC5; 8 need -DGPIORIG_D0='GPIORIG_PIN_C(0)', for boards without the shield: there PC7 is the
 * radio's interrupt, PC1 its GPIO0. Span lines may be on any port.
 */
#ifndef GPIORIG_PORT_NUCLEO_L476RG_H
#define GPIORIG_PORT_NUCLEO_L476RG_H

#include "../stm32l4.h"

#ifndef GPIORIG_STROBE
#define GPIORIG_STROBE GPIORIG_PIN_C(8)
#endif
#ifndef GPIORIG_D0
#define GPIORIG_D0 GPIORIG_PIN_C(2)
#endif
#ifndef GPIORIG_D1
#define GPIORIG_D1 GPIORIG_PIN_C(3)
#endif
#ifndef GPIORIG_CPU_HZ
#define GPIORIG_CPU_HZ 80000000
#endif
#define GPIORIG_PORT_WIDTH 2

/* UM1724: 6.2 (ST-LINK), 6.5 (button), 6.7 (oscillators), 6.8 (USART). What a shield takes is in its own wiring. */
#define GPIORIG_PORT_RESERVED(X, ...)                                       \
    X(GPIORIG_PIN_A(2), "PA2, the console", __VA_ARGS__)                    \
    X(GPIORIG_PIN_A(3), "PA3, the console", __VA_ARGS__)                    \
    X(GPIORIG_PIN_A(13), "PA13, SWD", __VA_ARGS__)                          \
    X(GPIORIG_PIN_A(14), "PA14, SWD", __VA_ARGS__)                          \
    X(GPIORIG_PIN_C(13), "PC13, driven by the user button", __VA_ARGS__)    \
    X(GPIORIG_PIN_C(14), "PC14, the 32 kHz crystal", __VA_ARGS__)           \
    X(GPIORIG_PIN_C(15), "PC15, the 32 kHz crystal", __VA_ARGS__)

#include "../stm32.h"

#endif

/**
 * gpiorig port: IoT-LAB M3 open node, STM32F103RE at 72 MHz. Works under any OS: it needs no header of one.
 *
 * Lines, all on one port so that one store changes them all. Override with e.g. -DGPIORIG_STROBE='GPIORIG_PIN_B(9)'.
 * The default is the only set of three on one port that reaches the outside:
 *     strobe PB9 (connector GPIO_2), d0 PB5 (green LED), d1 PB6 (I2C SCL; SDA stays high, so no sensor sees a START)
 * Span lines may be on any port; PA3 and PC11 are the connector's GPIO_1 and GPIO_3. With the connector alone, three
 * span lines and no bus: -DGPIORIG_WIDTH=0 -DGPIORIG_SPAN_<POINT>='GPIORIG_PIN_A(3)' and so on for PB9 and PC11.
 *
 * The flash hands out 8 bytes per 3 cycles (RM0008 3.3.3: 2 wait states, 64-bit prefetch), as fast as the core takes a
 * symbol's, so the wait states do not show; on 1 and 2 lines a symbol takes at most the 18 cycles it may even without
 * the prefetch.
 */
#ifndef GPIORIG_PORT_IOTLAB_M3_H
#define GPIORIG_PORT_IOTLAB_M3_H

#include "../stm32f1.h"

#ifndef GPIORIG_STROBE
#define GPIORIG_STROBE GPIORIG_PIN_B(9)
#endif
#ifndef GPIORIG_D0
#define GPIORIG_D0 GPIORIG_PIN_B(5)
#endif
#ifndef GPIORIG_D1
#define GPIORIG_D1 GPIORIG_PIN_B(6)
#endif
#ifndef GPIORIG_CPU_HZ
#define GPIORIG_CPU_HZ 72000000
#endif
#define GPIORIG_PORT_WIDTH 2

/* RIOT boards/iotlab-m3 and boards/common/iotlab: periph_conf.h, board.h, at86rf2xx_params.h; IoT-LAB M3 schematics. */
#define GPIORIG_PORT_RESERVED(X, ...)                                                               \
    X(GPIORIG_PIN_A(2), "PA2, the SLP_TR of the radio: an edge starts a transmission", __VA_ARGS__) \
    X(GPIORIG_PIN_A(4), "PA4, the SPI select of the radio", __VA_ARGS__)                            \
    X(GPIORIG_PIN_A(5), "PA5, the SPI clock of the radio", __VA_ARGS__)                             \
    X(GPIORIG_PIN_A(6), "PA6, the SPI data of the radio", __VA_ARGS__)                              \
    X(GPIORIG_PIN_A(7), "PA7, the SPI data of the radio", __VA_ARGS__)                              \
    X(GPIORIG_PIN_A(9), "PA9, the console", __VA_ARGS__)                                            \
    X(GPIORIG_PIN_A(10), "PA10, the console", __VA_ARGS__)                                          \
    X(GPIORIG_PIN_A(11), "PA11, the external flash", __VA_ARGS__)                                   \
    X(GPIORIG_PIN_A(13), "PA13, JTAG", __VA_ARGS__)                                                 \
    X(GPIORIG_PIN_A(14), "PA14, JTAG", __VA_ARGS__)                                                 \
    X(GPIORIG_PIN_A(15), "PA15, JTAG", __VA_ARGS__)                                                 \
    X(GPIORIG_PIN_B(0), "PB0, driven by the DIG2 of the radio", __VA_ARGS__)                        \
    X(GPIORIG_PIN_B(1), "PB1, driven by a sensor", __VA_ARGS__)                                     \
    X(GPIORIG_PIN_B(2), "PB2, driven by a sensor", __VA_ARGS__)                                     \
    X(GPIORIG_PIN_B(3), "PB3, JTAG", __VA_ARGS__)                                                   \
    X(GPIORIG_PIN_B(4), "PB4, JTAG", __VA_ARGS__)                                                   \
    X(GPIORIG_PIN_B(7), "PB7, I2C SDA: with SCL it would start a transfer", __VA_ARGS__)            \
    X(GPIORIG_PIN_B(12), "PB12, driven by a sensor", __VA_ARGS__)                                   \
    X(GPIORIG_PIN_B(13), "PB13, the external flash", __VA_ARGS__)                                   \
    X(GPIORIG_PIN_B(14), "PB14, the external flash", __VA_ARGS__)                                   \
    X(GPIORIG_PIN_B(15), "PB15, the external flash", __VA_ARGS__)                                   \
    X(GPIORIG_PIN_C(0), "PC0, driven by a sensor", __VA_ARGS__)                                     \
    X(GPIORIG_PIN_C(1), "PC1, the reset of the radio", __VA_ARGS__)                                 \
    X(GPIORIG_PIN_C(4), "PC4, driven by the interrupt of the radio", __VA_ARGS__)                   \
    X(GPIORIG_PIN_C(5), "PC5, driven by a sensor", __VA_ARGS__)                                     \
    X(GPIORIG_PIN_C(6), "PC6, the external flash", __VA_ARGS__)                                     \
    X(GPIORIG_PIN_C(9), "PC9, the external flash", __VA_ARGS__)

#include "../stm32.h"

#endif

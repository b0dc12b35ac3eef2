/**
 * gpiorig port: YetiMote (B105 Electronic Systems Lab, UPM), STM32L476 at 48 MHz. Needs no header of an OS.
 *
 * Only its LED lines are known to be free: blue PB5 and green PB4, on one port, and red PA8 and PA15. So the bus has
 * one data line, tapped at the LEDs: strobe PB4, d0 PB5; PA8 and PA15 can be span lines. Pins: platform configuration
 * of the YetiMote. The clock, unverified: RUN_MODE_48MHZ in heimdallConf.h of YetiOS, for a board of the same
 * laboratory with the same radios on the same pins. Which pins a header brings out is not known. Unverified on
 * hardware.
 */
#ifndef GPIORIG_PORT_YETIMOTE_H
#define GPIORIG_PORT_YETIMOTE_H

#include "../stm32l4.h"

#ifndef GPIORIG_STROBE
#define GPIORIG_STROBE GPIORIG_PIN_B(4)
#endif
#ifndef GPIORIG_D0
#define GPIORIG_D0 GPIORIG_PIN_B(5)
#endif
#ifndef GPIORIG_D1
#define GPIORIG_D1 GPIORIG_PIN_B(6)
#endif
#ifndef GPIORIG_CPU_HZ
#define GPIORIG_CPU_HZ 48000000
#endif
#define GPIORIG_PORT_WIDTH 1

#define GPIORIG_PORT_RESERVED(X, ...)                                                          \
    X(GPIORIG_PIN_A(13), "PA13, SWD", __VA_ARGS__)                                             \
    X(GPIORIG_PIN_A(14), "PA14, SWD", __VA_ARGS__)                                             \
    X(GPIORIG_PIN_B(0), "PB0, the SPI select of the SPIRIT1 at 868 MHz", __VA_ARGS__)          \
    X(GPIORIG_PIN_B(1), "PB1, driven by the button", __VA_ARGS__)                              \
    X(GPIORIG_PIN_B(2), "PB2, the SPI select of the CC2500", __VA_ARGS__)                      \
    X(GPIORIG_PIN_B(6), "PB6, I2C SCL", __VA_ARGS__)                                           \
    X(GPIORIG_PIN_B(7), "PB7, I2C SDA", __VA_ARGS__)                                           \
    X(GPIORIG_PIN_B(9), "PB9, driven by the accelerometer", __VA_ARGS__)                       \
    X(GPIORIG_PIN_B(12), "PB12, the SPI select of the SPIRIT1 at 433 MHz", __VA_ARGS__)        \
    X(GPIORIG_PIN_B(13), "PB13, the SPI clock of the radios", __VA_ARGS__)                     \
    X(GPIORIG_PIN_B(14), "PB14, the SPI data of the radios", __VA_ARGS__)                      \
    X(GPIORIG_PIN_B(15), "PB15, the SPI data of the radios", __VA_ARGS__)                      \
    X(GPIORIG_PIN_C(0), "PC0, driven by the interrupt of the CC2500", __VA_ARGS__)             \
    X(GPIORIG_PIN_C(2), "PC2, driven by the interrupt of the SPIRIT1 at 868 MHz", __VA_ARGS__) \
    X(GPIORIG_PIN_C(4), "PC4, driven by the interrupt of the SPIRIT1 at 433 MHz", __VA_ARGS__) \
    X(GPIORIG_PIN_C(6), "PC6, the shutdown of the SPIRIT1 at 868 MHz", __VA_ARGS__)            \
    X(GPIORIG_PIN_C(7), "PC7, the shutdown of the SPIRIT1 at 433 MHz", __VA_ARGS__)

#include "../stm32.h"

#endif

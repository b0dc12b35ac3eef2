/**
 * Where the radio's lines are. SPIRIT1: X-NUCLEO-IDS01A4 (mbed, SimpleSpirit1: D11, D12, D3, D9, D10, D2; UM1724 table 16).
 * AT86RF231: jumper wires of this project's own choice, no shield has them.
 */
#ifndef WIRING_H
#define WIRING_H

#include "board.h"

/* SPI1: MISO PA6, MOSI PA7, and SCK; select PB6; interrupt PC7, all with either radio. */
#define MISO_PIN 6u
#define MOSI_PIN 7u
#define SPI1_FUNCTION 5u
#define SELECT_PORT GPIOB
#define SELECT_PIN 6u
#define INTERRUPT_PORT GPIOC
#define INTERRUPT_PIN 7u

#if defined RADIO_IS_spirit1
#define SCK_PORT GPIOB
#define SCK_PIN 3u
#define SHUTDOWN_PORT GPIOA
#define SHUTDOWN_PIN 10u
#else
#define SCK_PORT GPIOA
#define SCK_PIN 5u
#define RESET_PORT GPIOA
#define RESET_PIN 9u
#define SLEEP_PORT GPIOA
#define SLEEP_PIN 8u
#endif

#endif

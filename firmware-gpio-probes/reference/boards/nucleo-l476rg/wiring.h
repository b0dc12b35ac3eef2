/**
 * Where the radio's lines are. SPI1: MISO PA6, MOSI PA7 (D12, D11), SCK as below, AF5 (DS10198, table 17); select PB6 (D10),
 * interrupt PC7 (D9).
 */
#ifndef WIRING_H
#define WIRING_H

#include "board.h"

#define SELECT_PIN 6u
#define INTERRUPT_PIN 7u

#if defined RADIO_IS_spirit1
/* X-NUCLEO-IDS01A4 and A5: SCK D3 (PB3), SDN D2 (PA10); Contiki, platform/stm32nucleo-spirit1. */
#define SCK_PORT PORT_B
#define SCK_PIN 3u
#define SHUTDOWN_PIN 10u
#else
/*
 * AT86RF231, MRF24J40MA: no shield has one, the pins are our choice: SCK D13 (PA5), /RST and RESET D8 (PA9), SLP_TR and WAKE
 * D7 (PA8); DIG2 of the former D6 (PB10).
 */
#define SCK_PORT PORT_A
#define SCK_PIN 5u
#define RESET_PIN 9u
#define SLEEP_PIN 8u
#endif

#endif

/*
 * The board's number: the ROM of a DS2411 on P2.4, a 1-Wire line with a pull-up (Moteiv, Tmote Sky data sheet, 2006).
 * Names of times: Maxim, DS2411 data sheet 19-6131, electrical characteristics, standard speed. TBR counts microseconds.
 */
#include <stdbool.h>
#include <string.h>

#include "board.h"


#define LINE 0x10u
#define RESET_US 500u      /* tRSTL: 480 to 640 */
#define PRESENT_US 66u     /* tMSP: the presence pulse is seen 60 to 75 after the reset */
#define RESET_HIGH_US 480u /* tRSTH: at least */
#define SHORT_US 5u        /* tW1L, tRL: 5 to 15 low, and a bit is read within these 15 (tMSR); loop and pull-up need the rest */
#define LONG_US 65u        /* tW0L: 60 to 120 */
#define SLOT_US 75u        /* tSLOT 65 at least, with tREC, 5 at least */
#define READ_ROM 0x33u
#define FAMILY 0x01u
#define CRC_POLYNOMIAL 0x8Cu /* X8 + X5 + X4 + 1, the lowest bit first */
#define ROM_BYTES (4u * BOARD_UID_WORDS)

static void wait_until(uint16_t begin, uint16_t microseconds)
{
    while ((uint16_t)(TBR - begin) <= microseconds) {
    }
}

/** Low for a time, then high for another; returns whether the line is high soon after `seen_us`, from the same begin. */
static bool pulse(uint16_t low_us, uint16_t seen_us, uint16_t end_us)
{
    irq_state state = irq_lock();
    uint16_t begin = TBR;
    bool is_high;

    P2DIR |= LINE;
    wait_until(begin, low_us);
    P2DIR &= (uint8_t)~LINE;
    wait_until(begin, seen_us);
    is_high = (P2IN & LINE) != 0;
    irq_unlock(state);
    wait_until(begin, end_us);
    return is_high;
}

static uint8_t byte_exchange(uint8_t sent)
{
    uint8_t received = 0;

    for (uint8_t bit = 0x01; bit != 0; bit <<= 1) {
        uint16_t low_us = (sent & bit) != 0 ? SHORT_US : LONG_US;

        if (pulse(low_us, low_us, SLOT_US)) {
            received |= bit;
        }
    }
    return received;
}

static uint8_t crc8(uint8_t crc, uint8_t byte)
{
    crc ^= byte;
    for (uint8_t bit = 0; bit < 8; bit++) {
        crc = (crc & 1u) != 0 ? crc >> 1 ^ CRC_POLYNOMIAL : crc >> 1;
    }
    return crc;
}

/** False: no chip answers, or its answer is damaged. */
static bool read_rom(uint8_t *rom)
{
    uint8_t crc = 0;

    P2OUT &= (uint8_t)~LINE;
    if (pulse(RESET_US, RESET_US + PRESENT_US, RESET_US + RESET_HIGH_US)) {
        return false;
    }
    byte_exchange(READ_ROM);
    for (uint8_t i = 0; i < ROM_BYTES; i++) {
        rom[i] = byte_exchange(0xFF);
        crc = crc8(crc, rom[i]);
    }
    return crc == 0 && rom[0] == FAMILY;
}

uint32_t board_uid(unsigned word)
{
    static uint8_t rom[ROM_BYTES];
    static bool was_read;
    const uint8_t *bytes = &rom[4u * word];

    if (!was_read) {
        was_read = true;
        if (!read_rom(rom)) {
            memset(rom, 0xFF, sizeof rom);
        }
    }
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

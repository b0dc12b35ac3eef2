#include "mrf24j40_bus.h"

#include "mrf24j40_registers.h"
#include "radio_access.h"
#include "spi.h"

#define SHORT_WRITE 0x01u
#define LONG_ADDRESS 0x80u
#define LONG_WRITE 0x10u

static uint8_t access_long(uint16_t address, uint8_t write, uint8_t value)
{
    radio_access_begin();
    spi_transfer((uint8_t)(LONG_ADDRESS | address >> 3));
    spi_transfer((uint8_t)(address << 5 | write));
    value = spi_transfer(value);
    radio_access_end();
    return value;
}

uint8_t mrf24j40_read(uint8_t address)
{
    uint8_t value;

    radio_access_begin();
    spi_transfer((uint8_t)(address << 1));
    value = spi_transfer(0);
    radio_access_end();
    return value;
}

void mrf24j40_write(uint8_t address, uint8_t value)
{
    radio_access_begin();
    spi_transfer((uint8_t)(address << 1 | SHORT_WRITE));
    spi_transfer(value);
    radio_access_end();
}

void mrf24j40_write_long(uint16_t address, uint8_t value)
{
    (void)access_long(address, LONG_WRITE, value);
}

/*
 * A byte an access, as 2.14.2 has it. That the address counts up while the select line is low is not in the data sheet; Linux and
 * RIOT rely on it. sigrok's decoder mrf24j40 does not know of it either.
 */
void mrf24j40_read_many(uint16_t address, uint8_t *bytes, uint8_t length)
{
    for (uint8_t i = 0; i < length; i++) {
        bytes[i] = access_long((uint16_t)(address + i), 0, 0);
    }
}

/* 3.12: length of the header, of the frame, the frame. The first is for the encryption alone; Linux writes 0 too. */
void mrf24j40_frame_write(const uint8_t *bytes, uint8_t length)
{
    mrf24j40_write_long(TX_NORMAL_FIFO, 0);
    mrf24j40_write_long(TX_NORMAL_FIFO + 1u, length);
    for (uint8_t i = 0; i < length; i++) {
        mrf24j40_write_long((uint16_t)(TX_NORMAL_FIFO + 2u + i), bytes[i]);
    }
}

#include "mrf24j40_bus.h"

#include "mrf24j40_registers.h"
#include "radio_access.h"
#include "spi.h"

#define SHORT_WRITE 0x01u
#define LONG_ADDRESS 0x80u
#define LONG_WRITE 0x10u

static void begin_long(uint16_t address, uint8_t write)
{
    radio_access_begin();
    spi_transfer((uint8_t)(LONG_ADDRESS | address >> 3));
    spi_transfer((uint8_t)(address << 5 | write));
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
    begin_long(address, LONG_WRITE);
    spi_transfer(value);
    radio_access_end();
}

void mrf24j40_read_many(uint16_t address, uint8_t *bytes, uint8_t length)
{
    begin_long(address, 0);
    for (uint8_t i = 0; i < length; i++) {
        bytes[i] = spi_transfer(0);
    }
    radio_access_end();
}

/* 3.12: length of the header, of the frame, the frame. The first is for the encryption alone; Linux writes 0 too. */
void mrf24j40_frame_write(const uint8_t *bytes, uint8_t length)
{
    begin_long(TX_NORMAL_FIFO, LONG_WRITE);
    spi_transfer(0);
    spi_transfer(length);
    for (uint8_t i = 0; i < length; i++) {
        spi_transfer(bytes[i]);
    }
    radio_access_end();
}

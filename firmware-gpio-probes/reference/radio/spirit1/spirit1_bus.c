#include "spirit1_bus.h"

#include "radio_access.h"
#include "spi.h"
#include "spirit1_registers.h"
#include "timer.h"

/* The longest way that is waited for: an acknowledgement of 0.6 ms that the chip sends first; power-on takes less. */
#define STATE_US 5000u

static void begin(uint8_t header, uint8_t address)
{
    radio_access_begin();
    spi_transfer(header);
    spi_transfer(address);
}

uint8_t spirit1_read(uint8_t address)
{
    uint8_t value;

    spirit1_read_many(address, &value, 1);
    return value;
}

void spirit1_read_many(uint8_t address, uint8_t *bytes, uint8_t length)
{
    begin(SPI_READ, address);
    for (uint8_t i = 0; i < length; i++) {
        bytes[i] = spi_transfer(0);
    }
    radio_access_end();
}

void spirit1_write(uint8_t address, uint8_t value)
{
    spirit1_write_many(address, &value, 1);
}

void spirit1_write_many(uint8_t address, const uint8_t *bytes, uint8_t length)
{
    begin(SPI_WRITE, address);
    for (uint8_t i = 0; i < length; i++) {
        spi_transfer(bytes[i]);
    }
    radio_access_end();
}

void spirit1_command(uint8_t code)
{
    begin(SPI_COMMAND, code);
    radio_access_end();
}

uint16_t spirit1_status(void)
{
    uint16_t status;

    radio_access_begin();
    status = (uint16_t)(spi_transfer(SPI_READ) << 8);
    status = (uint16_t)(status | spi_transfer(DEVICE_INFO1));
    radio_access_end();
    return status;
}

bool spirit1_wait(uint8_t state)
{
    uint32_t start = timer_now();

    while (STATUS_STATE(spirit1_status()) != state) {
        if (timer_now() - start > STATE_US) {
            return false;
        }
    }
    return true;
}

uint32_t spirit1_interrupts(void)
{
    uint8_t bytes[4];

    spirit1_read_many(IRQ_STATUS3, bytes, sizeof bytes);
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

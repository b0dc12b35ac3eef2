#include "cc2420_bus.h"

#include "cc2420_registers.h"
#include "radio_access.h"
#include "radio_limits.h"
#include "spi.h"
#include "timer.h"

#define RXFIFO_CHUNK 16u /* so that no access lasts long; the next one continues where the last one ended: 13.4 */

uint8_t cc2420_strobe(uint8_t strobe)
{
    uint8_t status;

    radio_access_begin();
    status = spi_transfer(strobe);
    radio_access_end();
    return status;
}

uint16_t cc2420_read(uint8_t address)
{
    uint16_t value;

    radio_access_begin();
    spi_transfer((uint8_t)(SPI_READ | address));
    value = (uint16_t)(spi_transfer(0) << 8);
    value |= spi_transfer(0);
    radio_access_end();
    return value;
}

void cc2420_write(uint8_t address, uint16_t value)
{
    radio_access_begin();
    spi_transfer(address);
    spi_transfer((uint8_t)(value >> 8));
    spi_transfer((uint8_t)value);
    radio_access_end();
}

/* 13.5: seven address bits, then the bank in bits 7 and 6, and bit 5 clear for a write. */
void cc2420_ram_write(uint16_t address, const uint8_t *bytes, uint8_t length)
{
    radio_access_begin();
    spi_transfer((uint8_t)(SPI_RAM | (address & 0x7Fu)));
    spi_transfer((uint8_t)(address >> 7 << 6));
    for (uint8_t i = 0; i < length; i++) {
        spi_transfer(bytes[i]);
    }
    radio_access_end();
}

void cc2420_rxfifo_read(uint8_t *bytes, uint8_t length)
{
    while (length > 0) {
        uint8_t chunk = length < RXFIFO_CHUNK ? length : RXFIFO_CHUNK;

        radio_access_begin();
        spi_transfer(SPI_READ | RXFIFO);
        spi_read(bytes, chunk);
        radio_access_end();
        bytes += chunk;
        length = (uint8_t)(length - chunk);
    }
}

void cc2420_txfifo_write(const uint8_t *bytes, uint8_t length)
{
    radio_access_begin();
    spi_transfer(TXFIFO);
    spi_transfer((uint8_t)(length + RADIO_FCS_LENGTH));
    spi_write(bytes, length);
    radio_access_end();
}

/* TX_ACTIVE shows it (25); an automatic acknowledgement that is being sent sets it too, and then the strobe is ignored. */
bool cc2420_try_to_send(uint8_t strobe)
{
    uint8_t before, after;

    radio_access_begin();
    before = spi_transfer(strobe);
    after = spi_transfer(SNOP);
    radio_access_end();
    return (before & STATUS_TX_ACTIVE) == 0 && (after & STATUS_TX_ACTIVE) != 0;
}

bool cc2420_wait_for(uint8_t mask, uint8_t value, uint32_t max_us)
{
    uint32_t start_us = timer_now();

    while ((cc2420_strobe(SNOP) & mask) != value) {
        if (timer_now() - start_us > max_us) {
            return false;
        }
    }
    return true;
}

#include "cc2420_bus.h"

#include "cc2420_registers.h"
#include "radio_limits.h"
#include "radio_port.h"
#include "spi.h"

uint8_t cc2420_strobe(uint8_t strobe)
{
    uint8_t status;

    radio_port_select();
    status = spi_transfer(strobe);
    radio_port_deselect();
    return status;
}

uint16_t cc2420_read(uint8_t address)
{
    uint16_t value;

    radio_port_select();
    spi_transfer((uint8_t)(SPI_READ | address));
    value = (uint16_t)(spi_transfer(0) << 8);
    value |= spi_transfer(0);
    radio_port_deselect();
    return value;
}

void cc2420_write(uint8_t address, uint16_t value)
{
    radio_port_select();
    spi_transfer(address);
    spi_transfer((uint8_t)(value >> 8));
    spi_transfer((uint8_t)value);
    radio_port_deselect();
}

/* 13.5: seven address bits, then the bank in bits 7 and 6, and bit 5 clear for a write. */
void cc2420_ram_write(uint16_t address, const uint8_t *bytes, uint8_t length)
{
    radio_port_select();
    spi_transfer((uint8_t)(SPI_RAM | (address & 0x7Fu)));
    spi_transfer((uint8_t)(address >> 7 << 6));
    for (uint8_t i = 0; i < length; i++) {
        spi_transfer(bytes[i]);
    }
    radio_port_deselect();
}

void cc2420_rxfifo_read(uint8_t *bytes, uint8_t length)
{
    radio_port_select();
    spi_transfer(SPI_READ | RXFIFO);
    spi_read(bytes, length);
    radio_port_deselect();
}

void cc2420_txfifo_write(const uint8_t *bytes, uint8_t length)
{
    radio_port_select();
    spi_transfer(TXFIFO);
    spi_transfer((uint8_t)(length + RADIO_FCS_LENGTH));
    spi_write(bytes, length);
    radio_port_deselect();
}

/* TX_ACTIVE tells (25); an automatic acknowledgement that is under way sets it too, and then the strobe is ignored. */
bool cc2420_try_to_send(void)
{
    uint8_t before, after;

    radio_port_select();
    before = spi_transfer(STXONCCA);
    after = spi_transfer(SNOP);
    radio_port_deselect();
    return (before & STATUS_TX_ACTIVE) == 0 && (after & STATUS_TX_ACTIVE) != 0;
}

#include "at86rf231_bus.h"

#include "at86rf231_registers.h"
#include "radio_limits.h"
#include "radio_port.h"
#include "spi.h"
#include "timer.h"

#define TRANSITION_US 1000u /* the longest is TRX_OFF to PLL_ON, 110 us: Atmel 8111C 7.1.4.5, table 7-1 */
#define RECEPTION_US 10000u /* the longest frame, 4.3 ms, and its acknowledgement, 0.5 ms; twice */

uint8_t at86rf231_read(uint8_t address)
{
    uint8_t value;

    radio_port_select();
    spi_transfer((uint8_t)(SPI_REGISTER_READ | address));
    value = spi_transfer(0);
    radio_port_deselect();
    return value;
}

void at86rf231_write(uint8_t address, uint8_t value)
{
    radio_port_select();
    spi_transfer((uint8_t)(SPI_REGISTER_WRITE | address));
    spi_transfer(value);
    radio_port_deselect();
}

/* Atmel 8111C 6.2.2: command, PHR, PSDU, LQI; an access may end early, and a new one starts at the PHR again. */
uint8_t at86rf231_frame_length(void)
{
    uint8_t length;

    radio_port_select();
    spi_transfer(SPI_FRAME_READ);
    length = spi_transfer(0);
    radio_port_deselect();
    return length & 0x7Fu;
}

uint8_t at86rf231_frame_read(uint8_t *bytes, uint8_t length)
{
    uint8_t quality;

    radio_port_select();
    spi_transfer(SPI_FRAME_READ);
    spi_transfer(0);
    for (uint8_t i = 0; i < length; i++) {
        bytes[i] = spi_transfer(0);
    }
    quality = spi_transfer(0);
    radio_port_deselect();
    return quality;
}

void at86rf231_frame_write(const uint8_t *bytes, uint8_t length)
{
    radio_port_select();
    spi_transfer(SPI_FRAME_WRITE);
    spi_transfer((uint8_t)(length + RADIO_FCS_LENGTH));
    for (uint8_t i = 0; i < length; i++) {
        spi_transfer(bytes[i]);
    }
    radio_port_deselect();
}

uint8_t at86rf231_status(void)
{
    return at86rf231_read(TRX_STATUS) & TRX_STATUS_MASK;
}

static bool wait_for(uint8_t state)
{
    uint32_t start = timer_now();

    for (;;) {
        uint8_t status = at86rf231_status();

        /* A frame may begin the moment the receiver is on: Atmel 8111C 7.2.1 */
        if (status == state || (state == STATE_RX_AACK_ON && status == STATE_BUSY_RX_AACK)) {
            return true;
        }
        if (timer_now() - start > TRANSITION_US) {
            return false;
        }
    }
}

bool at86rf231_enter(uint8_t command, uint8_t state)
{
    at86rf231_write(TRX_STATE, command);
    return wait_for(state);
}

/* Atmel 8111C 7.2.1: commanded in BUSY_RX_AACK, the change comes after the frame and its acknowledgement. */
bool at86rf231_leave_receive(void)
{
    uint32_t start = timer_now();

    at86rf231_write(TRX_STATE, STATE_PLL_ON);
    for (;;) {
        uint8_t status = at86rf231_status();

        if (status == STATE_PLL_ON) {
            return true;
        }
        if (timer_now() - start > RECEPTION_US) {
            at86rf231_enter(STATE_FORCE_PLL_ON, STATE_PLL_ON);
            return false;
        }
        if (status == STATE_RX_AACK_ON) {
            at86rf231_write(TRX_STATE, STATE_PLL_ON);
        }
    }
}

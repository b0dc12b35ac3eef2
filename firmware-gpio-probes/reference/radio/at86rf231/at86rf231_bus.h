/** Accesses to the AT86RF231 over SPI: registers, frame buffer, state changes. */
#ifndef AT86RF231_BUS_H
#define AT86RF231_BUS_H

#include <stdbool.h>
#include <stdint.h>

uint8_t at86rf231_read(uint8_t address);
void at86rf231_write(uint8_t address, uint8_t value);

/** Reads the length of the frame in the buffer, its FCS included. */
uint8_t at86rf231_frame_length(void);

/** Reads `length` bytes of the frame in the buffer; returns the link quality that follows a complete frame. */
uint8_t at86rf231_frame_read(uint8_t *bytes, uint8_t length);

/** Writes a frame; the chip appends the FCS. */
void at86rf231_frame_write(const uint8_t *bytes, uint8_t length);

uint8_t at86rf231_status(void);

/** Commands a state and waits until the chip is in it; false when it is not after 1 ms. */
bool at86rf231_enter(uint8_t command, uint8_t state);

/** From RX_AACK to PLL_ON. Lets a frame under reception and its acknowledgement end; false when it had to be forced. */
bool at86rf231_leave_receive(void);

#endif

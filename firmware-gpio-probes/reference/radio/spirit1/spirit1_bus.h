/** Accesses to the SPIRIT1: registers, FIFOs, commands, and waits for its states. */
#ifndef SPIRIT1_BUS_H
#define SPIRIT1_BUS_H

#include <stdbool.h>
#include <stdint.h>

uint8_t spirit1_read(uint8_t address);
void spirit1_read_many(uint8_t address, uint8_t *bytes, uint8_t length);
void spirit1_write(uint8_t address, uint8_t value);
/** Registers follow each other; LINEAR_FIFO takes all of them. */
void spirit1_write_many(uint8_t address, const uint8_t *bytes, uint8_t length);

void spirit1_command(uint8_t code);

/** MC_STATE1 and MC_STATE0. */
uint16_t spirit1_status(void);

/** Waits for a state; false when it does not come in time. */
bool spirit1_wait(uint8_t state);

/** Reads IRQ_STATUS, which clears it. */
uint32_t spirit1_interrupts(void);

#endif

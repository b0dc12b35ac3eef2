/** What the rows of a core and of a board are to main.c; the rows themselves: rows.h, made of rig/gpiorig/rig/certify/rows.toml. */
#ifndef CERTIFY_H
#define CERTIFY_H

#include <stdbool.h>
#include <stdint.h>

/** One pulse of a row: the line is high while its sequence runs, `turns` times. */
typedef void certify_kernel(uint16_t turns);

/** Clock and flash of a row. */
enum certify_setup { CERTIFY_FULL, CERTIFY_WS0, CERTIFY_WS1, CERTIFY_WS2, CERTIFY_UNCACHED };

/** Lets these cycles pass, in addition to what the call takes. */
void certify_shift(uint8_t cycles);

/** The slow clock with these wait states, no cache, or back; only of boards that have such rows. */
void certify_set_up(enum certify_setup setup);

/** Switches the clock of DMA1 on; only of boards that have such rows. */
void certify_clock_dma(void);

/** Raises and lowers the line. */
void certify_line(bool level);

#endif

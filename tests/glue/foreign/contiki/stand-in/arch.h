/** What the stand-in needs of a processor. */
#ifndef ARCH_H
#define ARCH_H

/** The radio's interrupt: calls the driver, as arch/cpu/msp430/cc2420-arch.c does. */
void arch_radio_interrupt(void);

/** The last frame that was sent comes in again. */
void radio_again(void);

/** The board's: clocks and console, and what it does once a tick. */
void board_init(void);
void board_idle(void);

#endif

/* Stand-in for bsp/boards/iot-lab_M3/board.c: the clock after reset; a sleep is as long as it takes to count, then a slot begins. */
#include "board.h"

#include "debugpins.h"
#include "interrupts.h"
#include "leds.h"
#include "radio.h"

#define NVIC_ISER ((volatile uint32_t *)0xE000E100u) /* ARMv7-M ARM B3.4.4 */

int mote_main(void);
int main(void);

int main(void)
{
    return mote_main();
}

void board_init(void)
{
    leds_init();
    radio_init();
    debugpins_init();
    NVIC_ISER[RADIO_IRQ / 32u] = 1u << RADIO_IRQ % 32u;
    NVIC_ISER[TIMER_IRQ / 32u] = 1u << TIMER_IRQ % 32u;
}

void board_sleep(void)
{
    for (volatile unsigned rest = 0; rest < 200; rest++) {
    }
    pend(TIMER_IRQ);
}

void board_reset(void)
{
    for (;;) {
    }
}

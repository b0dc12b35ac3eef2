/**
 * What an event costs: bursts of the same event between two stores to a line that no variant of the library touches. An
 * image of its own, PROGRAM=costs; tests/studies/probe_costs.py reads the line and writes docs/guide/probe-cost.md.
 *
 * -DCOSTS_LINE=<pin> names the line, -DGPIORIG_SPAN_ISR_OTHER=<pin> the span line that is measured.
 */
#include "gpiorig/probe.h"

#include "clock.h"
#include "timer.h"

/* Straight-line code, as a firmware's own: no loop around it whose price would have to be taken off. */
#define FOUR_TIMES(event) event; event; event; event
#define BURST(event) FOUR_TIMES(FOUR_TIMES(event))

#define FOUR_CHANGES \
    GPIORIG_ENTER(ISR_OTHER); \
    GPIORIG_EXIT(ISR_OTHER);  \
    GPIORIG_ENTER(ISR_OTHER); \
    GPIORIG_EXIT(ISR_OTHER)

#define BETWEEN_EDGES(burst)                          \
    do {                                              \
        gpiorig_port_line((unsigned)(COSTS_LINE), 1); \
        burst;                                        \
        gpiorig_port_line((unsigned)(COSTS_LINE), 0); \
        gpiorig_port_quiet();                         \
    } while (0)

/** Noinline and never the last thing a caller does, so that the bursts are the same code in every build. */
__attribute__((noinline)) static void measure(uint16_t id)
{
    BETWEEN_EDGES(FOUR_TIMES((void)0));
    BETWEEN_EDGES(BURST(GPIORIG_EVENT(RADIO_RX_START)));
    BETWEEN_EDGES(BURST(GPIORIG_EVENT_ID(RIG_MARKER, id)));
    BETWEEN_EDGES(BURST(GPIORIG_EVENT(SLOT_INTERRUPT)));
    BETWEEN_EDGES(BURST(GPIORIG_EVENT_ID(QUEUE_POST, id)));
    BETWEEN_EDGES(FOUR_TIMES(FOUR_CHANGES));
}

/* What the boards' interrupts call; none comes. */
void radio_interrupt(void);
void radio_interrupt(void)
{
}

void radio_ask_for_service(void);
void radio_ask_for_service(void)
{
}

int main(void)
{
    clock_init();
    timer_init();
    gpiorig_init();
    gpiorig_port_line_init((unsigned)(COSTS_LINE));
    gpiorig_enable(GPIORIG_SLOT_INTERRUPT, false);
    gpiorig_enable(GPIORIG_QUEUE_POST, false);
    measure(0x5aa5); /* twice: an instruction cache knows the code the second time */
    measure(0x5aa5);
    for (;;) {
    }
}

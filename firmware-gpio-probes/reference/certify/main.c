/**
 * What `gpiorig bench certify` records: sequences of instructions and peripherals, each between two edges of one line, the
 * strobe unless -DCERTIFY_LINE=<pin> names another. An image of its own, PROGRAM=certify. Without end it shows
 *     a quiet of 1 ms, the row's code as 8 pulses, short or long, the first bit and the odd parity last, and its pulses.
 * docs/guide/certify.md has the rows; they need neither console nor radio.
 */
#include "certify.h"

#include "gpiorig/probe.h"

#include "clock.h"
#include "rows.h"
#include "timer.h"

#define QUIET_US 1000u
#define SHORT_US 20u
#define LONG_US 200u
#define BETWEEN_US 20u

struct row {
    uint8_t code;
    certify_kernel *kernel;
    enum certify_setup setup;
    uint16_t few, many; /* turns of a pulse, and of the next; many is 0 where all pulses are equal */
    uint8_t repeats;
};

#define ROW(code, kernel, setup, few, many, repeats) void certify_##kernel##_pulse(uint16_t turns);
CERTIFY_ROWS
#undef ROW

static const struct row rows[] = {
#define ROW(code, kernel, setup, few, many, repeats) \
    {code, certify_##kernel##_pulse, setup, few, many, repeats},
    CERTIFY_ROWS
#undef ROW
};

static void announce(uint8_t code)
{
    uint16_t bits = code;
    uint8_t parity = 1;

    for (uint8_t bit = 0; bit < 7; bit++) {
        parity ^= code >> bit & 1u;
    }
    bits = (uint16_t)(bits << 1 | parity);
    timer_spin(QUIET_US);
    for (uint8_t bit = 8; bit-- > 0;) {
        certify_line(true);
        timer_spin((bits >> bit & 1u) != 0 ? LONG_US : SHORT_US);
        certify_line(false);
        timer_spin(BETWEEN_US);
    }
}

/* At random, so that a clock which is the analyzer's multiple does not stay in a phase. */
static uint8_t next_shift(void)
{
    static uint16_t state = 1;

    state = (uint16_t)(state >> 1 ^ ((state & 1u) != 0 ? 0xB400u : 0u)); /* x^16 + x^14 + x^13 + x^11 + 1 */
    return state & 15u;
}

static void show(const struct row *row)
{
    announce(row->code);
    certify_set_up(row->setup);
    for (uint8_t repeat = 0; repeat < row->repeats; repeat++) {
        certify_shift(next_shift());
        row->kernel(row->few);
        if (row->many != 0) {
            certify_shift(next_shift());
            row->kernel(row->many);
        }
    }
    certify_set_up(CERTIFY_FULL);
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
    for (;;) {
        for (unsigned at = 0; at < sizeof rows / sizeof *rows; at++) {
            show(&rows[at]);
        }
    }
}

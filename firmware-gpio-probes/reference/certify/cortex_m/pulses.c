/** A pulse of each kernel of kernels.S, on the line. */
#include "certify.h"

#include "gpiorig/probe.h"

#include "clock.h"

#ifndef CERTIFY_LINE
#define CERTIFY_LINE GPIORIG_STROBE
#endif

typedef void sequence(volatile uint32_t *set_reset, uint32_t raise, uint32_t lower, uint32_t turns);

void certify_slide(uint32_t cycles);

void certify_line(bool level)
{
    gpiorig_port_line((unsigned)(CERTIFY_LINE), level);
}

void certify_shift(uint8_t cycles)
{
    for (volatile uint8_t turn = 0; turn < 20; turn++) { /* a low of some 5 us */
    }
    certify_slide(cycles);
}

/* Milliseconds of the processor's clock, whose handler ends them to the cycle. */
sequence certify_clock;
void certify_clock_pulse(uint16_t turns);
void certify_clock_pulse(uint16_t turns)
{
    certify_clock(&GPIORIG_GPIO_BSRR(CERTIFY_LINE), GPIORIG_BIT(CERTIFY_LINE), GPIORIG_BIT(CERTIFY_LINE) << 16,
                  turns * (CPU_HZ / 1000u) - 1u);
}

#define SHOWN(name)                                                                                         \
    sequence certify_##name;                                                                                \
    void certify_##name##_pulse(uint16_t turns);                                                            \
    void certify_##name##_pulse(uint16_t turns)                                                             \
    {                                                                                                       \
        certify_##name(&GPIORIG_GPIO_BSRR(CERTIFY_LINE), GPIORIG_BIT(CERTIFY_LINE),                         \
                       GPIORIG_BIT(CERTIFY_LINE) << 16, turns);                                             \
    }

SHOWN(narrow)
SHOWN(wide)
SHOWN(branch_0)
SHOWN(branch_2)
SHOWN(branch_4)
SHOWN(branch_6)
SHOWN(store)
SHOWN(load)
SHOWN(modify_0)
SHOWN(modify_2)
SHOWN(modify_4)
SHOWN(modify_6)
SHOWN(load_ram)
SHOWN(load_alone)
SHOWN(store_ram)
SHOWN(store_indexed)
SHOWN(load_multiple)
SHOWN(unaligned)
SHOWN(multiply_add)
SHOWN(long_multiply)
SHOWN(long_multiply_wide)
SHOWN(long_multiply_add)
SHOWN(special)
SHOWN(table_branch)
SHOWN(load_pc)
SHOWN(call)
SHOWN(interrupt_entry)
SHOWN(interrupt_turn)
SHOWN(interrupt_tail)
SHOWN(interrupt_timer)
SHOWN(interrupt_wake)
SHOWN(square)

/** A pulse of each kernel of kernels.S, on the line. */
#include "certify.h"

#include "gpiorig/probe.h"

#include "clock.h"

#ifndef CERTIFY_LINE
#define CERTIFY_LINE GPIORIG_STROBE
#endif

#ifdef LINE_IS_OUT
#define REGISTER (&GPIORIG_GPIO_OUT(CERTIFY_LINE))
#define RAISE (GPIORIG_GPIO_OUT(CERTIFY_LINE) | GPIORIG_BIT(CERTIFY_LINE))
#define LOWER (GPIORIG_GPIO_OUT(CERTIFY_LINE) & ~GPIORIG_BIT(CERTIFY_LINE))
#else
#define REGISTER (&GPIORIG_GPIO_BSRR(CERTIFY_LINE))
#define RAISE GPIORIG_BIT(CERTIFY_LINE)
#define LOWER (GPIORIG_BIT(CERTIFY_LINE) << 16)
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
    certify_clock(REGISTER, RAISE, LOWER, turns * (CPU_HZ / 1000u) - 1u);
}

#define SHOWN(name)                                                                                         \
    sequence certify_##name;                                                                                \
    void certify_##name##_pulse(uint16_t turns);                                                            \
    void certify_##name##_pulse(uint16_t turns)                                                             \
    {                                                                                                       \
        certify_##name(REGISTER, RAISE, LOWER, turns);                                                      \
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

#ifndef LINE_IS_OUT
/* DMA1 channel 1, which moves one word of RAM to another (RM0008 13.4.3 to 13.4.6, RM0351 11.6.3 to 11.6.6). */
#define DMA1_CCR1 (*(volatile uint32_t *)0x40020008u)
#define DMA1_CNDTR1 (*(volatile uint32_t *)0x4002000Cu)
#define DMA1_CPAR1 (*(volatile uint32_t *)0x40020010u)
#define DMA1_CMAR1 (*(volatile uint32_t *)0x40020014u)
#define MEM2MEM_WORDS 0x4A01u /* MEM2MEM, MSIZE and PSIZE of 32 bits, EN */
#define MOST_WORDS 65535u     /* at 5 cycles each they last longer than any pulse */

static void set_up_dma(uint16_t words)
{
    static uint32_t from, to;

    certify_clock_dma();
    DMA1_CCR1 = 0;
    DMA1_CNDTR1 = words;
    DMA1_CPAR1 = (uint32_t)&from;
    DMA1_CMAR1 = (uint32_t)&to;
}

sequence certify_dma_words;
void certify_dma_words_pulse(uint16_t turns);
void certify_dma_words_pulse(uint16_t turns)
{
    set_up_dma(turns);
    certify_dma_words(REGISTER, RAISE, LOWER, turns);
}

#define SHOWN_WITH_DMA(name)                                                                                \
    void certify_dma_##name##_pulse(uint16_t turns);                                                        \
    void certify_dma_##name##_pulse(uint16_t turns)                                                         \
    {                                                                                                       \
        set_up_dma(MOST_WORDS);                                                                             \
        DMA1_CCR1 = MEM2MEM_WORDS;                                                                          \
        certify_##name##_pulse(turns);                                                                      \
        DMA1_CCR1 = 0;                                                                                      \
    }

SHOWN_WITH_DMA(load_ram)
SHOWN_WITH_DMA(store_ram)
SHOWN_WITH_DMA(narrow)
#endif

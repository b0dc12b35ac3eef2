/** The flash without its cache, and what starts and wakes (nRF52840 Product Specification, "NVMC", "CLOCK", "POWER"). */
#include "certify.h"

#include "board.h"

#define CLOCK_TASKS_HFCLKSTOP REG(0x40000004u)
#define IRQ_TIMER0 8u
#define NVIC_ICPR(irq) REG(0xE000E280u + 4u * ((irq) / 32u))
#define PRESCALER_1_MHZ 4u

void certify_set_up(enum certify_setup setup)
{
    NVMC_ICACHECNF = setup == CERTIFY_UNCACHED ? 0 : NVMC_ICACHECNF_CACHEEN;
}

void certify_start_crystal_pulse(uint16_t turns);
void certify_wake_pulse(uint16_t turns);

void certify_start_crystal_pulse(uint16_t turns)
{
    (void)turns;
    CLOCK_TASKS_HFCLKSTOP = 1;
    CLOCK_EVENTS_HFCLKSTARTED = 0;
    certify_line(true);
    CLOCK_TASKS_HFCLKSTART = 1;
    while (CLOCK_EVENTS_HFCLKSTARTED == 0) {
    }
    certify_line(false);
}

/* TIMER0 wakes the processor after `turns` microseconds; interrupts are masked, so that no handler comes in between. */
void certify_wake_pulse(uint16_t turns)
{
    TIMER_BITMODE(TIMER0) = TIMER_BITMODE_32;
    TIMER_PRESCALER(TIMER0) = PRESCALER_1_MHZ;
    TIMER_SHORTS(TIMER0) = TIMER_COMPARE_STOP(0);
    TIMER_CC(TIMER0, 0) = turns;
    TIMER_EVENTS_COMPARE(TIMER0, 0) = 0;
    TIMER_INTENSET(TIMER0) = TIMER_COMPARE(0);
    TIMER_TASKS_CLEAR(TIMER0) = 1;
    __asm__ volatile("cpsid i" : : : "memory");
    nvic_enable(IRQ_TIMER0, 1);
    certify_line(true);
    TIMER_TASKS_START(TIMER0) = 1;
    __asm__ volatile("wfi" : : : "memory");
    certify_line(false);
    TIMER_EVENTS_COMPARE(TIMER0, 0) = 0;
    (void)TIMER_EVENTS_COMPARE(TIMER0, 0);
    nvic_disable(IRQ_TIMER0);
    NVIC_ICPR(IRQ_TIMER0) = 1u << IRQ_TIMER0;
    __asm__ volatile("cpsie i" : : : "memory");
}

/**
 * Entry and exit of every interrupt, on processors that can have their vectors in RAM (ARMv7-M, ARMv8-M Mainline), under
 * any operating system. Build with
 *     -DGPIORIG_IRQS=<number>          interrupts the processor has, without its exceptions 1 to 15
 *     -DGPIORIG_IRQ_TABLE_STM32F1      or _STM32L4, _CC2538, _NRF52: which are timers, UARTs, DMA; without it all are isr.other
 *     -DGPIORIG_IRQ_RADIO=<number>     the interrupt of the radio's line, if there is one
 *
 * Faults, SVCall and PendSV keep their vectors: the latter two look at LR, which a function in between would change.
 */
#ifndef GPIORIG_OFF

#include "vectors.h"

#include "gpiorig/probe.h"

#define SYSTICK 15u
#define FIRST_IRQ 16u
#define VECTORS (FIRST_IRQ + (GPIORIG_IRQS))
/* VTOR holds a multiple of the size rounded up to a power of two (ARMv7-M ARM B3.2.5). Not for the preprocessor: in RIOT's
 * CC2538 the number of interrupts is that of an enumeration. */
#define ALIGNMENT ((GPIORIG_IRQS) <= 112 ? 512 : 1024)
_Static_assert(VECTORS * 4 <= ALIGNMENT, "gpiorig: more vectors than the table is aligned for");
#define VTOR (*(const uint32_t *volatile *)0xE000ED08u) /* ARMv7-M ARM B3.2.5 */

static const uint32_t *original;
static uint32_t vectors[VECTORS] __attribute__((aligned(ALIGNMENT)));

enum kind { OTHER, RADIO, TIMER, UART, DMA };

/** What an interrupt belongs to. STM32: RM0008 table 63 (F103), RM0351 table 57 (L476); they agree where both have one. */
static enum kind kind_of(uint32_t exception)
{
    uint32_t irq = exception - FIRST_IRQ;

    (void)irq;
#ifdef GPIORIG_IRQ_RADIO
    if (irq == GPIORIG_IRQ_RADIO) {
        return RADIO;
    }
#endif
    if (exception == SYSTICK) {
        return TIMER;
    }
#if defined GPIORIG_IRQ_TABLE_STM32F1 || defined GPIORIG_IRQ_TABLE_STM32L4
    switch (irq) {
    case 3:                                         /* RTC, its wake-up on the L476 */
    case 24: case 25: case 26: case 27:             /* TIM1 */
    case 28: case 29: case 30:                      /* TIM2, TIM3, TIM4 */
    case 41:                                        /* RTC alarm */
    case 50: case 54: case 55:                      /* TIM5, TIM6, TIM7 */
#ifdef GPIORIG_IRQ_TABLE_STM32L4
    case 65: case 66:                               /* LPTIM1, LPTIM2 */
#endif
        return TIMER;
    case 37: case 38: case 39: case 52: case 53:    /* USART1 to USART3, UART4, UART5 */
#ifdef GPIORIG_IRQ_TABLE_STM32L4
    case 70:                                        /* LPUART1 */
#endif
        return UART;
    case 11: case 12: case 13: case 14: case 15: case 16: case 17: /* DMA1 */
    case 56: case 57: case 58: case 59:                            /* DMA2, channels 1 to 4 */
#ifdef GPIORIG_IRQ_TABLE_STM32L4
    case 60: case 68: case 69:                                     /* 5 to 7 */
#endif
        return DMA;
    default:
        break;
    }
#elif defined GPIORIG_IRQ_TABLE_CC2538 /* SWRU319 5.1.2, the alternate map; as in RIOT cpu/cc2538/include/cc2538.h (c8bd52ff) */
    switch (irq) {
    case 19: case 20: case 21: case 22: case 23: case 24: case 35: case 36: /* GPTIMER0 to 3 */
    case 32: case 33:                                                       /* sleep timer, MAC timer */
        return TIMER;
    case 5: case 6:
        return UART;
    case 46:
        return DMA;
    default:
        break;
    }
#elif defined GPIORIG_IRQ_TABLE_NRF52 /* nRF52840 Product Specification, "Instantiation": a peripheral's number is its interrupt's */
    switch (irq) {
    case 8: case 9: case 10: case 26: case 27: /* TIMER0 to TIMER4 */
    case 11: case 17: case 36:                 /* RTC0 to RTC2 */
        return TIMER;
    case 2: case 40:                           /* UARTE0, UARTE1 */
        return UART;
    case 3: case 4: case 35: case 47:          /* SPIM0 to SPIM3: the end of a transfer by EasyDMA */
        return DMA;
    default:
        break;
    }
#else
/* `gpiorig firmware check` expects less of it. */
#define interrupted interrupted_unsorted
#endif
    return OTHER;
}

static void enter(enum kind kind, uint16_t irq)
{
    switch (kind) {
    case RADIO:
        GPIORIG_ENTER(ISR_RADIO);
        break;
    case TIMER:
        GPIORIG_ENTER(ISR_TIMER);
        break;
    case UART:
        GPIORIG_ENTER(ISR_UART);
        break;
    case DMA:
        GPIORIG_ENTER(ISR_DMA);
        break;
    case OTHER:
        GPIORIG_ENTER_ID(ISR_OTHER, irq);
        break;
    }
}

static void leave(enum kind kind, uint16_t irq)
{
    switch (kind) {
    case RADIO:
        GPIORIG_EXIT(ISR_RADIO);
        break;
    case TIMER:
        GPIORIG_EXIT(ISR_TIMER);
        break;
    case UART:
        GPIORIG_EXIT(ISR_UART);
        break;
    case DMA:
        GPIORIG_EXIT(ISR_DMA);
        break;
    case OTHER:
        GPIORIG_EXIT_ID(ISR_OTHER, irq);
        break;
    }
}

/** In every vector of the table: the processor knows which one was taken. */
static void interrupted(void)
{
    uint32_t exception;
    enum kind kind;

    __asm__ volatile("mrs %0, ipsr" : "=r"(exception));
    kind = kind_of(exception);
    enter(kind, (uint16_t)(exception - FIRST_IRQ));
    ((void (*)(void))original[exception])();
    leave(kind, (uint16_t)(exception - FIRST_IRQ));
}

void gpiorig_vectors_init(void)
{
    original = VTOR;
    for (unsigned vector = 0; vector < VECTORS; vector++) {
        vectors[vector] = vector < SYSTICK ? original[vector] : (uint32_t)(uintptr_t)interrupted;
    }
    __asm__ volatile("dsb" : : : "memory");
    VTOR = vectors;
    __asm__ volatile("dsb\n\tisb" : : : "memory");
}

#else
typedef int gpiorig_vectors_are_off; /* ISO C wants a declaration in every file */
#endif

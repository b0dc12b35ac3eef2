/* RIOT cpu/CPU/include/cpu.h; CPU_IRQ_NUMOF is in cpu_conf.h, which it includes. RM0008 table 63, RM0351 table 57;
 * of a CC2538 it is not a macro's number, but an enumeration's (cpu/cc2538/include/cc2538.h). */
#ifndef RIOT_CPU_H
#define RIOT_CPU_H

#ifdef CPU_CC2538
typedef enum { RF_RXTX_ALT_IRQn = 26, MACTIMER_IRQn = 146, PERIPH_COUNT_IRQn } IRQn_Type;
#define CPU_IRQ_NUMOF PERIPH_COUNT_IRQn
#elif defined CPU_FAM_STM32L4
#define CPU_IRQ_NUMOF 82u
#else
#define CPU_IRQ_NUMOF 60u
#endif

#endif

/* RIOT cpu/CPU/include/cpu.h; CPU_IRQ_NUMOF is in cpu_conf.h, which it includes. RM0008 table 63, RM0351 table 57. */
#ifndef RIOT_CPU_H
#define RIOT_CPU_H

#ifdef CPU_FAM_STM32L4
#define CPU_IRQ_NUMOF 82u
#else
#define CPU_IRQ_NUMOF 60u
#endif

#endif

/** The vectors in RAM (cortex-m/vectors.c), with RIOT's names. RIOT's handlers are weak and cannot be wrapped. */
#ifdef GPIORIG_VECTORS

#include "cpu.h"

#define GPIORIG_IRQS CPU_IRQ_NUMOF
#ifdef CPU_FAM_STM32F1
#define GPIORIG_IRQ_TABLE_STM32F1
#endif
#ifdef CPU_FAM_STM32L4
#define GPIORIG_IRQ_TABLE_STM32L4
#endif
#ifdef CPU_FAM_NRF52
#define GPIORIG_IRQ_TABLE_NRF52
#endif
#include "../../../cortex-m/vectors.c"

#endif

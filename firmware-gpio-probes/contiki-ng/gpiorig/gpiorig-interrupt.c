/** Interrupts that call a function of another file: the rtimer's and the radio's. */
#include "gpiorig-contiki.h"

#ifndef GPIORIG_OFF

#ifndef GPIORIG_IRQS
void GPIORIG_REAL(rtimer_run_next)(void);
void GPIORIG_WRAP(rtimer_run_next)(void);

void GPIORIG_WRAP(rtimer_run_next)(void)
{
    GPIORIG_ENTER(ISR_TIMER);
    GPIORIG_REAL(rtimer_run_next)();
    GPIORIG_EXIT(ISR_TIMER);
}
#endif

#ifdef GPIORIG_RADIO_ISR_IS_int
int GPIORIG_REAL(GPIORIG_RADIO_ISR)(void);
int GPIORIG_WRAP(GPIORIG_RADIO_ISR)(void);

int GPIORIG_WRAP(GPIORIG_RADIO_ISR)(void)
{
    int result;

    GPIORIG_ENTER(ISR_RADIO);
    result = GPIORIG_REAL(GPIORIG_RADIO_ISR)();
    GPIORIG_EXIT(ISR_RADIO);
    return result;
}
#elif defined GPIORIG_RADIO_ISR_IS_void
void GPIORIG_REAL(GPIORIG_RADIO_ISR)(void);
void GPIORIG_WRAP(GPIORIG_RADIO_ISR)(void);

void GPIORIG_WRAP(GPIORIG_RADIO_ISR)(void)
{
    GPIORIG_ENTER(ISR_RADIO);
    GPIORIG_REAL(GPIORIG_RADIO_ISR)();
    GPIORIG_EXIT(ISR_RADIO);
}
#endif

#endif

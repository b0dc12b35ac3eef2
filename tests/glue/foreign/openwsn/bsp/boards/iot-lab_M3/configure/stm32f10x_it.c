/* Stand-in for bsp/boards/iot-lab_M3/configure/stm32f10x_it.c. */
#include "IEEE802154E.h"
#include "radio.h"

void EXTI4_IRQHandler(void);
void RTCAlarm_IRQHandler(void);

void EXTI4_IRQHandler(void)
{
    radio_isr();
}

void RTCAlarm_IRQHandler(void)
{
    isr_ieee154e_newSlot();
}

/* Stand-in for bsp/boards/iot-lab_M3/startup.s: reset and vectors. */
#include "interrupts.h"

int main(void);
void reset_handler(void);
void EXTI4_IRQHandler(void);
void RTCAlarm_IRQHandler(void);
extern uint32_t stack_top, data_start, data_end, data_load, bss_start, bss_end;

void reset_handler(void)
{
    const uint32_t *from = &data_load;

    for (uint32_t *to = &data_start; to < &data_end;) {
        *to++ = *from++;
    }
    for (uint32_t *to = &bss_start; to < &bss_end;) {
        *to++ = 0;
    }
    main();
}

__attribute__((section(".vectors"), used)) static const void *const vectors[16 + 60] = {
    &stack_top,
    (const void *)reset_handler,
    [16 + RADIO_IRQ] = (const void *)EXTI4_IRQHandler,
    [16 + TIMER_IRQ] = (const void *)RTCAlarm_IRQHandler,
};

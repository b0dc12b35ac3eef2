/** The interrupt handlers, each defined by the module that owns its peripheral; positions: RM0351 13.3, table 57. */
#ifndef INTERRUPTS_H
#define INTERRUPTS_H

void exti9_5_handler(void); /* radio_port.c */
void tim2_handler(void);    /* timer.c */
void usart2_handler(void);  /* uart_port.c */

#define INTERRUPTS 82
#define INTERRUPT_HANDLERS \
    INTERRUPT(IRQ_EXTI9_5, exti9_5_handler) \
    INTERRUPT(IRQ_TIM2, tim2_handler) \
    INTERRUPT(IRQ_USART2, usart2_handler)

#endif

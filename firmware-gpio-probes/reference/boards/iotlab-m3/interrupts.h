/** The interrupt handlers, each defined by the module that owns its peripheral; positions: RM0008 10.1.2, table 63. */
#ifndef INTERRUPTS_H
#define INTERRUPTS_H

void exti4_handler(void);  /* radio_port.c */
void tim2_handler(void);   /* timer.c */
void usart1_handler(void); /* uart_port.c */

#define INTERRUPTS 60
#define INTERRUPT_HANDLERS \
    INTERRUPT(IRQ_EXTI4, exti4_handler) \
    INTERRUPT(IRQ_TIM2, tim2_handler) \
    INTERRUPT(IRQ_USART1, usart1_handler)

#endif

/** The interrupt handlers, each defined by the module that owns its peripheral. */
#ifndef INTERRUPTS_H
#define INTERRUPTS_H

void exti4_handler(void);  /* radio_port.c */
void tim2_handler(void);   /* timer.c */
void usart1_handler(void); /* uart.c */

#endif

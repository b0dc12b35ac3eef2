/** The interrupt handlers, each defined by the module that owns its peripheral. */
#ifndef INTERRUPTS_H
#define INTERRUPTS_H

void exti9_5_handler(void); /* radio_port.c */
void tim2_handler(void);    /* timer.c */
void usart2_handler(void);  /* uart.c */

#endif

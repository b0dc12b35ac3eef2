/** The interrupt handlers, each defined by the module that owns its peripheral; startup.S leads to them. */
#ifndef INTERRUPTS_H
#define INTERRUPTS_H

void port1_handler(void);     /* radio_port.c */
void timer_b0_handler(void);  /* timer.c */
void timer_b1_handler(void);  /* radio_port.c: captures SFD */
void usart1_rx_handler(void); /* uart_port.c */
void usart1_tx_handler(void);

#endif

/** The interrupt handlers, each defined by the module that owns its peripheral; startup.S leads to them. */
#ifndef INTERRUPTS_H
#define INTERRUPTS_H

void port1_handler(void);     /* radio_port.c */
void timer_b_handler(void);   /* timer.c; tells radio_port.c of the block that captures SFD */
void radio_port_sfd_fell(void);
void usart1_rx_handler(void); /* uart.c */
void usart1_tx_handler(void);

#endif

/** The interrupt handlers, each defined by the module that owns its peripheral; positions: PS, "Instantiation". */
#ifndef INTERRUPTS_H
#define INTERRUPTS_H

__attribute__((weak)) void radio_handler(void); /* radio/nrf52840/nrf52840_air.c; not in every program */
void uart0_handler(void);                       /* uart_port.c */
void timer1_handler(void);                      /* timer.c */

#define INTERRUPTS 48
#define INTERRUPT_HANDLERS \
    INTERRUPT(IRQ_RADIO, radio_handler) \
    INTERRUPT(IRQ_UART0, uart0_handler) \
    INTERRUPT(IRQ_TIMER1, timer1_handler)

#endif

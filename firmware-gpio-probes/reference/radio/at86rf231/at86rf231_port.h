/**
 * The line of the AT86RF231 that the processor drives, next to those of radio_port.h. Its interrupt line is IRQ; the time
 * given with an interrupt is that of the interrupt routine.
 */
#ifndef AT86RF231_PORT_H
#define AT86RF231_PORT_H

/** A pulse on SLP_TR: in PLL_ON and TX_ARET_ON its rising edge starts a transmission. It rests low. */
void at86rf231_port_pulse_slp_tr(void);

#endif

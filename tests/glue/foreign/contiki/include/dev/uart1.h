/** What the glue uses of Contiki-NG 5.0's arch/cpu/msp430/dev/uart1.h. Declarations only, written for these tests. */
#ifndef DEV_UART1_H
#define DEV_UART1_H

void uart1_set_input(int (*input)(unsigned char octet));

#endif

/**
 * The registers of the MSP430F1611 that this firmware touches, and no others. Addresses: SLAS368, peripheral file map;
 * fields: SLAU049F, in the section each block names.
 */
#ifndef MSP430F1611_H
#define MSP430F1611_H

#include <stdint.h>

#define REG8(address) (*(volatile uint8_t *)(address))
#define REG16(address) (*(volatile uint16_t *)(address))

/* Special function registers */
#define IE2 REG8(0x0001u)
#define IFG1 REG8(0x0002u)
#define IFG2 REG8(0x0003u)
#define ME1 REG8(0x0004u)
#define ME2 REG8(0x0005u)
#define USPIE0 0x40u  /* ME1 */
#define URXIFG0 0x40u /* IFG1 */
#define UTXIFG0 0x80u
#define URXE1 0x10u /* ME2, and URXIE1 in IE2, URXIFG1 in IFG2 */
#define UTXE1 0x20u /* and UTXIE1, UTXIFG1 */

/* Basic clock module: 4.3 */
#define DCOCTL REG8(0x0056u)
#define BCSCTL1 REG8(0x0057u)
#define BCSCTL1_XT2OFF 0x80u
#define BCSCTL1_DIVA_8 0x30u /* ACLK = LFXT1 / 8 */
#define BCSCTL1_RSEL_7 0x07u
#define BCSCTL2 REG8(0x0058u)

/* Digital I/O: 9.3 */
#define P1IN REG8(0x0020u)
#define P1IFG REG8(0x0023u)
#define P1IES REG8(0x0024u)
#define P1IE REG8(0x0025u)
#define P2IN REG8(0x0028u)
#define P2OUT REG8(0x0029u)
#define P2DIR REG8(0x002Au)
#define P3DIR REG8(0x001Au)
#define P3SEL REG8(0x001Bu)
#define P4IN REG8(0x001Cu)
#define P4OUT REG8(0x001Du)
#define P4DIR REG8(0x001Eu)
#define P4SEL REG8(0x001Fu)

/* USART: 13.3, 14.3 */
#define U0CTL REG8(0x0070u)
#define U0TCTL REG8(0x0071u)
#define U0MCTL REG8(0x0073u)
#define U0BR0 REG8(0x0074u)
#define U0BR1 REG8(0x0075u)
#define U0RXBUF REG8(0x0076u)
#define U0TXBUF REG8(0x0077u)
#define U1CTL REG8(0x0078u)
#define U1TCTL REG8(0x0079u)
#define U1MCTL REG8(0x007Bu)
#define U1BR0 REG8(0x007Cu)
#define U1BR1 REG8(0x007Du)
#define U1RXBUF REG8(0x007Eu)
#define U1TXBUF REG8(0x007Fu)
#define UCTL_SWRST 0x01u
#define UCTL_MM 0x02u
#define UCTL_SYNC 0x04u
#define UCTL_CHAR 0x10u
#define UTCTL_STC 0x02u
#define UTCTL_SSEL_SMCLK 0x20u
#define UTCTL_CKPH 0x80u

/* Timer_A: 11.3, Timer_B: 12.3 */
#define TACTL REG16(0x0160u)
#define TACCTL2 REG16(0x0166u)
#define TAR REG16(0x0170u)
#define TACCR2 REG16(0x0176u)
#define TBIV REG16(0x011Eu)
#define TBCTL REG16(0x0180u)
#define TBCCTL(block) REG16(0x0182u + 2u * (block))
#define TBR REG16(0x0190u)
#define TBCCR(block) REG16(0x0192u + 2u * (block))
#define TCTL_CLR 0x0004u
#define TCTL_MC_CONTINUOUS 0x0020u
#define TCTL_ID_4 0x0080u
#define TCTL_ID_8 0x00C0u
#define TCTL_SSEL_ACLK 0x0100u
#define TCTL_SSEL_SMCLK 0x0200u
#define CCTL_CCIFG 0x0001u
#define CCTL_CCIE 0x0010u
#define CCTL_CAP 0x0100u
#define CCTL_SCS 0x0800u
#define CCTL_CCIS_B 0x1000u
#define CCTL_CM_RISING 0x4000u
#define CCTL_CM_FALLING 0x8000u

#endif

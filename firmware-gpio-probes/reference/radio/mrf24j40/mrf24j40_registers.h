/** Registers of the MRF24J40 that are used: Microchip DS39776C, chapter 2. */
#ifndef MRF24J40_REGISTERS_H
#define MRF24J40_REGISTERS_H

/* Short addresses */
#define PANIDL 0x01u
#define PANIDH 0x02u
#define SADRL 0x03u
#define SADRH 0x04u
#define EADR0 0x05u
#define RXFLUSH 0x0Du
#define TXMCR 0x11u
#define PACON2 0x18u
#define TXNCON 0x1Bu
#define TXSTAT 0x24u
#define TXTIME 0x27u
#define SOFTRST 0x2Au
#define TXSTBL 0x2Eu
#define INTSTAT 0x31u
#define INTCON 0x32u
#define RFCTL 0x36u
#define BBREG1 0x39u
#define BBREG2 0x3Au
#define BBREG6 0x3Eu
#define CCAEDTH 0x3Fu

/* Long addresses */
#define TX_NORMAL_FIFO 0x000u
#define RFCON0 0x200u
#define RFCON1 0x201u
#define RFCON2 0x202u
#define RFCON6 0x206u
#define RFCON7 0x207u
#define RFCON8 0x208u
#define SLPCON0 0x211u
#define SLPCON1 0x220u
#define RX_FIFO 0x300u

#define RXFLUSH_NOW 0x01u
#define TXMCR_RESET 0x1Cu /* what it holds after a reset: register 2-16 */
#define TXMCR_NOCSMA 0x80u
#define TXMCR_EXPONENT(exponent) ((uint8_t)((exponent) << 3))
#define TXMCR_BACKOFFS 4u /* macMaxCSMABackoffs: IEEE 802.15.4-2006, table 86 */
#define TXNCON_ACKNOWLEDGEMENT 0x04u
#define TXNCON_TRIGGER 0x01u
#define TXSTAT_CCA_FAILED 0x20u
#define TXSTAT_FAILED 0x01u
#define TXTIME_12_SYMBOLS 0x38u /* TURNTIME 3 and RFSTBL 9, the recommended values: register 2-40 */
#define SOFTRST_ALL 0x07u
#define INTERRUPT_RX 0x08u
#define INTERRUPT_TX 0x01u
#define RFCTL_RESET 0x04u
#define BBREG1_RECEIVER_OFF 0x04u /* RXDECINV */
#define RFCON0_CHANNEL(channel) ((uint8_t)(((channel) - 11u) << 4 | 3u))
#define SLPCON0_RISING 0x02u /* INT is high while an interrupt is requested */

#endif

/** The registers of the CC2420 this driver uses. Section numbers: TI SWRS041 (data sheet); its section 37 lists them. */
#ifndef CC2420_REGISTERS_H
#define CC2420_REGISTERS_H

/* 13.3: address byte */
#define SPI_READ 0x40u
#define SPI_RAM 0x80u

/* 13.3, table 5: status byte */
#define STATUS_XOSC16M_STABLE (1u << 6)
#define STATUS_TX_UNDERFLOW (1u << 5)
#define STATUS_TX_ACTIVE (1u << 3)
#define STATUS_RSSI_VALID (1u << 1)

/* Command strobes */
#define SNOP 0x00u
#define SXOSCON 0x01u
#define SRXON 0x03u
#define STXON 0x04u
#define STXONCCA 0x05u
#define SRFOFF 0x06u
#define SFLUSHRX 0x08u
#define SFLUSHTX 0x09u

#define MDMCTRL0 0x11u
#define MDMCTRL0_ADDRESSED_AND_ACKNOWLEDGED 0x0AF2u /* the reset value and AUTOACK: ADR_DECODE, CCA mode 3, AUTOCRC */
#define MDMCTRL1 0x12u
#define MDMCTRL1_CORR_THR_20 (20u << 6) /* 16.1; chips of the first versions have another reset value */
#define RXCTRL1 0x17u
#define RXCTRL1_RXBPF_LOCUR 0x2A56u /* the reset value and the bias that section 37 recommends */
#define FSCTRL 0x18u
#define FSCTRL_LOCK_THR (1u << 14) /* its reset value */
#define FSCTRL_FREQ(channel) (357u + 5u * ((channel) - 11u)) /* 26: Fc = 2048 MHz + FREQ */
#define SECCTRL0 0x19u
#define SECCTRL0_NO_FIFO_PROTECTION 0x01C4u /* the reset value without RXFIFO_PROTECTION, which is for security */
#define IOCFG0 0x1Cu
#define IOCFG0_FIFOP_AT_END 127u /* FIFOP_THR: FIFOP rises at the end of a frame */
#define MANFIDL 0x1Eu
#define MANFIDL_CC2420 0x233Du
#define TXFIFO 0x3Eu
#define RXFIFO 0x3Fu

/* 13.5, table 6 */
#define RAM_IEEEADR 0x160u
#define RAM_PANID 0x168u
#define RAM_SHORTADR 0x16Au

/* 16.3, figure 21: the second byte of what replaces the FCS */
#define CRC_OK (1u << 7)

#endif

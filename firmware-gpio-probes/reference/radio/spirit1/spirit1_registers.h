/**
 * The registers of the SPIRIT1 that this driver touches, and no others.
 * Addresses and fields: ST, SPIRIT1 library 3.2.2, SPIRIT_Regs.h; states and commands: data sheet DocID022758, tables 20 and
 * 21; GPIO signals: table 37.
 */
#ifndef SPIRIT1_REGISTERS_H
#define SPIRIT1_REGISTERS_H

/* First byte of an access; the state comes back with it and with the second one. */
#define SPI_WRITE 0x00u
#define SPI_READ 0x01u
#define SPI_COMMAND 0x80u
#define LINEAR_FIFO 0xFFu

#define MC_STATE_READY 0x03u
#define MC_STATE_LOCK 0x0Fu
#define MC_STATE_RX 0x33u
#define STATUS_STATE(status) ((status) >> 1 & 0x7Fu)
#define STATUS_RX_FIFO_EMPTY 0x200u

#define COMMAND_TX 0x60u
#define COMMAND_RX 0x61u
#define COMMAND_READY 0x62u
#define COMMAND_LOCKRX 0x65u
#define COMMAND_LOCKTX 0x66u
#define COMMAND_SABORT 0x67u
#define COMMAND_FLUSHRXFIFO 0x71u
#define COMMAND_FLUSHTXFIFO 0x72u

#define GPIO3_CONF 0x02u
#define GPIO2_CONF 0x03u
#define GPIO1_CONF 0x04u
#define GPIO0_CONF 0x05u
#define GPIO_OUT_LOW_POWER 0x02u
#define GPIO_NIRQ (0u << 3 | GPIO_OUT_LOW_POWER)
#define GPIO_TX_STATE (5u << 3 | GPIO_OUT_LOW_POWER)
#define GPIO_SYNC_DETECTED (15u << 3 | GPIO_OUT_LOW_POWER)

/*
 * The crystal of the shields X-NUCLEO-IDS01A4 and A5: 50 MHz (Contiki, platform/stm32nucleo-spirit1/spirit1-config.h),
 * halved for the digital part.
 */
#define XTAL_HZ 50000000ull

/* fIF = fXO (ANA + 64) / (12 * 2^10) = fCLK (DIG + 64) / (12 * 2^10), about 480 kHz. */
#define IF_OFFSET_ANA 0x07u
#define IF_OFFSET_ANA_50MHZ 0x36u
#define IF_OFFSET_DIG 0x0Du
#define IF_OFFSET_DIG_25MHZ 0xACu

/* Channel 11, fXO / 3 * SYNT / 2^18 with band select 6; 863 to 870 MHz is the band for such devices (ERC/REC 70-03). */
#define SYNT3 0x08u
#define BASE_HZ 863500000ull
#define SYNT_WORD ((uint32_t)((BASE_HZ * 3u * (1u << 18) + XTAL_HZ / 2u) / XTAL_HZ))
#define SYNT_BAND_6 0x01u
/* Channels stand 255 * fXO / 2^15 = 389 kHz apart, the widest; their signals, 490 kHz wide, overlap with the neighbours'. */
#define CHSPACE 0x0Cu
#define CHSPACE_WIDEST 0xFFu
#define CHNUM 0x6Cu

/* 250 kb/s as the radios of 2.4 GHz: fCLK (256 + 72) 2^13 / 2^28 = 250.2 kb/s. */
#define MOD1 0x1Au
#define MOD1_MANTISSA 72u
#define MOD0_GFSK_EXPONENT (0x10u | 13u)
/* fXO * (8 + 2) * 2^6 / 2^18 = 122 kHz. */
#define FDEV0_122KHZ 0x72u
/* 541 kHz at 26 MHz, 521 kHz at 25 MHz. */
#define CHFLT_521KHZ 0x80u

/* Works around a weakness of the charge pump: SEL_TSPLIT (ST's library, SpiritRadioInit, "Workaround for Vtune"). */
#define SYNTH_CONFIG0 0x9Fu
#define SYNTH_CONFIG0_TSPLIT 0xA0u

/* RSSI threshold of carrier sense: 20 is -120 dBm, steps of 0.5 dB. */
/* Output power of level 0 to 7, of which PA_POWER0 chooses 7 after reset: 10 or 11 dBm by the curve of ST's library for 868 MHz. */
#define PA_POWER8 0x10u
#define PA_POWER8_10DBM 3u
#define PA_POWER8_11DBM 1u

#define RSSI_TH 0x22u
#define RSSI_TH_DBM(dbm) ((uint8_t)(2 * ((dbm) + 130)))

/* STack packets: addresses of 1 byte each, 8 bits of length, 8 bytes of preamble, 4 of sync word, CRC-16 0x1021, whitened. */
#define PCKTCTRL4 0x30u
#define PCKTCTRL4_TWO_ADDRESSES 0x10u
#define PCKTCTRL3_STACK_8_BITS (0xC0u | 7u)
#define PCKTCTRL2 0x32u
#define PCKTCTRL2_8_PREAMBLE_4_SYNC_VARIABLE (7u << 3 | 3u << 1 | 1u)
#define PCKTCTRL2_4_PREAMBLE_4_SYNC_VARIABLE (3u << 3 | 3u << 1 | 1u)
#define PCKTCTRL1_CRC_1021_WHITENING (0x60u | 0x10u)
#define PCKTCTRL1_CRC_07_WHITENING_FEC (0x20u | 0x10u | 0x01u)
#define PCKTLEN1 0x34u
#define SYNC4 0x36u
#define ADDRESSES_LENGTH 2u

#define RX_SOURCE_ADDR 0x4Bu /* of what is sent: the destination */
#define BROADCAST_ADDR 0x4Cu
#define BROADCAST 0xFFu
#define TX_SOURCE_ADDR 0x4Eu /* the own address */
#define PCKT_FLT_OPTIONS 0x4Fu
#define PCKT_FLT_OPTIONS_OR 0x40u
#define PCKT_FLT_OPTIONS_OWN_ADDRESS 0x08u
#define PCKT_FLT_OPTIONS_BROADCAST 0x02u
#define PCKT_FLT_OPTIONS_CRC 0x01u

#define PROTOCOL2 0x50u
#define PROTOCOL2_SQI_STOPS_TIMEOUT 0x40u
#define PROTOCOL2_VCO_CALIBRATION 0x02u
#define PROTOCOL1 0x51u
#define PROTOCOL1_FILTER 0x01u
#define PROTOCOL1_CSMA_PERSISTENT 0x02u
#define PROTOCOL1_CSMA 0x04u
#define PROTOCOL0 0x52u
#define PROTOCOL0_3_RETRIES 0x30u
#define PROTOCOL0_NO_ACK 0x08u /* NACK_TX: what is sent asks for no acknowledgement */
#define PROTOCOL0_RECEIVER (0x04u | 0x02u) /* AUTO_ACK, PERS_RX */
#define TIMERS5 0x53u

/* Back-off units of 11 periods of 34.7 kHz, 317 us; a CCA of 64 bits, 256 us; up to 4 back-offs. */
#define CSMA_CONFIG3 0x64u
#define CSMA_CONFIG1_317US_64BITS (11u << 2 | 0u)
#define CSMA_CONFIG0_1_CCA_4_BACKOFFS (1u << 4 | 4u)

#define VCO_CALIBR_TX 0x6Eu
#define VCO_CALIBR_RX 0x6Fu
#define VCO_CALIBR_OUT 0xE5u
#define VCO_CALIBR_MASK 0x7Fu

#define IRQ_MASK3 0x90u
#define IRQ_STATUS3 0xFAu
#define IRQ_RX_DATA_READY (1u << 0)
#define IRQ_TX_DATA_SENT (1u << 2)
#define IRQ_MAX_RE_TX_REACH (1u << 3)
#define IRQ_TX_FIFO_ERROR (1u << 5)
#define IRQ_RX_FIFO_ERROR (1u << 6)
#define IRQ_MAX_BO_CCA_REACH (1u << 11)

#define RX_PCKT_LEN1 0xC9u
#define FIFO_STATUS0 0xE7u
#define DEVICE_INFO1 0xF0u
#define DEVICE_INFO1_SPIRIT1 0x01u

#endif

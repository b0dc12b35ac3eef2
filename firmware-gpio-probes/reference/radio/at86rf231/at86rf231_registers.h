/**
 * The registers of the AT86RF231 this driver uses. Section and table numbers: Atmel 8111C (data sheet); its chapter 14
 * lists the registers. Addresses and fields were compared with RIOT's and Linux's headers.
 */
#ifndef AT86RF231_REGISTERS_H
#define AT86RF231_REGISTERS_H

/* 6.2, table 6-3: first byte of an SPI access */
#define SPI_REGISTER_READ 0x80u
#define SPI_REGISTER_WRITE 0xC0u
#define SPI_FRAME_READ 0x20u
#define SPI_FRAME_WRITE 0x60u

/* 7.2.7 */
#define TRX_STATUS 0x01u
#define TRX_STATUS_MASK 0x1Fu
#define TRX_STATE 0x02u
#define TRAC_SHIFT 5u
#define XAH_CTRL_0 0x2Cu
#define XAH_CTRL_0_RETRIES (3u << 4 | 4u << 1) /* 3 frame retries, 4 CSMA retries, unslotted */
#define XAH_CTRL_0_AT_ONCE (7u << 1)           /* 7 CSMA retries mean: no CSMA-CA, and no frame retries */
#define CSMA_SEED_0 0x2Du
#define CSMA_SEED_1 0x2Eu
#define CSMA_SEED_1_FRAME_VERSION_0_OR_1 (1u << 6) /* AACK_FVN_MODE, its reset value */
#define CSMA_BE 0x2Fu
#define CSMA_BE_MOST_5 (5u << 4)      /* MAX_BE, the reset value and that of IEEE 802.15.4; below it MIN_BE */
#define CSMA_BE_NO_BACKOFF 0u         /* both 0: "the CCA back off period is always set to 0" */

/* 7.2.7, table 7-15 (status) and 7-17 (command): the same numbers */
#define STATE_TX_START 0x02u
#define STATE_FORCE_TRX_OFF 0x03u
#define STATE_FORCE_PLL_ON 0x04u
#define STATE_TRX_OFF 0x08u
#define STATE_PLL_ON 0x09u
#define STATE_BUSY_RX_AACK 0x11u
#define STATE_RX_AACK_ON 0x16u
#define STATE_TX_ARET_ON 0x19u

/* 7.2.7, table 7-16 */
#define TRAC_SUCCESS 0u
#define TRAC_SUCCESS_DATA_PENDING 1u
#define TRAC_CHANNEL_ACCESS_FAILURE 3u
#define TRAC_NO_ACK 5u

/* 9.5 (CLKM), 6.6 and 11.6 (interrupt pin, DIG2), 8.2 (FCS) */
#define TRX_CTRL_0 0x03u
#define TRX_CTRL_0_CLKM_OFF 0x18u /* the reset value without its CLKM_CTRL */
#define TRX_CTRL_1 0x04u
#define TRX_CTRL_1_TX_AUTO_CRC_ON (1u << 5)
#define TRX_CTRL_1_IRQ_2_EXT_EN (1u << 6) /* DIG2 is high from the PHR of a frame received to its end */
#define PHY_RSSI 0x06u
#define PHY_RSSI_RX_CRC_VALID (1u << 7)

/* 8.5, 9.6 */
#define PHY_CC_CCA 0x08u
#define PHY_CC_CCA_MODE_1 (1u << 5) /* energy above threshold: the reset value */

/* 6.6 */
#define IRQ_MASK 0x0Eu
#define IRQ_STATUS 0x0Fu
#define IRQ_TRX_END (1u << 3)
/* tIRQ (12.4), from the event to the pin: TRX_IRQ_DELAY_US of Atmel's IEEE 802.15.4 MAC, TAL/AT86RF231 */
#define INTERRUPT_US 9u

/* 6.4 */
#define PART_NUM 0x1Cu
#define PART_NUM_AT86RF231 3u

/* 7.2.3.5: address filter */
#define SHORT_ADDR_0 0x20u
#define SHORT_ADDR_1 0x21u
#define PAN_ID_0 0x22u
#define PAN_ID_1 0x23u
#define IEEE_ADDR_0 0x24u

#endif

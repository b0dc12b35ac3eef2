##
## This file is part of gpiorig. SPDX-License-Identifier: MIT
## Copyright (C) 2026 the gpiorig authors
##

'''
Registers of the AT86RF2xx. Sources: Atmel data sheets 8111C (AT86RF231, chapter
14), 5131 (AT86RF230), 8321 (AT86RF232), 8351 (AT86RF233), 42002 (AT86RF212B);
the addresses, masks and values were compared with RIOT,
drivers/at86rf2xx/include/at86rf2xx_registers.h.
'''

# TRX_STATUS (8111C, table 7-15).
STATES = {
    0x00: 'P_ON', 0x01: 'BUSY_RX', 0x02: 'BUSY_TX', 0x06: 'RX_ON', 0x08: 'TRX_OFF', 0x09: 'PLL_ON',
    0x0f: 'SLEEP', 0x11: 'BUSY_RX_AACK', 0x12: 'BUSY_TX_ARET', 0x16: 'RX_AACK_ON', 0x19: 'TX_ARET_ON',
    0x1c: 'RX_ON_NOCLK', 0x1d: 'RX_AACK_ON_NOCLK', 0x1e: 'BUSY_RX_AACK_NOCLK',
    0x1f: 'STATE_TRANSITION_IN_PROGRESS',
}

# TRX_CMD (8111C, table 7-17).
COMMANDS = {
    0x00: 'NOP', 0x02: 'TX_START', 0x03: 'FORCE_TRX_OFF', 0x04: 'FORCE_PLL_ON', 0x06: 'RX_ON',
    0x08: 'TRX_OFF', 0x09: 'PLL_ON', 0x16: 'RX_AACK_ON', 0x19: 'TX_ARET_ON',
}

# TRAC_STATUS (8111C, table 7-16).
TRAC = {
    0: 'SUCCESS', 1: 'SUCCESS_DATA_PENDING', 2: 'SUCCESS_WAIT_FOR_ACK', 3: 'CHANNEL_ACCESS_FAILURE',
    5: 'NO_ACK', 7: 'INVALID',
}

CLKM = {0: 'off', 1: '1 MHz', 2: '2 MHz', 3: '4 MHz', 4: '8 MHz', 5: '16 MHz', 6: '250 kHz', 7: '62.5 kHz'}

PARTS = {0x02: 'AT86RF230', 0x03: 'AT86RF231', 0x07: 'AT86RF212B', 0x0a: 'AT86RF232', 0x0b: 'AT86RF233'}

# What PHY_STATUS, the radio's first octet of an access, tells (8111C, 6.3.1).
SPI_CMD_MODES = {0: 'empty', 1: 'TRX_STATUS', 2: 'PHY_RSSI', 3: 'IRQ_STATUS'}

def bits(*names):
    '''Fields of one bit each, from bit 7 down; None is reserved.'''
    return tuple((name, 0x80 >> i, {}) for i, name in enumerate(names) if name)

IRQS = bits('BAT_LOW', 'TRX_UR', 'AMI', 'CCA_ED_DONE', 'TRX_END', 'RX_START', 'PLL_UNLOCK', 'PLL_LOCK')

# address: (name, ((field, mask, {value: name}), ...))
REGISTERS = {
    0x01: ('TRX_STATUS', (('CCA_DONE', 0x80, {}), ('CCA_STATUS', 0x40, {}), ('TRX_STATUS', 0x1f, STATES))),
    0x02: ('TRX_STATE', (('TRAC_STATUS', 0xe0, TRAC), ('TRX_CMD', 0x1f, COMMANDS))),
    0x03: ('TRX_CTRL_0', (('PAD_IO', 0xc0, {}), ('PAD_IO_CLKM', 0x30, {}), ('CLKM_SHA_SEL', 0x08, {}),
                          ('CLKM_CTRL', 0x07, CLKM))),
    0x04: ('TRX_CTRL_1', (('PA_EXT_EN', 0x80, {}), ('IRQ_2_EXT_EN', 0x40, {}), ('TX_AUTO_CRC_ON', 0x20, {}),
                          ('RX_BL_CTRL', 0x10, {}), ('SPI_CMD_MODE', 0x0c, SPI_CMD_MODES),
                          ('IRQ_MASK_MODE', 0x02, {}), ('IRQ_POLARITY', 0x01, {}))),
    0x05: ('PHY_TX_PWR', ()),
    0x06: ('PHY_RSSI', (('RX_CRC_VALID', 0x80, {}), ('RND_VALUE', 0x60, {}), ('RSSI', 0x1f, {}))),
    0x07: ('PHY_ED_LEVEL', ()),
    0x08: ('PHY_CC_CCA', (('CCA_REQUEST', 0x80, {}), ('CCA_MODE', 0x60, {}), ('CHANNEL', 0x1f, {}))),
    0x09: ('CCA_THRES', (('CCA_ED_THRES', 0x0f, {}),)),
    0x0a: ('RX_CTRL', ()),
    0x0b: ('SFD_VALUE', ()),
    0x0c: ('TRX_CTRL_2', (('RX_SAFE_MODE', 0x80, {}), ('OQPSK_DATA_RATE', 0x03, {}))),
    0x0d: ('ANT_DIV', (('ANT_SEL', 0x80, {}), ('ANT_DIV_EN', 0x08, {}), ('ANT_EXT_SW_EN', 0x04, {}),
                       ('ANT_CTRL', 0x03, {}))),
    0x0e: ('IRQ_MASK', IRQS),
    0x0f: ('IRQ_STATUS', IRQS),
    0x10: ('VREG_CTRL', (('AVREG_EXT', 0x80, {}), ('AVDD_OK', 0x40, {}), ('DVREG_EXT', 0x08, {}),
                         ('DVDD_OK', 0x04, {}))),
    0x11: ('BATMON', (('BATMON_OK', 0x20, {}), ('BATMON_HR', 0x10, {}), ('BATMON_VTH', 0x0f, {}))),
    0x12: ('XOSC_CTRL', (('XTAL_MODE', 0xf0, {}), ('XTAL_TRIM', 0x0f, {}))),
    0x13: ('CC_CTRL_0', ()),
    0x14: ('CC_CTRL_1', ()),
    0x15: ('RX_SYN', (('RX_PDT_DIS', 0x80, {}), ('RX_PDT_LEVEL', 0x0f, {}))),
    0x16: ('RF_CTRL_0 or TRX_RPC', ()),
    0x17: ('XAH_CTRL_1', (('AACK_FLTR_RES_FT', 0x20, {}), ('AACK_UPLD_RES_FT', 0x10, {}),
                          ('AACK_ACK_TIME', 0x04, {}), ('AACK_PROM_MODE', 0x02, {}))),
    0x18: ('FTN_CTRL', (('FTN_START', 0x80, {}),)),
    0x19: ('XAH_CTRL_2', (('ARET_FRAME_RETRIES', 0xf0, {}), ('ARET_CSMA_RETRIES', 0x0e, {}))),
    0x1a: ('PLL_CF', (('PLL_CF_START', 0x80, {}),)),
    0x1b: ('PLL_DCU', (('PLL_DCU_START', 0x80, {}),)),
    0x1c: ('PART_NUM', (('PART_NUM', 0xff, PARTS),)),
    0x1d: ('VERSION_NUM', ()),
    0x1e: ('MAN_ID_0', ()),
    0x1f: ('MAN_ID_1', ()),
    0x20: ('SHORT_ADDR_0', ()),
    0x21: ('SHORT_ADDR_1', ()),
    0x22: ('PAN_ID_0', ()),
    0x23: ('PAN_ID_1', ()),
    0x2c: ('XAH_CTRL_0', (('MAX_FRAME_RETRIES', 0xf0, {}), ('MAX_CSMA_RETRIES', 0x0e, {}),
                          ('SLOTTED_OPERATION', 0x01, {}))),
    0x2d: ('CSMA_SEED_0', ()),
    0x2e: ('CSMA_SEED_1', (('AACK_FVN_MODE', 0xc0, {}), ('AACK_SET_PD', 0x20, {}), ('AACK_DIS_ACK', 0x10, {}),
                           ('AACK_I_AM_COORD', 0x08, {}), ('CSMA_SEED_1', 0x07, {}))),
    0x2f: ('CSMA_BE', (('MAX_BE', 0xf0, {}), ('MIN_BE', 0x0f, {}))),
    0x36: ('TST_CTRL_DIGI', ()),
}
REGISTERS.update({0x24 + i: ('IEEE_ADDR_%d' % i, ()) for i in range(8)})
# TRAC_STATUS is read only.
REGISTERS_WRITTEN = {**REGISTERS, 0x02: ('TRX_STATE', (('TRX_CMD', 0x1f, COMMANDS),))}

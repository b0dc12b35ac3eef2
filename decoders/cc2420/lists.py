##
## This file is part of gpiorig. SPDX-License-Identifier: MIT
## Copyright (C) 2026 the gpiorig authors
##

'''
Registers of the CC2420. Source: TI SWRS041, data sheet, tables 5 (status), 6
(RAM) and section 37 (registers); compared with TinyOS 2.x,
tos/chips/cc2420/CC2420.h.
'''

STROBES = {
    0x00: 'SNOP', 0x01: 'SXOSCON', 0x02: 'STXCAL', 0x03: 'SRXON', 0x04: 'STXON', 0x05: 'STXONCCA',
    0x06: 'SRFOFF', 0x07: 'SXOSCOFF', 0x08: 'SFLUSHRX', 0x09: 'SFLUSHTX', 0x0a: 'SACK', 0x0b: 'SACKPEND',
    0x0c: 'SRXDEC', 0x0d: 'STXENC', 0x0e: 'SAES',
}

STATUS = ((0x40, 'XOSC16M_STABLE'), (0x20, 'TX_UNDERFLOW'), (0x10, 'ENC_BUSY'), (0x08, 'TX_ACTIVE'),
          (0x04, 'LOCK'), (0x02, 'RSSI_VALID'))

# first address: name
RAM = {
    0x000: 'TXFIFO', 0x080: 'RXFIFO', 0x100: 'KEY0', 0x110: 'RXNONCE', 0x120: 'SABUF', 0x130: 'KEY1',
    0x140: 'TXNONCE', 0x150: 'CBCSTATE', 0x160: 'IEEEADR', 0x168: 'PANID', 0x16a: 'SHORTADR',
}

def fields(*named):
    '''Fields from bit 15 down to 0: (name, highest bit, lowest bit, {value: name}).'''
    return tuple((name, (2 << high) - (1 << low), values) for name, high, low, values in named)

# address: (name, ((field, mask, {value: name}), ...))
REGISTERS = {
    0x10: ('MAIN', fields(('RESETn', 15, 15, {}), ('ENC_RESETn', 14, 14, {}), ('DEMOD_RESETn', 13, 13, {}),
                          ('MOD_RESETn', 12, 12, {}), ('FS_RESETn', 11, 11, {}), ('XOSC16M_BYPASS', 0, 0, {}))),
    0x11: ('MDMCTRL0', fields(('RESERVED_FRAME_MODE', 13, 13, {}), ('PAN_COORDINATOR', 12, 12, {}),
                              ('ADR_DECODE', 11, 11, {}), ('CCA_HYST', 10, 8, {}), ('CCA_MODE', 7, 6, {}),
                              ('AUTOCRC', 5, 5, {}), ('AUTOACK', 4, 4, {}), ('PREAMBLE_LENGTH', 3, 0, {}))),
    0x12: ('MDMCTRL1', fields(('CORR_THR', 10, 6, {}), ('DEMOD_AVG_MODE', 5, 5, {}),
                              ('MODULATION_MODE', 4, 4, {}), ('TX_MODE', 3, 2, {}), ('RX_MODE', 1, 0, {}))),
    0x13: ('RSSI', fields(('CCA_THR', 15, 8, {}), ('RSSI_VAL', 7, 0, {}))),
    0x14: ('SYNCWORD', ()),
    0x15: ('TXCTRL', fields(('TXMIXBUF_CUR', 15, 14, {}), ('TX_TURNAROUND', 13, 13, {}),
                            ('TXMIX_CAP_ARRAY', 12, 11, {}), ('TXMIX_CURRENT', 10, 9, {}),
                            ('PA_CURRENT', 8, 6, {}), ('PA_LEVEL', 4, 0, {}))),
    0x16: ('RXCTRL0', fields(('RXMIXBUF_CUR', 13, 12, {}), ('HIGH_LNA_GAIN', 11, 10, {}),
                             ('MED_LNA_GAIN', 9, 8, {}), ('LOW_LNA_GAIN', 7, 6, {}),
                             ('HIGH_LNA_CURRENT', 5, 4, {}), ('MED_LNA_CURRENT', 3, 2, {}),
                             ('LOW_LNA_CURRENT', 1, 0, {}))),
    0x17: ('RXCTRL1', fields(('RXBPF_LOCUR', 13, 13, {}), ('RXBPF_MIDCUR', 12, 12, {}),
                             ('LOW_LOWGAIN', 11, 11, {}), ('MED_LOWGAIN', 10, 10, {}), ('HIGH_HGM', 9, 9, {}),
                             ('MED_HGM', 8, 8, {}), ('LNA_CAP_ARRAY', 7, 6, {}), ('RXMIX_TAIL', 5, 4, {}),
                             ('RXMIX_VCM', 3, 2, {}), ('RXMIX_CURRENT', 1, 0, {}))),
    0x18: ('FSCTRL', fields(('LOCK_THR', 15, 14, {}), ('CAL_DONE', 13, 13, {}), ('CAL_RUNNING', 12, 12, {}),
                            ('LOCK_LENGTH', 11, 11, {}), ('LOCK_STATUS', 10, 10, {}), ('FREQ', 9, 0, {}))),
    0x19: ('SECCTRL0', fields(('RXFIFO_PROTECTION', 9, 9, {}), ('SEC_CBC_HEAD', 8, 8, {}),
                              ('SEC_SAKEYSEL', 7, 7, {}), ('SEC_TXKEYSEL', 6, 6, {}),
                              ('SEC_RXKEYSEL', 5, 5, {}), ('SEC_M', 4, 2, {}), ('SEC_MODE', 1, 0, {}))),
    0x1a: ('SECCTRL1', fields(('SEC_TXL', 14, 8, {}), ('SEC_RXL', 6, 0, {}))),
    0x1b: ('BATTMON', fields(('BATT_OK', 6, 6, {}), ('BATTMON_EN', 5, 5, {}), ('BATTMON_VOLTAGE', 4, 0, {}))),
    0x1c: ('IOCFG0', fields(('BCN_ACCEPT', 11, 11, {}), ('FIFO_POLARITY', 10, 10, {}),
                            ('FIFOP_POLARITY', 9, 9, {}), ('SFD_POLARITY', 8, 8, {}),
                            ('CCA_POLARITY', 7, 7, {}), ('FIFOP_THR', 6, 0, {}))),
    0x1d: ('IOCFG1', fields(('HSSD_SRC', 12, 10, {}), ('SFDMUX', 9, 5, {}), ('CCAMUX', 4, 0, {}))),
    0x1e: ('MANFIDL', fields(('PARTNUM', 15, 12, {}), ('MANFID', 11, 0, {}))),
    0x1f: ('MANFIDH', fields(('VERSION', 15, 12, {}), ('PARTNUM', 11, 0, {}))),
    0x20: ('FSMTC', fields(('TC_RXCHAIN2RX', 15, 13, {}), ('TC_SWITCH2TX', 12, 10, {}),
                           ('TC_PAON2TX', 9, 6, {}), ('TC_TXEND2SWITCH', 5, 3, {}),
                           ('TC_TXEND2PAOFF', 2, 0, {}))),
}
REGISTERS.update({address: (name, ()) for address, name in (
    (0x21, 'MANAND'), (0x22, 'MANOR'), (0x23, 'AGCCTRL'), (0x24, 'AGCTST0'), (0x25, 'AGCTST1'),
    (0x26, 'AGCTST2'), (0x27, 'FSTST0'), (0x28, 'FSTST1'), (0x29, 'FSTST2'), (0x2a, 'FSTST3'),
    (0x2b, 'RXBPFTST'), (0x2c, 'FSMSTATE'), (0x2d, 'ADCTST'), (0x2e, 'DACTST'), (0x2f, 'TOPTST'),
)})

##
## This file is part of gpiorig. SPDX-License-Identifier: MIT
## Copyright (C) 2026 the gpiorig authors
##

'''
Registers of the MRF24J40. Sources: Microchip DS39776C, chapter 2, after Linux
(drivers/net/ieee802154/mrf24j40.c), RIOT (drivers/mrf24j40) and
PeterBorisenko/MRF24J40_LIB (MRF24J40.h).
'''

def bits(*names):
    '''Fields of one bit each, from bit 7 down; None is reserved.'''
    return tuple((name, 0x80 >> i, {}) for i, name in enumerate(names) if name)

INTERRUPTS = ('SLP', 'WAKE', 'HSYMTMR', 'SEC', 'RX', 'TXG2', 'TXG1', 'TXN')

SHORT = {
    0x00: ('RXMCR', bits(None, None, 'NOACKRSP', None, 'PANCOORD', 'COORD', 'ERRPKT', 'PROMI')),
    0x01: ('PANIDL', ()), 0x02: ('PANIDH', ()), 0x03: ('SADRL', ()), 0x04: ('SADRH', ()),
    0x05: ('EADR0', ()), 0x06: ('EADR1', ()), 0x07: ('EADR2', ()), 0x08: ('EADR3', ()), 0x09: ('EADR4', ()),
    0x0a: ('EADR5', ()), 0x0b: ('EADR6', ()), 0x0c: ('EADR7', ()),
    0x0d: ('RXFLUSH', bits(None, 'WAKEPOL', 'WAKEPAD', None, 'CMDONLY', 'DATAONLY', 'BCNONLY', 'RXFLUSH')),
    0x10: ('ORDER', (('BO', 0xf0, {}), ('SO', 0x0f, {}))),
    0x11: ('TXMCR', bits('NOCSMA', 'BATLIFEXT', 'SLOTTED') + (('MACMINBE', 0x18, {}), ('CSMABF', 0x07, {}))),
    0x12: ('ACKTMOUT', bits('DRPACK') + (('MAWD', 0x7f, {}),)),
    0x13: ('ESLOTG1', ()), 0x14: ('SYMTICKL', ()), 0x15: ('SYMTICKH', ()),
    0x16: ('PACON0', ()), 0x17: ('PACON1', ()),
    0x18: ('PACON2', bits('FIFOEN') + (('TXONTS', 0x3c, {}), ('TXONT', 0x03, {}))),
    0x1a: ('TXBCON0', bits(None, None, None, None, None, None, 'TXBSECEN', 'TXBTRIG')),
    0x1b: ('TXNCON', bits(None, None, None, 'FPSTAT', 'INDIRECT', 'TXNACKREQ', 'TXNSECEN', 'TXNTRIG')),
    0x1c: ('TXG1CON', ()), 0x1d: ('TXG2CON', ()),
    0x1e: ('ESLOTG23', ()), 0x1f: ('ESLOTG45', ()), 0x20: ('ESLOTG67', ()),
    0x21: ('TXPEND', (('MLIFS', 0xfc, {}),) + bits(None, None, None, None, None, None, 'GTSSWITCH', 'FPACK')),
    0x22: ('WAKECON', bits('IMMWAKE', 'REGWAKE')), 0x23: ('FRMOFFSET', ()),
    0x24: ('TXSTAT', (('TXNRETRY', 0xc0, {}),) + bits(
        None, None, 'CCAFAIL', 'TXG2FNT', 'TXG1FNT', 'TXG2STAT', 'TXG1STAT', 'TXNSTAT')),
    0x25: ('TXBCON1', ()), 0x26: ('GATECLK', ()), 0x27: ('TXTIME', (('TURNTIME', 0xf0, {}),)),
    0x28: ('HSYMTMRL', ()), 0x29: ('HSYMTMRH', ()),
    0x2a: ('SOFTRST', bits(None, None, None, None, None, 'RSTPWR', 'RSTBB', 'RSTMAC')),
    0x2c: ('SECCON0', ()), 0x2d: ('SECCON1', ()),
    0x2e: ('TXSTBL', (('RFSTBL', 0xf0, {}), ('MSIFS', 0x0f, {}))), 0x30: ('RXSR', ()),
    0x31: ('INTSTAT', bits(*(name + 'IF' for name in INTERRUPTS))),
    0x32: ('INTCON', bits(*(name + ' off' for name in INTERRUPTS))),
    0x33: ('GPIO', ()), 0x34: ('TRISGPIO', ()),
    0x35: ('SLPACK', bits('SLPACK') + (('WAKECNT', 0x7f, {}),)),
    0x36: ('RFCTL', bits(None, None, None, None, None, 'RFRST', 'RFTXMODE', 'RFRXMODE')),
    0x37: ('SECCR2', ()), 0x38: ('BBREG0', bits(None, None, None, None, None, None, None, 'TURBO')),
    0x39: ('BBREG1', bits(None, None, None, None, None, 'RXDECINV')),
    0x3a: ('BBREG2', (('CCAMODE', 0xc0, {1: 'carrier', 2: 'energy', 3: 'both'}), ('CCACSTH', 0x3c, {}))),
    0x3b: ('BBREG3', ()), 0x3c: ('BBREG4', ()),
    0x3e: ('BBREG6', bits('RSSIMODE1', 'RSSIMODE2', None, None, None, None, None, 'RSSIRDY')),
    0x3f: ('CCAEDTH', ()),
}

STATES = {0: 'RESET', 1: 'CALFIL', 2: 'SLEEP', 3: 'CALVCO', 4: 'TX', 5: 'RX', 6: 'RTSEL1', 7: 'RTSEL2'}

LONG = {
    0x200: ('RFCON0', (('CHANNEL', 0xf0, {code: 11 + code for code in range(16)}), ('RFOPT', 0x0f, {}))),
    0x201: ('RFCON1', ()), 0x202: ('RFCON2', bits('PLLEN')),
    0x203: ('RFCON3', (('TXPWRL', 0xc0, {}), ('TXPWRS', 0x38, {}))), 0x205: ('RFCON5', ()),
    0x206: ('RFCON6', bits('TXFIL', None, None, '20MRECVR', 'BATEN')), 0x207: ('RFCON7', ()), 0x208: ('RFCON8', ()),
    0x209: ('SLPCAL0', ()), 0x20a: ('SLPCAL1', ()), 0x20b: ('SLPCAL2', ()),
    0x20f: ('RFSTATE', (('RFSTATE', 0xe0, STATES),)), 0x210: ('RSSI', ()),
    0x211: ('SLPCON0', bits(None, None, None, None, None, None, 'INTEDGE', 'SLPCLKEN')),
    0x220: ('SLPCON1', ()), 0x222: ('WAKETIMEL', ()), 0x223: ('WAKETIMEH', ()),
    0x224: ('REMCNTL', ()), 0x225: ('REMCNTH', ()),
    0x226: ('MAINCNT0', ()), 0x227: ('MAINCNT1', ()), 0x228: ('MAINCNT2', ()), 0x229: ('MAINCNT3', ()),
    0x22f: ('TESTMODE', ()),
}

# Parts of the long address space: first address, name.
MEMORIES = ((0x000, 'TX FIFO'), (0x080, 'TX beacon FIFO'), (0x100, 'TX GTS1 FIFO'), (0x180, 'TX GTS2 FIFO'),
            (0x200, 'registers'), (0x280, 'keys'), (0x300, 'RX FIFO'))

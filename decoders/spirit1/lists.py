##
## This file is part of gpiorig. SPDX-License-Identifier: MIT
## Copyright (C) 2026 the gpiorig authors
##

'''
Registers of the SPIRIT1. Sources: ST, SPIRIT1 data sheet DocID022758, tables 20
(states) and 21 (commands); ST's SPIRIT1 library 3.2.2, SPIRIT_Regs.h
(addresses, fields) and SPIRIT_Types.h (states).
'''

COMMANDS = {
    0x60: 'TX', 0x61: 'RX', 0x62: 'READY', 0x63: 'STANDBY', 0x64: 'SLEEP', 0x65: 'LOCKRX', 0x66: 'LOCKTX',
    0x67: 'SABORT', 0x68: 'LDC_RELOAD', 0x69: 'SEQUENCE_UPDATE', 0x6a: 'AES_ENC', 0x6b: 'AES_KEY',
    0x6c: 'AES_DEC', 0x6d: 'AES_KEY_DEC', 0x70: 'SRES', 0x71: 'FLUSHRXFIFO', 0x72: 'FLUSHTXFIFO',
}

STATES = {
    0x40: 'STANDBY', 0x36: 'SLEEP', 0x03: 'READY', 0x3d: 'PM_SETUP', 0x23: 'XO_SETTLING', 0x53: 'SYNTH_SETUP',
    0x1f: 'PROTOCOL', 0x4f: 'SYNTH_CALIBRATION', 0x0f: 'LOCK', 0x33: 'RX', 0x5f: 'TX',
}

GPIO = {
    0: 'nIRQ', 1: 'POR', 2: 'WUT', 3: 'LBD', 4: 'TX_CLOCK', 5: 'TX_STATE', 6: 'TX_FIFO_ALMOST_EMPTY',
    7: 'TX_FIFO_ALMOST_FULL', 8: 'RX_DATA', 9: 'RX_CLOCK', 10: 'RX_STATE', 11: 'RX_FIFO_ALMOST_FULL',
    12: 'RX_FIFO_ALMOST_EMPTY', 13: 'ANTENNA', 14: 'VALID_PREAMBLE', 15: 'SYNC_DETECTED', 16: 'RSSI_ABOVE_TH',
    17: 'MCU_CLOCK', 18: 'TX_OR_RX', 19: 'VDD', 20: 'GND', 21: 'SMPS_EXT',
}
GPIO_FIELDS = (('SELECT', 0xf8, GPIO), ('MODE', 0x03, {0: 'analog', 1: 'in', 2: 'out', 3: 'out high'}))

def bits(*names):
    '''Fields of one bit each, from bit 7 down; None is reserved.'''
    return tuple((name, 0x80 >> i, {}) for i, name in enumerate(names) if name)

IRQ0 = bits('TX_FIFO_ALMOST_FULL', 'RX_FIFO_ERROR', 'TX_FIFO_ERROR', 'CRC_ERROR', 'MAX_RE_TX_REACH',
            'TX_DATA_SENT', 'RX_DATA_DISC', 'RX_DATA_READY')
IRQ1 = bits('WKUP_TOUT_LDC', 'RSSI_ABOVE_TH', 'VALID_SYNC', 'VALID_PREAMBLE', 'MAX_BO_CCA_REACH',
            'RX_FIFO_ALMOST_EMPTY', 'RX_FIFO_ALMOST_FULL', 'TX_FIFO_ALMOST_EMPTY')
IRQ2 = bits('XO_COUNT_EXPIRED', 'PM_COUNT_EXPIRED', 'LOCK', 'BOR', 'POR', 'LOW_BATT_LVL', 'STANDBY_DELAYED',
            'READY')
IRQ3 = bits(None, 'AES_END', 'RX_TIMEOUT', 'RX_START_TIME', 'TX_START_TIME', 'SYNTH_CAL_TIMEOUT',
            'SYNTH_LOCK_STARTUP', 'SYNTH_LOCK_TIMEOUT')

# address: (name, ((field, mask, {value: name}), ...))
REGISTERS = {
    0x00: ('ANA_FUNC_CONF1', (('NUM_EN_PIPES', 0xe0, {}), ('GM_CONF', 0x1c, {}), ('SET_BLD_LVL', 0x03, {}))),
    0x01: ('ANA_FUNC_CONF0', bits(None, '24_26MHz_SELECT', 'AES_ON', 'EXT_REF', 'HIGH_POWER_MODE',
                                  'BROWN_OUT', 'BATTERY_LEVEL', 'TS')),
    0x02: ('GPIO3_CONF', GPIO_FIELDS), 0x03: ('GPIO2_CONF', GPIO_FIELDS),
    0x04: ('GPIO1_CONF', GPIO_FIELDS), 0x05: ('GPIO0_CONF', GPIO_FIELDS),
    0x1a: ('MOD1', (('DATARATE_M', 0xff, {}),)),
    0x1b: ('MOD0', (('CW', 0x80, {}), ('BT_SEL', 0x40, {}), ('MOD_TYPE', 0x30, {
        0: '2-FSK', 1: 'GFSK', 2: 'ASK/OOK', 3: 'MSK'}), ('DATARATE_E', 0x0f, {}))),
    0x30: ('PCKTCTRL4', (('ADDRESS_LEN', 0x18, {}), ('CONTROL_LEN', 0x07, {}))),
    0x31: ('PCKTCTRL3', (('PCKT_FRMT', 0xc0, {0: 'BASIC', 2: 'MBUS', 3: 'STACK'}), ('RX_MODE', 0x30, {}),
                         ('LEN_WID', 0x0f, {}))),
    0x32: ('PCKTCTRL2', (('PREAMBLE_LENGTH', 0xf8, {}), ('SYNC_LENGTH', 0x06, {}), ('VARIABLE_LEN', 0x01, {}))),
    0x33: ('PCKTCTRL1', (('CRC_MODE', 0xe0, {}), ('WHIT_EN', 0x10, {}), ('TX_SOURCE', 0x0c, {}),
                         ('FEC_EN', 0x01, {}))),
    0x3a: ('QI', (('SQI_TH', 0xc0, {}), ('PQI_TH', 0x3c, {}), ('SQI_EN', 0x02, {}), ('PQI_EN', 0x01, {}))),
    0x4f: ('PCKT_FLT_OPTIONS', bits(None, 'RX_TIMEOUT_AND_OR', 'CONTROL_FILTERING', 'SOURCE_FILTERING',
                                    'DEST_VS_SOURCE', 'DEST_VS_MULTICAST', 'DEST_VS_BROADCAST', 'CRC_CHECK')),
    0x50: ('PROTOCOL2', (('CS_TIMEOUT', 0x80, {}), ('SQI_TIMEOUT', 0x40, {}), ('PQI_TIMEOUT', 0x20, {}),
                         ('TX_SEQ_NUM_RELOAD', 0x18, {}), ('RCO_CALIBRATION', 0x04, {}),
                         ('VCO_CALIBRATION', 0x02, {}), ('LDC_MODE', 0x01, {}))),
    0x51: ('PROTOCOL1', bits('LDC_RELOAD_ON_SYNC', 'PIGGYBACKING', None, None, 'SEED_RELOAD', 'CSMA_ON',
                             'CSMA_PERS_ON', 'AUTO_PCKT_FLT')),
    0x52: ('PROTOCOL0', (('NMAX_RETX', 0xf0, {}), ('NACK_TX', 0x08, {}), ('AUTO_ACK', 0x04, {}),
                         ('PERS_RX', 0x02, {}), ('PERS_TX', 0x01, {}))),
    0x66: ('CSMA_CONFIG1', (('BU_PRESCALER', 0xfc, {}), ('CCA_PERIOD', 0x03, {}))),
    0x67: ('CSMA_CONFIG0', (('CCA_LENGTH', 0xf0, {}), ('NBACKOFF_MAX', 0x07, {}))),
    0x90: ('IRQ_MASK3', IRQ3), 0x91: ('IRQ_MASK2', IRQ2), 0x92: ('IRQ_MASK1', IRQ1), 0x93: ('IRQ_MASK0', IRQ0),
    0xc0: ('MC_STATE1', bits(None, None, None, None, 'ANT_SELECT', 'TX_FIFO_FULL', 'RX_FIFO_EMPTY', 'ERROR_LOCK')),
    0xc1: ('MC_STATE0', (('STATE', 0xfe, STATES), ('XO_ON', 0x01, {}))),
    0xc2: ('TX_PCKT_INFO', (('TX_SEQ_NUM', 0x30, {}), ('N_RETX', 0x0f, {}))),
    0xc3: ('RX_PCKT_INFO', (('NACK_RX', 0x04, {}), ('RX_SEQ_NUM', 0x03, {}))),
    0xc6: ('LINK_QUALIF1', (('CS', 0x80, {}), ('SQI', 0x7f, {}))),
    0xc7: ('LINK_QUALIF0', (('LQI', 0xf0, {}), ('AGC_WORD', 0x0f, {}))),
    0xe6: ('LINEAR_FIFO_STATUS1', (('ELEM_TXFIFO', 0x7f, {}),)),
    0xe7: ('LINEAR_FIFO_STATUS0', (('ELEM_RXFIFO', 0x7f, {}),)),
    0xfa: ('IRQ_STATUS3', IRQ3), 0xfb: ('IRQ_STATUS2', IRQ2), 0xfc: ('IRQ_STATUS1', IRQ1), 0xfd: ('IRQ_STATUS0', IRQ0),
}

def plain(first, *names):
    '''Registers without fields, one after the other.'''
    REGISTERS.update({first + i: (name, ()) for i, name in enumerate(names)})

plain(0x06, 'MCU_CK_CONF', 'IF_OFFSET_ANA', 'SYNT3', 'SYNT2', 'SYNT1', 'SYNT0', 'CHSPACE', 'IF_OFFSET_DIG',
      'FC_OFFSET1', 'FC_OFFSET0')
plain(0x10, *('PA_POWER%d' % i for i in range(8, -1, -1)))
plain(0x1c, 'FDEV0', 'CHFLT', 'AFC2', 'AFC1', 'AFC0', 'RSSI_FLT', 'RSSI_TH', 'CLOCKREC', 'AGCCTRL2', 'AGCCTRL1',
      'AGCCTRL0', 'ANT_SELECT_CONF')
plain(0x34, 'PCKTLEN1', 'PCKTLEN0', 'SYNC4', 'SYNC3', 'SYNC2', 'SYNC1')
plain(0x3b, 'MBUS_PRMBL', 'MBUS_PSTMBL', 'MBUS_CTRL', 'FIFO_CONFIG3_RXAFTHR', 'FIFO_CONFIG2_RXAETHR',
      'FIFO_CONFIG1_TXAFTHR', 'FIFO_CONFIG0_TXAETHR', 'CONTROL0_MASK', 'CONTROL1_MASK', 'CONTROL2_MASK',
      'CONTROL3_MASK', 'CONTROL0_FIELD', 'CONTROL1_FIELD', 'CONTROL2_FIELD', 'CONTROL3_FIELD', 'RX_SOURCE_MASK',
      'RX_SOURCE_ADDR', 'BROADCAST', 'MULTICAST', 'TX_SOURCE_ADDR')
plain(0x53, 'TIMERS5_RX_TIMEOUT_PRESCALER', 'TIMERS4_RX_TIMEOUT_COUNTER', 'TIMERS3_LDC_PRESCALER',
      'TIMERS2_LDC_COUNTER', 'TIMERS1_LDC_RELOAD_PRESCALER', 'TIMERS0_LDC_RELOAD_COUNTER')
plain(0x64, 'CSMA_CONFIG3', 'CSMA_CONFIG2')
plain(0x68, 'TX_CTRL_FIELD3', 'TX_CTRL_FIELD2', 'TX_CTRL_FIELD1', 'TX_CTRL_FIELD0', 'CHNUM', 'RCO_VCO_CALIBR_IN2',
      'RCO_VCO_CALIBR_IN1', 'RCO_VCO_CALIBR_IN0')
plain(0x70, *('AES_KEY_IN_%d' % i for i in range(15, -1, -1)))
plain(0x80, *('AES_DATA_IN_%d' % i for i in range(15, -1, -1)))
plain(0x9e, 'SYNTH_CONFIG1', 'SYNTH_CONFIG0')
plain(0xc4, 'AFC_CORR', 'LINK_QUALIF2')
plain(0xc8, 'RSSI_LEVEL', 'RX_PCKT_LEN1', 'RX_PCKT_LEN0', 'CRC_FIELD2', 'CRC_FIELD1', 'CRC_FIELD0',
      'RX_CTRL_FIELD0', 'RX_CTRL_FIELD1', 'RX_CTRL_FIELD2', 'RX_CTRL_FIELD3', 'RX_ADDR_FIELD1', 'RX_ADDR_FIELD0')
plain(0xd4, *('AES_DATA_OUT_%d' % i for i in range(15, -1, -1)))
plain(0xe4, 'RCO_VCO_CALIBR_OUT1', 'RCO_VCO_CALIBR_OUT0')
plain(0xf0, 'DEVICE_INFO1_PARTNUM', 'DEVICE_INFO0_VERSION')

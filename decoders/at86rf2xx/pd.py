##
## This file is part of gpiorig. SPDX-License-Identifier: MIT
## Copyright (C) 2026 the gpiorig authors
##

from .spiradio import PINS, SPI_CHANNELS, Ann, SpiRadio, channel

from .lists import COMMANDS, REGISTERS, REGISTERS_WRITTEN, SPI_CMD_MODES, STATES

'''
OUTPUT_PYTHON and OUTPUT_BINARY format: spiradio.py.
'''

TRX_STATUS, TRX_STATE, TRX_CTRL_1, PHY_TX_PWR, PART_NUM = 0x01, 0x02, 0x04, 0x05, 0x1c
TX_START = 0x02
AT86RF230 = 0x02
# TX_AUTO_CRC_ON is bit 5 of TRX_CTRL_1; the AT86RF230 has it in bit 7 of PHY_TX_PWR.
TX_AUTO_CRC_ON, TX_AUTO_CRC_ON_230 = 0x20, 0x80
LONGEST_PSDU = 127
SLP_TR, RSTN = PINS + 1, PINS + 2

class Decoder(SpiRadio):
    id = 'at86rf2xx'
    name = 'AT86RF2xx'
    longname = 'Atmel AT86RF2xx'
    desc = 'IEEE 802.15.4 radio transceivers of Atmel.'
    optional_channels = SPI_CHANNELS + (
        channel('irq', 'IRQ', 'Interrupt request'),
        channel('slp_tr', 'SLP_TR', 'Sleep, start of transmission'),
        channel('rst', '/RST', 'Reset, active low'),
        channel('dig2', 'DIG2', 'Frame time stamp'),
    )

    def reset_radio(self):
        self.part = None
        self.auto_crc = True
        self.status_mode = 0
        self.drop_frames()

    def drop_frames(self):
        # The frame buffer as the host has written it by SRAM accesses: index: (ss, es, value).
        self.sram = {}
        self.sram_ss = self.sram_es = 0

    def concerns_frames(self, first, count):
        return first < 0x80 or first & 0x3f in (TRX_STATE, TRX_CTRL_1, PHY_TX_PWR, PART_NUM)

    def active(self, i):
        return 0 if i == RSTN else 1

    def pin_active(self, i):
        if i == SLP_TR:
            self.send_sram()
        elif i == RSTN:
            self.reset_radio()

    def access(self, ss, es, octets):
        first = octets[0]
        self.phy_status(first)
        kind, rest = first.mosi >> 5, octets[1:]
        if kind & 0b100:
            self.one_register(first, rest, written=bool(kind & 0b010))
        elif kind == 0b001:
            self.frame_read(ss, es, rest)
        elif kind == 0b011:
            self.frame_write(ss, es, rest)
        else:
            self.sram_access(ss, es, rest, written=kind == 0b010)

    def phy_status(self, octet):
        if octet.miso is None or not self.status_mode:
            return
        if self.status_mode == 1:
            self.state(octet.ss, octet.es, STATES.get(octet.miso & 0x1f, '0x%02x' % octet.miso))
        elif octet.miso:
            self.annotate(octet.ss, octet.es, Ann.FIELD, '%s 0x%02x' % (
                SPI_CMD_MODES[self.status_mode], octet.miso))

    def one_register(self, first, rest, written):
        address = first.mosi & 0x3f
        if not rest:
            self.warn(first.ss, first.es, 'Register access without data', 'No data')
            return
        octet = rest[0]
        value = octet.mosi if written else octet.miso
        if value is None:
            return
        self.register_access(first.ss, octet.es, written, REGISTERS_WRITTEN if written else REGISTERS, address, value)
        if address == PART_NUM and not written:
            self.part = value
        elif address == TRX_CTRL_1:
            self.status_mode = value >> 2 & 3
            if self.part != AT86RF230:
                self.auto_crc = bool(value & TX_AUTO_CRC_ON)
        elif address == PHY_TX_PWR and self.part == AT86RF230:
            self.auto_crc = bool(value & TX_AUTO_CRC_ON_230)
        elif address == TRX_STATUS and not written:
            self.state(first.ss, octet.es, STATES.get(value & 0x1f, '0x%02x' % (value & 0x1f)))
        elif address == TRX_STATE and written:
            self.command(octet, COMMANDS.get(value & 0x1f, 'Command 0x%02x' % (value & 0x1f)))
            if value & 0x1f == TX_START:
                self.send_sram()

    def frame_read(self, ss, es, rest):
        if not rest or rest[0].miso is None:
            self.annotate(ss, es, Ann.BUFFER, 'Read frame buffer', 'Read', 'R')
            return
        length = rest[0].miso & 0x7f
        self.annotate(ss, es, Ann.BUFFER, 'Read frame buffer: length %d, %d octets read' % (
            length, len(rest) - 1), 'Read %d of %d' % (len(rest) - 1, length), 'Read', 'R')
        if not length or len(rest) <= length:
            return
        psdu = [(octet.ss, octet.es, octet.miso) for octet in rest[1:1 + length]]
        lqi = rest[1 + length].miso if len(rest) > 1 + length else None
        self.frame(ss, es, False, psdu, has_fcs=True, lqi=lqi)

    def frame_write(self, ss, es, rest):
        self.sram = {}
        if not rest:
            self.annotate(ss, es, Ann.BUFFER, 'Write frame buffer', 'Write', 'W')
            return
        length = rest[0].mosi & 0x7f
        self.annotate(ss, es, Ann.BUFFER, 'Write frame buffer: length %d, %d octets written' % (
            length, len(rest) - 1), 'Write %d of %d' % (len(rest) - 1, length), 'Write', 'W')
        self.send(ss, es, length, [(octet.ss, octet.es, octet.mosi) for octet in rest[1:]])

    def send(self, ss, es, length, written):
        '''With TX_AUTO_CRC_ON the last two octets are the chip's, whatever was written there.'''
        wanted = length - 2 if self.auto_crc else length
        if wanted <= 0:
            return
        if len(written) < wanted:
            self.warn(ss, es, 'Frame to send is not whole: %d of %d octets' % (len(written), wanted), 'Not whole')
            return
        self.frame(ss, es, True, written[:wanted], has_fcs=not self.auto_crc)

    def sram_access(self, ss, es, rest, written):
        if not rest:
            self.warn(ss, es, 'SRAM access without address', 'No address')
            return
        address = rest[0].mosi
        self.annotate(ss, es, Ann.BUFFER, '%s SRAM from 0x%02x: %d octets' % (
            'Write' if written else 'Read', address, len(rest) - 1), 'SRAM 0x%02x' % address, 'S')
        if not written or address > LONGEST_PSDU:  # Above the frame buffer is the AES unit.
            return
        self.sram_ss = self.sram_ss if self.sram else ss
        self.sram_es = es
        for i, octet in enumerate(rest[1:]):
            if address + i <= LONGEST_PSDU:
                self.sram[address + i] = octet.ss, octet.es, octet.mosi

    def send_sram(self):
        '''What was written by SRAM accesses is sent.'''
        if 0 not in self.sram:
            return
        length = self.sram[0][2] & 0x7f
        written = []
        while 1 + len(written) in self.sram:
            written.append(self.sram[1 + len(written)])
        ss, es = self.sram_ss, self.sram_es
        self.sram = {}
        self.send(ss, es, length, written)

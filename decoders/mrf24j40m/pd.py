##
## This file is part of gpiorig. SPDX-License-Identifier: MIT
## Copyright (C) 2026 the gpiorig authors
##

from .spiradio import PINS, SPI_CHANNELS, Ann, SpiRadio, channel

from .lists import LONG, MEMORIES, SHORT, STATES

'''
OUTPUT_PYTHON and OUTPUT_BINARY format: spiradio.py.
'''

RXFLUSH, TXNCON, SOFTRST, SLPACK, BBREG1, RFSTATE = 0x0d, 0x1b, 0x2a, 0x35, 0x39, 0x20f
TX_FIFO_END, REGISTERS, KEYS, RX_FIFO, LAST = 0x080, 0x200, 0x280, 0x300, 0x3ff
LONGEST_PSDU, FCS = 127, 2
LONG_ACCESS, LONG_WRITE = 0x80, 0x10
RESET = PINS + 1

class Decoder(SpiRadio):
    id = 'mrf24j40m'
    name = 'MRF24J40M'
    longname = 'Microchip MRF24J40'
    desc = 'IEEE 802.15.4 radio transceiver of Microchip.'
    optional_channels = SPI_CHANNELS + (
        channel('int', 'INT', 'Interrupt'),
        channel('reset', 'RESET', 'Reset, active low'),
        channel('wake', 'WAKE', 'Wake-up'),
    )

    def reset_radio(self):
        # The TX normal FIFO as the host has written it, (ss, es, value) by address; where those accesses begin and end.
        self.tx = {}
        self.tx_ss = self.tx_es = None
        self.drop_frames()

    def drop_frames(self):
        # What was read of the RX FIFO since its length was read, (ss, es, value) by place; 0 is the length.
        self.rx = {}
        self.rx_ss = self.rx_es = 0

    def concerns_frames(self, first, count):
        if first & LONG_ACCESS:
            address = first << 3 & 0x3f8
            return address < TX_FIFO_END or address >= RX_FIFO
        return first & 1 and first >> 1 in (RXFLUSH, TXNCON, BBREG1)

    def active(self, i):
        return 0 if i == RESET else 1

    def pin_active(self, i):
        if i == RESET:
            self.reset_radio()

    def access(self, ss, es, octets):
        first = octets[0]
        if not first.mosi & LONG_ACCESS:
            self.short(ss, es, first, octets[1:])
        elif len(octets) > 1:
            address = first.mosi << 3 & 0x3f8 | octets[1].mosi >> 5
            self.long(ss, es, first, address, octets[2:], written=bool(octets[1].mosi & LONG_WRITE))
        else:
            self.warn(first.ss, first.es, 'Long access without its second octet', 'No address')

    def short(self, ss, es, first, rest):
        address, written = first.mosi >> 1, bool(first.mosi & 1)
        if not rest:
            self.warn(first.ss, first.es, 'Register access without data', 'No data')
            return
        value = rest[0].mosi if written else rest[0].miso
        if value is None:
            return
        self.register_access(first.ss, rest[0].es, written, SHORT, address, value)
        if written:
            self.run_command(rest[0], address, value)

    def run_command(self, octet, address, value):
        if address == TXNCON and value & 0x01:
            self.command(octet, 'Send')
            self.send()
        elif address == RXFLUSH and value & 0x01:
            self.command(octet, 'Flush RX FIFO')
            self.received()
        elif address == BBREG1 and not value & 0x04:
            self.received()
        elif address == SOFTRST and value & 0x07:
            self.command(octet, 'Reset')
        elif address == SLPACK and value & 0x80:
            self.command(octet, 'Sleep')

    def long(self, ss, es, first, address, octets, written):
        if not octets:
            self.warn(first.ss, first.es, 'Long access without data', 'No data')
        elif REGISTERS <= address < KEYS:
            self.registers(first, address, octets, written)
        else:
            self.memory(ss, es, address, octets, written)

    def registers(self, first, address, octets, written):
        '''Addresses count up; each register is shown where its octet is.'''
        for i, octet in enumerate(octets):
            value = octet.mosi if written else octet.miso
            if value is None:
                return
            self.register_access(octet.ss if i else first.ss, octet.es, written, LONG, address + i, value)
            if address + i == RFSTATE and not written:
                self.state(octet.ss, octet.es, STATES[value >> 5])

    def memory(self, ss, es, address, octets, written):
        start, name = [memory for memory in MEMORIES if memory[0] <= address][-1]
        way = 'Write' if written else 'Read'
        self.annotate(ss, es, Ann.BUFFER, '%s %s from %d: %d octets' % (way, name, address - start, len(octets)),
                      '%s %s' % (way, name), way[0])
        for i, octet in enumerate(octets):
            if written and address + i < TX_FIFO_END:
                self.tx[address + i] = octet.ss, octet.es, octet.mosi
                self.tx_ss = ss if self.tx_ss is None else self.tx_ss
                self.tx_es = es
            elif not written and RX_FIFO <= address + i <= LAST and octet.miso is not None:
                self.take(ss, es, address + i - RX_FIFO, octet)

    def send(self):
        '''Length of the header, of the frame, the frame; the chip adds the FCS.'''
        if 1 not in self.tx or self.tx_ss is None:
            return
        psdu = [self.tx.get(2 + i) for i in range(min(self.tx[1][2], LONGEST_PSDU - FCS))]
        if psdu and None not in psdu:
            self.frame(self.tx_ss, self.tx_es, True, psdu)
        self.tx_ss = None

    def take(self, ss, es, place, octet):
        '''An octet of the RX FIFO: length, frame, LQI, RSSI.'''
        if place == 0:
            if len(self.rx) > 1:
                self.received()
            self.rx, self.rx_ss = {}, ss
        if place == 0 or 0 in self.rx:
            self.rx[place] = octet.ss, octet.es, octet.miso
            self.rx_es = es
            if place and place == self.rx[0][2] + 2:
                self.received()

    def received(self):
        '''What was read of a frame, if that was all of it but the FCS.'''
        length = self.rx[0][2] & 0x7f if 0 in self.rx else 0
        psdu = [self.rx.get(1 + i) for i in range(length)]
        quality = self.rx.get(length + 1)
        has_fcs = None not in psdu
        body = psdu if has_fcs else psdu[:-FCS]
        if length > FCS and None not in body:
            self.frame(self.rx_ss, self.rx_es, False, body, has_fcs=has_fcs, lqi=quality and quality[2])
        self.drop_frames()

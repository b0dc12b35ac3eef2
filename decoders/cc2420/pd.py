##
## This file is part of gpiorig. SPDX-License-Identifier: MIT
## Copyright (C) 2026 the gpiorig authors
##

from .spiradio import PINS, SPI_CHANNELS, Ann, SpiRadio, channel

from .lists import RAM, REGISTERS, STATUS, STROBES

'''
OUTPUT_PYTHON and OUTPUT_BINARY format: spiradio.py.
'''

# Sections: TI SWRS041.
MDMCTRL0, AUTOCRC = 0x11, 0x20
TXFIFO, RXFIFO = 0x3e, 0x3f
SFLUSHRX, SFLUSHTX = 0x08, 0x09
RSSI_OFFSET_DB = -45  # 23: RSSI_VAL + RSSI_OFFSET, about -45.
RESETN = PINS + 4

def ram_name(address):
    first = max(start for start in RAM if start <= address)
    return RAM[first] + ('+%d' % (address - first) if address > first else '')

class Decoder(SpiRadio):
    id = 'cc2420'
    name = 'CC2420'
    longname = 'Texas Instruments CC2420'
    desc = 'IEEE 802.15.4 radio transceiver.'
    optional_channels = SPI_CHANNELS + (
        channel('fifo', 'FIFO', 'Octets are in the RXFIFO'),
        channel('fifop', 'FIFOP', 'A frame or enough octets are in the RXFIFO'),
        channel('sfd', 'SFD', 'From start of frame delimiter to end of frame'),
        channel('cca', 'CCA', 'Channel is clear'),
        channel('resetn', 'RESETn', 'Reset, active low'),
        channel('vreg_en', 'VREG_EN', 'Voltage regulator on'),
    )

    def reset_radio(self):
        self.auto_crc = True
        self.drop_frames()

    def drop_frames(self):
        # Octets written to the TXFIFO, read from the RXFIFO: (ss, es, value); where that began.
        self.tx, self.tx_ss, self.tx_reported = [], 0, False
        self.rx, self.rx_ss = [], 0

    def concerns_frames(self, first, count):
        return first < 0x80 and (count > 1 or first & 0x3f in (SFLUSHRX, SFLUSHTX))

    def active(self, i):
        return 0 if i == RESETN else 1

    def pin_active(self, i):
        if i == RESETN:
            self.reset_radio()

    def access(self, ss, es, octets):
        at = 0
        while at < len(octets):
            at = self.item(ss, es, octets, at)

    def item(self, ss, es, octets, at):
        '''A strobe, register, FIFO or RAM access from octet `at` on; they may follow each other. Where it ends.'''
        first = octets[at]
        self.status(first)
        address, read = first.mosi & 0x3f, bool(first.mosi & 0x40)
        if first.mosi & 0x80:
            self.ram(octets[at:], ss, es)
            return len(octets)
        if address <= 0x0f:
            self.strobe(first, address)
            return at + 1
        if address == TXFIFO:
            self.write_tx(octets[at + 1:], ss, es, read)
            return len(octets)
        if address == RXFIFO:
            self.read_rx(octets[at + 1:], ss, es, read)
            return len(octets)
        self.one_register(octets[at:at + 3], address, read)
        return at + 3

    def status(self, octet):
        if octet.miso is not None:
            names = ' '.join(name for mask, name in STATUS if octet.miso & mask)
            self.state(octet.ss, octet.es, names or 'no status bit')

    def strobe(self, octet, address):
        self.command(octet, STROBES.get(address, 'Strobe 0x%02x' % address))
        if address == SFLUSHTX:
            self.tx = []
        elif address == SFLUSHRX:
            if self.rx:
                self.warn(self.rx_ss, octet.es, 'Frame flushed before it was read whole', 'Flushed')
            self.rx = []

    def one_register(self, octets, address, read):
        if len(octets) < 3:
            self.warn(octets[0].ss, octets[-1].es, 'Register access without 16 bits of data', 'No data')
            return
        high, low = [octet.miso if read else octet.mosi for octet in octets[1:]]
        if high is None:
            return
        value = high << 8 | low
        self.register_access(octets[0].ss, octets[2].es, not read, REGISTERS, address, value, 4)
        if address == MDMCTRL0:
            self.auto_crc = bool(value & AUTOCRC)

    def write_tx(self, octets, ss, es, read):
        if read:  # 13.4: the TXFIFO is written only; it can be read as RAM.
            self.warn(ss, es, 'The TXFIFO cannot be read', 'TXFIFO?')
            return
        self.annotate(ss, es, Ann.BUFFER, 'Write TXFIFO: %d octets' % len(octets), 'TXFIFO %d' % len(octets), 'TX')
        if not octets:
            return
        if self.tx_reported:  # 14.1 (unverified): after a transmission the first write empties it.
            self.tx, self.tx_reported = [], False
        if not self.tx:
            self.tx_ss = ss
        self.tx += [(octet.ss, octet.es, octet.mosi) for octet in octets]
        length = self.tx[0][2] & 0x7f
        wanted = length - 2 if self.auto_crc else length
        if 0 < wanted < len(self.tx):
            self.frame(self.tx_ss, es, True, self.tx[1:1 + wanted], has_fcs=not self.auto_crc)
            self.tx_reported = True

    def read_rx(self, octets, ss, es, read):
        self.annotate(ss, es, Ann.BUFFER, '%s RXFIFO: %d octets' % (
            'Read' if read else 'Write', len(octets)), 'RXFIFO %d' % len(octets), 'RX')
        if not read:
            return
        for octet in octets:
            if octet.miso is None:
                return
            if not self.rx:
                self.rx_ss = ss
                if not octet.miso & 0x7f:
                    continue
            self.rx.append((octet.ss, octet.es, octet.miso))
            if len(self.rx) > self.rx[0][2] & 0x7f:
                self.received(es)
                self.rx = []

    def received(self, es):
        psdu = self.rx[1:]
        if not self.auto_crc:
            self.frame(self.rx_ss, es, False, psdu, has_fcs=True)
        elif len(psdu) > 2:
            # 16.3, figure 21: RSSI, then check and correlation, in the place of the FCS.
            rssi, last = psdu[-2][2], psdu[-1][2]
            dbm = (rssi - 256 if rssi & 0x80 else rssi) + RSSI_OFFSET_DB
            self.frame(self.rx_ss, es, False, psdu[:-2], crc_ok=bool(last & 0x80), lqi=last & 0x7f,
                       rssi_dbm=max(-128, dbm))

    def ram(self, octets, ss, es):
        '''13.5: seven bits of address, then the bank and whether to read only.'''
        if len(octets) < 2:
            self.warn(octets[0].ss, es, 'RAM access without address', 'No address')
            return
        address = octets[1].mosi >> 6 << 7 | octets[0].mosi & 0x7f
        read = bool(octets[1].mosi & 0x20)
        values = [octet.miso if read else octet.mosi for octet in octets[2:]]
        text = '' if None in values or not 0 < len(values) <= 8 else ' 0x' + bytes(reversed(values)).hex()
        name = ram_name(address)
        self.annotate(octets[0].ss, octets[-1].es, Ann.BUFFER, '%s RAM %s: %d octets%s' % (
            'Read' if read else 'Write', name, len(values), text), name + text, 'RAM')

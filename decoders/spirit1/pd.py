##
## This file is part of gpiorig. SPDX-License-Identifier: MIT
## Copyright (C) 2026 the gpiorig authors
##

from .spiradio import PINS, SPI_CHANNELS, Ann, SpiRadio, channel

from .lists import COMMANDS, REGISTERS, STATES

'''
OUTPUT_PYTHON and OUTPUT_BINARY format: spiradio.py.
'''

# First octet of an access (SPIRIT1 library, MCU_Interface.h); the second is an address or a command.
COMMAND, READ = 0x80, 0x01
FIFO = 0xff
TX, SRES, FLUSHTXFIFO = 0x60, 0x70, 0x72
SDN = PINS

class Decoder(SpiRadio):
    id = 'spirit1'
    name = 'SPIRIT1'
    longname = 'STMicroelectronics SPIRIT1'
    desc = 'Radio transceiver for the bands below 1 GHz.'
    optional_channels = SPI_CHANNELS + (
        channel('sdn', 'SDN', 'Shutdown'),
        channel('gpio0', 'GPIO0', 'GPIO 0'),
        channel('gpio1', 'GPIO1', 'GPIO 1'),
        channel('gpio2', 'GPIO2', 'GPIO 2'),
        channel('gpio3', 'GPIO3', 'GPIO 3'),
    )

    def reset_radio(self):
        self.drop_frames()

    def drop_frames(self):
        # Octets written to the TX FIFO: (ss, es, value); first and last sample of those accesses.
        self.tx, self.tx_ss, self.tx_es = [], 0, 0

    def concerns_frames(self, first, count):
        return count > 2 or count > 1 and bool(first & COMMAND)

    def pin_active(self, i):
        if i == SDN:
            self.reset_radio()

    def access(self, ss, es, octets):
        at = 0
        while at < len(octets):  # After a command another access may follow.
            header = octets[at]
            if at + 1 == len(octets):
                self.warn(header.ss, header.es, 'Access without address', 'No address')
                return
            self.status(header, octets[at + 1])
            if not header.mosi & COMMAND:
                self.data(ss, es, octets[at + 1], octets[at + 2:], read=bool(header.mosi & READ))
                return
            self.run_command(octets[at + 1])
            at += 2

    def status(self, header, address):
        if header.miso is None:
            return
        flags = [name for mask, name in ((0x04, 'TX FIFO full'), (0x01, 'RCO error')) if header.miso & mask]
        flags.append('RX FIFO empty' if header.miso & 0x02 else 'RX FIFO filled')
        state = STATES.get(address.miso >> 1, 'state 0x%02x' % (address.miso >> 1))
        self.state(header.ss, address.es, ', '.join([state] + flags))

    def run_command(self, octet):
        self.command(octet, COMMANDS.get(octet.mosi, 'Command 0x%02x' % octet.mosi))
        if octet.mosi == TX and self.tx:
            self.frame(self.tx_ss, self.tx_es, True, self.tx)
        if octet.mosi in (TX, SRES, FLUSHTXFIFO):
            self.tx = []

    def data(self, ss, es, address, octets, read):
        if not octets:  # Just to see the state.
            self.command(address, 'Read state' if read else 'Write nothing')
        elif address.mosi == FIFO:
            self.fifo(ss, es, octets, read)
        else:
            self.registers(address, octets, read)

    def fifo(self, ss, es, octets, read):
        way = 'Read RX FIFO' if read else 'Write TX FIFO'
        self.annotate(ss, es, Ann.BUFFER, '%s: %d octets' % (way, len(octets)), way, way[0])
        if read:
            if octets[0].miso is not None:
                self.frame(ss, es, False, [(octet.ss, octet.es, octet.miso) for octet in octets])
            return
        self.tx_ss = self.tx_ss if self.tx else ss
        self.tx_es = es
        self.tx += [(octet.ss, octet.es, octet.mosi) for octet in octets]

    def registers(self, address, octets, read):
        '''Addresses count up; each register is shown where its octet is.'''
        for i, octet in enumerate(octets):
            value = octet.miso if read else octet.mosi
            if value is None:
                return
            self.register_access(octet.ss if i else address.ss, octet.es, not read, REGISTERS,
                                 min(address.mosi + i, FIFO), value)

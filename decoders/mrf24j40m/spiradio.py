# Generated from decoders/ieee802154/spiradio.py by `make generate`. Do not edit.
##
## This file is part of gpiorig. SPDX-License-Identifier: MIT
## Copyright (C) 2026 the gpiorig authors
##

'''
What decoders of IEEE 802.15.4 radios on an SPI bus have in common: accesses
(from one edge of chip select to the other), annotations, frames.

libsigrokdecode 0.5.3 gives samples to the decoder at the bottom of a stack
only. A decoder stacked on `spi` may have channels, and a front end may map
them, but nothing ever comes on them: decode() is called with the packets of
the decoder below, and a wait() in it does not return. So a radio decoder can
be used in two ways:

 - stacked on `spi`, as all others are; it then sees the SPI bus alone;
 - at the bottom of a stack, with the SPI lines and the radio's other pins as
   its own channels; it then decodes the bus itself (mode 0, 8 bits, most
   significant bit first, which these radios demand) and shows the pins as well.

The packets and annotations of the SPI accesses are the same in both.

OUTPUT_PYTHON format:

Packet:
[<ptype>, <pdata>]

<ptype>, <pdata>:
 - 'READ', 'WRITE', (<address>, <name>, <value>): a register was read, written.
 - 'COMMAND', <name>: a command or strobe.
 - 'STATE', <text>: the state or status that the radio tells has changed.
 - 'FRAME', (<sent>, <octets>, <has_fcs>, <crc_ok>, <lqi>, <rssi_dbm>): a whole
   frame was handed to (<sent> True) or by the radio. <octets> is a list of
   (ss, es, value), the PSDU, without FCS where <has_fcs> is False. <crc_ok>,
   <lqi>, <rssi_dbm> are None where the radio does not tell.
 - 'PIN', (<name>, <level>): a pin has changed (only with own channels).

OUTPUT_BINARY format:

Class 'frames': a record per frame, in Python's struct notation '<QQBBBbH' and
the octets of the PSDU: first sample, last sample, direction (0 received, 1
sent), flags, LQI, RSSI in dBm, number of octets. Flags: 1 the FCS is there,
2 it is known whether the check is right, 4 it is, 8 LQI known, 16 RSSI known.
'''

import struct

import sigrokdecode as srd

from .mac import Frame

RECORD = struct.Struct('<QQBBBbH')
HAS_FCS, CRC_KNOWN, CRC_OK, LQI_KNOWN, RSSI_KNOWN = 1, 2, 4, 8, 16

CLK, MOSI, MISO, CS, PINS = range(5)
NOT_CONNECTED = 0xff

class Ann:
    COMMAND, READ, WRITE, BUFFER, FIELD, STATE, TX, RX, PIN, WARNING = range(10)

def channel(id_, name, desc):
    return {'id': id_, 'name': name, 'desc': desc}

SPI_CHANNELS = (
    channel('clk', 'CLK', 'Clock'),
    channel('mosi', 'MOSI', 'Master out, slave in'),
    channel('miso', 'MISO', 'Master in, slave out'),
    channel('cs', 'CS#', 'Chip select, active low'),
)

def field_texts(fields, value):
    '''The fields of a register: (name, mask, {value: name}), as one line.'''
    texts = []
    for name, mask, names in fields:
        part = (value & mask) // (mask & -mask)
        if mask & mask - 1:
            texts.append('%s=%s' % (name, names.get(part, part)))
        elif part:
            texts.append(name)
    return ' '.join(texts)

class Octet:
    '''One octet of an access: what the master and the radio (None: no MISO) sent.'''
    __slots__ = ('ss', 'es', 'mosi', 'miso')

    def __init__(self, ss, es, mosi, miso):
        self.ss, self.es, self.mosi, self.miso = ss, es, mosi, miso

class SpiRadio(srd.Decoder):
    '''A decoder gives channels of its own in optional_channels, PINS, and access().'''
    api_version = 3
    license = 'mit'
    inputs = ['spi', 'logic']
    outputs = ['ieee802154']
    tags = ['IC', 'Wireless/RF']
    annotations = (
        ('command', 'Command'),
        ('read', 'Register read'),
        ('write', 'Register write'),
        ('buffer', 'Frame buffer access'),
        ('field', 'Fields of a register'),
        ('state', 'State'),
        ('tx', 'Frame sent'),
        ('rx', 'Frame received'),
        ('pin', 'Pin active'),
        ('warning', 'Warning'),
    )
    annotation_rows = (
        ('commands', 'Commands', (Ann.COMMAND,)),
        ('accesses', 'Accesses', (Ann.READ, Ann.WRITE, Ann.BUFFER)),
        ('fields', 'Fields', (Ann.FIELD,)),
        ('states', 'States', (Ann.STATE,)),
        ('frames', 'Frames', (Ann.TX, Ann.RX)),
        ('pins', 'Pins', (Ann.PIN,)),
        ('warnings', 'Warnings', (Ann.WARNING,)),
    )
    binary = (
        ('frames', 'Frame records'),
    )

    def __init__(self):
        self.reset()

    def reset(self):
        self.changes = 0     # Of chip select, without the first.
        self.warned = False
        self.latest = None     # Last state or status.
        self.reset_radio()

    def start(self):
        self.out_ann = self.register(srd.OUTPUT_ANN)
        self.out_python = self.register(srd.OUTPUT_PYTHON)
        self.out_binary = self.register(srd.OUTPUT_BINARY)

    # Output.

    def annotate(self, ss, es, class_, *texts):
        self.put(ss, es, self.out_ann, [class_, list(texts)])

    def warn(self, ss, es, *texts):
        self.annotate(ss, es, Ann.WARNING, *texts)

    def warn_once(self, *texts):
        if not self.warned:
            self.warned = True
            self.warn(0, 1, *texts)

    def command(self, octet, name):
        self.annotate(octet.ss, octet.es, Ann.COMMAND, name, name[0])
        self.put(octet.ss, octet.es, self.out_python, ['COMMAND', name])

    def register_access(self, ss, es, written, registers, address, value, digits=2):
        '''registers: {address: (name, fields)}.'''
        name, fields = registers.get(address, ('0x%02x' % address, ()))
        sign, class_ = ('<-', Ann.WRITE) if written else ('->', Ann.READ)
        text = '0x%0*x' % (digits, value)
        self.annotate(ss, es, class_, '%s register %s (0x%02x) %s %s' % (
            'Write' if written else 'Read', name, address, sign, text),
            '%s %s %s' % (name, sign, text), name, 'W' if written else 'R')
        self.put(ss, es, self.out_python, ['WRITE' if written else 'READ', (address, name, value)])
        texts = field_texts(fields, value)
        if texts:
            self.annotate(ss, es, Ann.FIELD, texts)

    def state(self, ss, es, text):
        '''The radio has sent its state; shown where it is another than before.'''
        if text == self.latest:
            return
        self.annotate(ss, es, Ann.STATE, text, text.split()[0].rstrip(','), text[0])
        self.put(ss, es, self.out_python, ['STATE', text])
        self.latest = text

    def frame(self, ss, es, sent, octets, has_fcs=False, crc_ok=None, lqi=None, rssi_dbm=None):
        '''octets: list of (ss, es, value).'''
        psdu = bytes(octet[2] for octet in octets)
        frame = Frame(psdu, has_fcs)
        if crc_ok is None:
            crc_ok = frame.crc_ok
        quality = ', LQI %d' % lqi if lqi is not None else ''
        quality += ', %d dBm' % rssi_dbm if rssi_dbm is not None else ''
        quality += ', CRC wrong' if crc_ok is False and frame.crc_ok is None else ''
        way, summary = 'TX' if sent else 'RX', frame.summary()
        self.annotate(ss, es, Ann.TX if sent else Ann.RX,
                      '%s %d octets: %s%s' % (way, len(psdu), summary, quality), '%s: %s' % (way, summary),
                      way if frame.sequence is None else '%s #%d' % (way, frame.sequence), way)
        self.put(ss, es, self.out_python, ['FRAME', (sent, octets, has_fcs, crc_ok, lqi, rssi_dbm)])
        flags = (HAS_FCS if has_fcs else 0) | (0 if crc_ok is None else CRC_KNOWN) | (CRC_OK if crc_ok else 0)
        flags |= (0 if lqi is None else LQI_KNOWN) | (0 if rssi_dbm is None else RSSI_KNOWN)
        self.put(ss, es, self.out_binary, [0, RECORD.pack(
            ss, es, int(sent), flags, lqi or 0, rssi_dbm or 0, len(psdu)) + psdu])

    # Input.

    def decode(self, ss=None, es=None, data=None):
        if data is None:
            self.decode_logic()
        elif data[0] == 'CS-CHANGE':
            if data[1] is not None:
                self.changes += 1
            elif data[2] is None:
                self.warn_once('The spi decoder needs CS# to tell accesses apart', 'CS#?')
        elif data[0] == 'TRANSFER':
            self.transfer(ss, es, data[1], data[2])

    def transfer(self, ss, es, mosi, miso):
        if not mosi and miso:
            self.warn_once('The spi decoder needs MOSI', 'MOSI?')
            return
        back = [word.val for word in miso] if miso else [None] * len(mosi)
        if any(word.val > 0xff for word in mosi):
            self.warn_once('The spi decoder needs a word size of 8', 'Word size?')
            return
        self.begin_access(ss, es, [Octet(word.ss, word.es, word.val, back[i]) for i, word in enumerate(mosi)])

    def begin_access(self, ss, es, octets):
        if self.changes == 1:
            self.warn(ss, es, 'This access began before the capture', 'Cut')
        elif octets:
            self.access(ss, es, octets)

    # At the bottom of a stack.

    def decode_logic(self):
        pins = self.wait({'skip': 0})
        if NOT_CONNECTED in (pins[CLK], pins[MOSI], pins[CS]):
            self.warn_once('CLK, MOSI and CS# are needed', 'Channels?')
            while True:
                self.wait({'skip': 1 << 30})
        lines = [i for i in range(PINS, len(pins)) if pins[i] != NOT_CONNECTED]
        watch = [{CLK: 'r'}, {CS: 'e'}] + [{i: 'e'} for i in lines]
        self.since = {i: 0 for i in lines if pins[i] == self.active(i)}
        try:
            self.run(watch, lines, pins)
        except (EOFError, SystemError):
            # The end of the capture. libsigrokdecode 0.5.3 ends a blocked
            # wait() with a SystemError, later ones with EOFError.
            for i in lines:
                self.pin_ends(i, self.samplenum)
            raise

    def run(self, watch, lines, before):
        begun, octets, bits, edges = 0, [], 0, []
        while True:
            pins = self.wait(watch)
            now = self.samplenum
            if pins[CS] != before[CS]:
                self.changes += 1
                if pins[CS]:
                    self.begin_access(begun, now, octets)
                begun, octets, bits, edges = now, [], 0, []
            for i in lines:
                if pins[i] != before[i]:
                    self.pin_edge(i, pins[i])
            if self.matched[0] and not pins[CS]:
                bits = bits << 2 | pins[MOSI] << 1 | pins[MISO] & 1
                edges.append(now)
                if len(edges) == 8:
                    octets.append(self.octet(bits, edges, pins[MISO] != NOT_CONNECTED))
                    bits, edges = 0, []
            before = pins

    def octet(self, bits, edges, has_miso):
        mosi = miso = 0
        for i in range(14, -1, -2):
            mosi, miso = mosi << 1 | bits >> i + 1 & 1, miso << 1 | bits >> i & 1
        return Octet(edges[0], 2 * edges[-1] - edges[-2], mosi, miso if has_miso else None)

    def active(self, i):
        '''Level at which pin i is shown as active.'''
        return 1

    def pin_name(self, i):
        return self.optional_channels[i]['name']

    def pin_edge(self, i, level):
        name = self.pin_name(i)
        self.put(self.samplenum, self.samplenum, self.out_python, ['PIN', (name, level)])
        if level == self.active(i):
            self.since[i] = self.samplenum
            self.pin_active(i)
        else:
            self.pin_ends(i, self.samplenum)

    def pin_ends(self, i, sample):
        if i in self.since:
            self.annotate(self.since.pop(i), sample, Ann.PIN, self.pin_name(i))

    # Of a radio.

    def reset_radio(self):
        '''Forget what is known of the radio.'''

    def drop_frames(self):
        '''Samples were lost: forget frames in transit; the registers are taken as unchanged.'''

    def concerns_frames(self, first, count):
        '''
        Whether an access may concern a frame, by its first octet and by how many
        it has: 1, 2, or 3 for more. A host that wants frames only leaves out others.
        '''
        return True

    def pin_active(self, i):
        '''Pin i has become active.'''

    def access(self, ss, es, octets):
        '''An access of at least one octet.'''

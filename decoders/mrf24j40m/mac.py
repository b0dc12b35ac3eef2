# Generated from decoders/ieee802154/mac.py by `make generate`. Do not edit.
##
## This file is part of gpiorig. SPDX-License-Identifier: MIT
## Copyright (C) 2026 the gpiorig authors
##

'''
Dissection of IEEE 802.15.4 frames. Sections are those of IEEE Std
802.15.4-2015 unless another year is named.
'''

from collections import namedtuple

# Octets first to last - 1 of the frame; kind is one of KINDS; texts longest first.
Field = namedtuple('Field', ['first', 'last', 'kind', 'texts'])

KINDS = ('control', 'sequence', 'address', 'security', 'ie', 'content', 'payload', 'fcs', 'warning')

BEACON, DATA, ACK, COMMAND, RESERVED, MULTIPURPOSE, FRAGMENT, EXTENDED = range(8)

# Table 7-1.
TYPES = ('Beacon', 'Data', 'Ack', 'Command', 'Reserved', 'Multipurpose', 'Fragment', 'Extended')
# Table 7-4; 3 is reserved.
VERSIONS = ('2003', '2006', '2015', 'reserved')
# Table 7-3; mode 1 is reserved.
ADDRESS_OCTETS = (0, 0, 2, 8)
NO_ADDRESS, SHORT, EXTENDED_ADDRESS = 0, 2, 3

# Table 7-49.
COMMANDS = {
    1: 'Association request', 2: 'Association response', 3: 'Disassociation notification',
    4: 'Data request', 5: 'PAN ID conflict notification', 6: 'Orphan notification',
    7: 'Beacon request', 8: 'Coordinator realignment', 9: 'GTS request',
}
# Table 9-6: level of the security control field.
LEVELS = ('none', 'MIC-32', 'MIC-64', 'MIC-128', 'ENC', 'ENC-MIC-32', 'ENC-MIC-64', 'ENC-MIC-128')
MIC_OCTETS = (0, 4, 8, 16)
# Table 9-7: octets of the key identifier by its mode.
KEY_OCTETS = (0, 1, 5, 9)
# Tables 7-7, 7-15, 7-16, 7-17; IETF: RFC 8137.
HEADER_IES = {
    0x00: 'Vendor specific', 0x1a: 'LE CSL', 0x1b: 'LE RIT', 0x1c: 'DSME PAN descriptor',
    0x1d: 'Rendezvous time', 0x1e: 'Time correction', 0x21: 'Extended DSME PAN descriptor',
    0x22: 'Fragment sequence context', 0x23: 'Simplified superframe', 0x24: 'Simplified GTS',
    0x25: 'LECIM capabilities', 0x26: 'TRLE descriptor', 0x27: 'RCC capabilities',
    0x28: 'RCCN descriptor', 0x29: 'Global time', 0x2b: 'DA',
    0x7e: 'Header termination 1', 0x7f: 'Header termination 2',
}
PAYLOAD_IES = {0x0: 'ESDU', 0x1: 'MLME', 0x2: 'Vendor specific', 0x5: 'IETF', 0xf: 'Payload termination'}
SHORT_IES = {
    0x1a: 'TSCH synchronization', 0x1b: 'TSCH slotframe and link', 0x1c: 'TSCH timeslot',
    0x1d: 'Hopping timing', 0x1e: 'Enhanced beacon filter', 0x1f: 'MAC metrics',
    0x20: 'All MAC metrics', 0x21: 'Coexistence specification',
}
LONG_IES = {0x8: 'Vendor specific nested', 0x9: 'Channel hopping'}

def fcs_of(octets):
    '''7.2.10: the ITU-T CRC of 16 bits, least significant bit first, from 0.'''
    crc = 0
    for octet in octets:
        crc ^= octet
        for _ in range(8):
            crc = crc >> 1 ^ (0x8408 if crc & 1 else 0)
    return crc

def number(octets):
    return int.from_bytes(bytes(octets), 'little')

def address(octets):
    return '%0*x' % (2 * len(octets), number(octets)) if len(octets) == 8 else '0x%04x' % number(octets)

class Wrong(Exception):
    '''The frame cannot be dissected further; the text is the reason.'''

class Frame:
    '''
    A frame taken apart.

    fields: list of Field. type, version, sequence (or None), source and
    destination (texts, or None), pan (or None), acknowledge, crc_ok (or None),
    payload (octets first to last - 1 of what the MAC carries).
    '''

    def __init__(self, octets, has_fcs=False):
        self.octets = octets
        self.fields = []
        self.at = 0
        self.end = len(octets)
        self.type = self.version = self.sequence = self.pan = None
        self.source = self.destination = self.crc_ok = None
        self.acknowledge = self.pending = self.secured = self.has_ies = self.encrypted = False
        self.mic = 0
        self.note = ''
        self.payload = (0, 0)
        if has_fcs and self.end >= 2:
            self.end -= 2
            self.crc_ok = number(octets[self.end:]) == fcs_of(octets[:self.end])
        try:
            self.header()
            self.body()
        except Wrong as wrong:
            self.add(self.at, len(octets), 'warning', str(wrong))
        if self.crc_ok is not None:
            self.add(len(octets) - 2, len(octets), 'fcs',
                     'FCS 0x%04x %s' % (number(octets[-2:]), 'ok' if self.crc_ok else 'WRONG'),
                     'FCS ok' if self.crc_ok else 'FCS wrong', 'FCS')
            if not self.crc_ok:
                self.add(len(octets) - 2, len(octets), 'warning', 'FCS is not 0x%04x' % fcs_of(octets[:-2]), 'FCS')

    def add(self, first, last, kind, *texts):
        self.fields.append(Field(first, last, kind, list(texts)))

    def take(self, count):
        if self.at + count > self.end:
            raise Wrong('Frame too short')
        field = self.octets[self.at:self.at + count]
        self.at += count
        return field

    # Header: 7.2 and, for multipurpose frames, 7.3.5.

    def header(self):
        control = number(self.take(1))
        self.type = control & 7
        if self.type == MULTIPURPOSE:
            self.multipurpose(control)
        elif self.type in (FRAGMENT, EXTENDED):
            self.add(0, 1, 'control', '%s frame' % TYPES[self.type])
            return
        else:
            self.general(control)
        if self.secured:
            self.security()
        if self.has_ies:
            self.ies()

    def general(self, control):
        control |= number(self.take(1)) << 8
        self.version = control >> 12 & 3
        self.secured = bool(control & 0x08)
        self.pending = bool(control & 0x10)
        self.acknowledge = bool(control & 0x20)
        compressed = bool(control & 0x40)
        newest = self.version == 2
        suppressed = newest and bool(control & 0x100)
        self.has_ies = newest and bool(control & 0x200)
        modes = control >> 10 & 3, control >> 14
        flags = [name for mask, name in ((0x08, 'secured'), (0x10, 'pending'), (0x20, 'ack request'),
                                         (0x40, 'PAN compressed')) if control & mask]
        flags += ['no sequence'] if suppressed else []
        flags += ['IEs'] if self.has_ies else []
        self.add(0, 2, 'control',
                 'Frame control 0x%04x: %s' % (control, ', '.join(
                     [TYPES[self.type], VERSIONS[self.version]] + flags)),
                 '%s %s' % (TYPES[self.type], VERSIONS[self.version]), TYPES[self.type], TYPES[self.type][0])
        self.take_sequence(suppressed)
        self.take_addresses(modes, self.pans(modes, compressed))

    def multipurpose(self, control):
        self.version = 2
        if control & 0x08:
            control |= number(self.take(1)) << 8
        self.secured = bool(control & 0x200)
        self.pending = bool(control & 0x800)
        self.acknowledge = bool(control & 0x4000)
        self.has_ies = bool(control & 0x8000)
        self.add(0, self.at, 'control', 'Frame control 0x%04x: Multipurpose' % control, 'Multipurpose', 'M')
        self.take_sequence(bool(control & 0x400))
        self.take_addresses((control >> 4 & 3, control >> 6 & 3), (bool(control & 0x100), False))

    def pans(self, modes, compressed):
        '''Whether there is a destination's, a source's PAN ID: 7.2.2.6, table 7-2; before 2015: 2006, 7.2.1.1.5.'''
        destination, source = bool(modes[0]), bool(modes[1])
        if self.version != 2:
            return destination, source and not (compressed and destination)
        if not destination and not source:
            return compressed, False
        if not source:
            return not compressed, False
        if not destination:
            return False, not compressed
        if modes == (EXTENDED_ADDRESS, EXTENDED_ADDRESS):
            return not compressed, False
        return True, not compressed

    def take_sequence(self, suppressed):
        if suppressed:
            return
        self.sequence = number(self.take(1))
        self.add(self.at - 1, self.at, 'sequence',
                 'Sequence number %d' % self.sequence, 'Seq %d' % self.sequence, '%d' % self.sequence)

    def take_addresses(self, modes, pans):
        for i, (name, short) in enumerate((('Destination', 'Dst'), ('Source', 'Src'))):
            if pans[i]:
                pan = number(self.take(2))
                self.pan = pan if self.pan is None else self.pan
                self.add(self.at - 2, self.at, 'address', '%s PAN 0x%04x' % (name, pan),
                         '%s PAN %04x' % (short, pan), '%04x' % pan)
            if modes[i] == 1:
                raise Wrong('%s address mode is reserved' % name)
            if modes[i]:
                text = address(self.take(ADDRESS_OCTETS[modes[i]]))
                first = self.at - ADDRESS_OCTETS[modes[i]]
                self.add(first, self.at, 'address', '%s address %s' % (name, text), '%s %s' % (short, text), text)
                if i:
                    self.source = text
                else:
                    self.destination = text

    def security(self):
        '''9.4; frames of 2003 have none, their security is in the payload (2003, 7.6).'''
        if self.version == 0:
            return
        control = number(self.take(1))
        level, mode = control & 7, control >> 3 & 3
        self.mic = MIC_OCTETS[level & 3]
        self.encrypted = bool(level & 4)
        self.add(self.at - 1, self.at, 'security', 'Security control 0x%02x: %s, key mode %d' % (
            control, LEVELS[level], mode), LEVELS[level], 'S')
        if not (self.version == 2 and control & 0x20):
            counter = number(self.take(4))
            self.add(self.at - 4, self.at, 'security', 'Frame counter %d' % counter, '%d' % counter)
        if KEY_OCTETS[mode]:
            key = self.take(KEY_OCTETS[mode])
            self.add(self.at - len(key), self.at, 'security', 'Key index %d%s' % (
                key[-1], ', source %x' % number(key[:-1]) if len(key) > 1 else ''), 'Key %d' % key[-1], 'K')

    # IEs: 7.4.

    def ies(self):
        more = False
        while self.at < self.end:
            head = number(self.take(2))
            first, length, id_ = self.at - 2, head & 0x7f, head >> 7 & 0xff
            if head & 0x8000:
                self.at = first
                more = True  # Payload IEs; some senders leave the termination out.
                break
            content = self.take(length)
            name = HEADER_IES.get(id_, 'Header IE 0x%02x' % id_)
            self.add(first, self.at, 'ie', self.header_ie(name, id_, content), name, 'IE')
            if id_ in (0x7e, 0x7f):
                more = id_ == 0x7e
                break
        if more and not self.encrypted:
            self.payload_ies()

    def header_ie(self, name, id_, content):
        if id_ == 0x1e and len(content) == 2:  # 7.4.2.7
            value = number(content)
            time = (value & 0xfff) - (0x1000 if value & 0x800 else 0)
            return '%s: %d us%s' % (name, time, ', NACK' if value & 0x8000 else '')
        return '%s: %d octets' % (name, len(content)) if len(content) else name

    def payload_ies(self):
        while self.at < self.end:
            head = number(self.take(2))
            first, length, group = self.at - 2, head & 0x7ff, head >> 11 & 0xf
            if not head & 0x8000:
                raise Wrong('Not a payload IE')
            name = PAYLOAD_IES.get(group, 'Payload IE %d' % group)
            if group == 1 and self.at + length <= self.end:
                self.add(first, self.at, 'ie', 'MLME IEs: %d octets' % length, 'MLME', 'IE')
                self.nested_ies(self.at + length)
                continue
            self.take(length)
            self.add(first, self.at, 'ie', '%s: %d octets' % (name, length) if length else name, name, 'IE')
            if group == 0xf:
                return

    def nested_ies(self, end):
        while self.at < end:
            head = number(self.take(2))
            first = self.at - 2
            if head & 0x8000:
                length, id_, names = head & 0x7ff, head >> 11 & 0xf, LONG_IES
            else:
                length, id_, names = head & 0xff, head >> 8 & 0x7f, SHORT_IES
            content = self.take(length)
            name = names.get(id_, 'IE 0x%02x' % id_)
            text = name
            if names is SHORT_IES and id_ == 0x1a and length == 6:  # 7.4.4.2
                text = '%s: ASN %d, join metric %d' % (name, number(content[:5]), content[5])
                self.note = 'ASN %d' % number(content[:5])
            self.add(first, self.at, 'ie', text, name, 'IE')

    # Content: 7.3.

    def body(self):
        mic = self.mic
        if mic:
            if self.at + mic > self.end:
                raise Wrong('Frame too short')
            self.end -= mic
            self.add(self.end, self.end + mic, 'security', 'MIC of %d octets' % mic, 'MIC')
        secret = self.encrypted
        if not secret and self.type == BEACON and self.version != 2:
            self.beacon()
        elif not secret and self.type == COMMAND:
            id_ = number(self.take(1))
            self.note = COMMANDS.get(id_, 'Command %d' % id_)
            self.add(self.at - 1, self.at, 'content', self.note, 'Cmd %d' % id_, 'C')
        self.payload = (self.at, self.end)
        if self.at < self.end:
            count = self.end - self.at
            text = 'Encrypted payload' if secret else lowpan(self.octets[self.at:self.end], self.type)
            self.add(self.at, self.end, 'payload', '%s: %d octets' % (text, count), text, 'P')

    def beacon(self):
        spec = number(self.take(2))
        self.add(self.at - 2, self.at, 'content',
                 'Superframe: beacon order %d, superframe order %d, final CAP slot %d%s%s' % (
                     spec & 15, spec >> 4 & 15, spec >> 8 & 15,
                     ', PAN coordinator' if spec & 0x4000 else '',
                     ', association permitted' if spec & 0x8000 else ''), 'Superframe', 'S')
        first = self.at
        gts = number(self.take(1))
        self.take(1 + 3 * (gts & 7) if gts & 7 else 0)
        self.add(first, self.at, 'content', 'GTS: %d descriptors%s' % (
            gts & 7, ', permitted' if gts & 0x80 else ''), 'GTS', 'G')
        first = self.at
        pending = number(self.take(1))
        self.take(2 * (pending & 7) + 8 * (pending >> 4 & 7))
        self.add(first, self.at, 'content', 'Pending addresses: %d short, %d extended' % (
            pending & 7, pending >> 4 & 7), 'Pending', 'P')

    def packet_id(self):
        '''The last two octets of what a data frame carries, most significant first; None if there are none.'''
        first, last = self.payload
        if self.type != DATA or last - first < 2 or self.encrypted:
            return None
        return self.octets[last - 2] << 8 | self.octets[last - 1]

    def summary(self):
        '''One line: type, sequence number, addresses.'''
        if self.type is None:
            return 'Empty frame'
        words = [TYPES[self.type]]
        if self.sequence is not None:
            words.append('#%d' % self.sequence)
        if self.source or self.destination:
            words.append('%s > %s' % (self.source or '-', self.destination or '-'))
        if self.note:
            words.append(self.note)
        if self.crc_ok is False:
            words.append('FCS wrong')
        return ' '.join(words)

# First octet of 6LoWPAN: RFC 4944, 5.1; RFC 6282, 2 and 3.1; RFC 8025; RFC 8138, 4.
def lowpan(octets, type_):
    '''What the payload of a data frame begins with, as text.'''
    if type_ not in (DATA, MULTIPURPOSE):
        return 'Payload'
    first = octets[0]
    if first == 0x41:
        return '6LoWPAN: IPv6 uncompressed'
    if first == 0x50:
        return '6LoWPAN: broadcast'
    if first >> 5 == 0b011:
        return '6LoWPAN: IPHC%s' % udp_header(octets)
    if first >> 6 == 0b10:
        return '6LoWPAN: mesh'
    if first >> 3 == 0b11000 and len(octets) >= 4:
        return '6LoWPAN: first fragment, tag %d, size %d' % (
            octets[2] << 8 | octets[3], (first & 7) << 8 | octets[1])
    if first >> 3 == 0b11100 and len(octets) >= 5:
        return '6LoWPAN: fragment, tag %d, offset %d, size %d' % (
            octets[2] << 8 | octets[3], 8 * octets[4], (first & 7) << 8 | octets[1])
    if first >> 4 == 0b1111:
        return '6LoWPAN: page %d' % (first & 15)
    return 'Payload'

def udp_header(octets):
    '''The UDP header that follows an IPHC header: RFC 6282, 3.1.1 and 4.3.'''
    if len(octets) < 2 or not octets[0] & 4:
        return ''
    low = octets[1]
    at = 2 + (low >> 7)  # Context identifiers.
    at += (4, 3, 1, 0)[octets[0] >> 3 & 3]  # Traffic class and flow label.
    at += 1 if not octets[0] & 3 else 0  # Hop limit.
    sam, dam, multicast, stateful = low >> 4 & 3, low & 3, low >> 3 & 1, low >> 2 & 1
    at += 0 if low & 0x40 and not sam else (16, 8, 2, 0)[sam]
    if multicast:
        at += (6, 0, 0, 0)[dam] if stateful else (16, 6, 4, 1)[dam]
    else:
        at += 0 if stateful and not dam else (16, 8, 2, 0)[dam]
    if at >= len(octets) or octets[at] >> 3 != 0b11110:
        return ''
    ports = octets[at + 1:at + 5]
    mode = octets[at] & 3
    if len(ports) < (4, 3, 3, 1)[mode]:
        return ', UDP'
    if mode == 0:
        pair = ports[0] << 8 | ports[1], ports[2] << 8 | ports[3]
    elif mode == 1:
        pair = ports[0] << 8 | ports[1], 0xf000 | ports[2]
    elif mode == 2:
        pair = 0xf000 | ports[0], ports[1] << 8 | ports[2]
    else:
        pair = 0xf0b0 | ports[0] >> 4, 0xf0b0 | ports[0] & 15
    return ', UDP %d > %d' % pair

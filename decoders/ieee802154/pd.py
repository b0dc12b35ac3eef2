##
## This file is part of gpiorig. SPDX-License-Identifier: MIT
## Copyright (C) 2026 the gpiorig authors
##

import struct

import sigrokdecode as srd

from .mac import KINDS, Frame

'''
OUTPUT_PYTHON format:

Packet:
['FRAME', <frame>]

<frame> is a dictionary: 'sent', 'octets' (bytes), 'has_fcs', 'crc_ok', 'lqi',
'rssi_dbm' as the radio decoder gave them; 'type' (0 to 7), 'sequence',
'pan', 'source', 'destination' (texts), each None where the frame has none.

OUTPUT_BINARY format:

Class 'pcap': a pcap file with nanoseconds, link type 283 (IEEE 802.15.4 TAP;
TLVs FCS type, RSS, LQI). The time of a frame is that of its first sample,
from the start of the capture, rounded down.
'''

# pcap: draft-ietf-opsawg-pcap; magic number of files with nanoseconds.
PCAP_HEADER = struct.pack('<IHHiIII', 0xa1b23c4d, 2, 4, 0, 0, 65535, 283)
# IEEE 802.15.4 TAP link type, https://github.com/jkcko/ieee802.15.4-tap: TLV types.
TLV_FCS_TYPE, TLV_RSS, TLV_LQI = 0, 1, 10

class Ann:
    TX, RX = range(2)
    KIND = 2

class Decoder(srd.Decoder):
    api_version = 3
    id = 'ieee802154'
    name = 'IEEE 802.15.4'
    longname = 'IEEE 802.15.4 MAC frames'
    desc = 'Low-rate wireless network frames, from a radio.'
    license = 'mit'
    inputs = ['ieee802154']
    outputs = []
    tags = ['Networking', 'Wireless/RF']
    options = (
        {'id': 'packet_id', 'desc': 'Show last two octets as id', 'default': 'no', 'values': ('yes', 'no')},
    )
    annotations = (
        ('tx', 'Frame sent'),
        ('rx', 'Frame received'),
        ('control', 'Frame control'),
        ('sequence', 'Sequence number'),
        ('address', 'Address'),
        ('security', 'Security'),
        ('ie', 'Information element'),
        ('content', 'Beacon or command'),
        ('payload', 'Payload'),
        ('fcs', 'FCS'),
        ('warning', 'Warning'),
    )
    annotation_rows = (
        ('frames', 'Frames', (Ann.TX, Ann.RX)),
        ('fields', 'Fields', tuple(range(Ann.KIND, Ann.KIND + 8))),
        ('warnings', 'Warnings', (Ann.KIND + 8,)),
    )
    binary = (
        ('pcap', 'PCAP format'),
    )

    def __init__(self):
        self.reset()

    def reset(self):
        self.samplerate = None
        self.begun = False

    def start(self):
        self.out_ann = self.register(srd.OUTPUT_ANN)
        self.out_python = self.register(srd.OUTPUT_PYTHON)
        self.out_binary = self.register(srd.OUTPUT_BINARY)

    def metadata(self, key, value):
        if key == srd.SRD_CONF_SAMPLERATE:
            self.samplerate = value

    def put_pcap(self, ss, es, octets, has_fcs, lqi, rssi_dbm):
        if not self.samplerate:
            return
        tlvs = struct.pack('<HHB3x', TLV_FCS_TYPE, 1, 1 if has_fcs else 0)
        if rssi_dbm is not None:
            tlvs += struct.pack('<HHf', TLV_RSS, 4, rssi_dbm)
        if lqi is not None:
            tlvs += struct.pack('<HHB3x', TLV_LQI, 1, lqi)
        packet = struct.pack('<BBH', 0, 0, 4 + len(tlvs)) + tlvs + octets
        seconds, rest = divmod(ss, self.samplerate)
        head = struct.pack('<IIII', seconds & 0xffffffff, rest * 10**9 // self.samplerate, len(packet), len(packet))
        self.put(ss, es, self.out_binary, [0, (b'' if self.begun else PCAP_HEADER) + head + packet])
        self.begun = True

    def decode(self, ss, es, data):
        if data[0] != 'FRAME':
            return
        sent, octets, has_fcs, crc_ok, lqi, rssi_dbm = data[1]
        psdu = bytes(octet[2] for octet in octets)
        frame = Frame(psdu, has_fcs)
        way, summary = 'TX' if sent else 'RX', frame.summary()
        id_ = frame.packet_id() if self.options['packet_id'] == 'yes' else None
        tail = '' if id_ is None else ' id %d' % id_
        self.put(ss, es, self.out_ann, [Ann.TX if sent else Ann.RX, [
            '%s %d octets: %s%s' % (way, len(psdu), summary, tail), '%s: %s%s' % (way, summary, tail), summary, way]])
        for field in frame.fields:
            if field.first >= len(octets):
                first = last = octets[-1] if octets else (ss, es)
            else:
                first, last = octets[field.first], octets[max(field.first + 1, min(field.last, len(octets))) - 1]
            self.put(first[0], last[1], self.out_ann, [Ann.KIND + KINDS.index(field.kind), field.texts])
        self.put(ss, es, self.out_python, ['FRAME', {
            'sent': sent, 'octets': psdu, 'has_fcs': has_fcs, 'crc_ok': crc_ok, 'lqi': lqi, 'rssi_dbm': rssi_dbm,
            'type': frame.type, 'sequence': frame.sequence, 'pan': frame.pan,
            'source': frame.source, 'destination': frame.destination}])
        self.put_pcap(ss, es, psdu, has_fcs, lqi, rssi_dbm)

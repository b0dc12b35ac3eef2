##
## This file is part of gpiorig. SPDX-License-Identifier: MIT
## Copyright (C) 2026 the gpiorig authors
##

import heapq
import struct
from fractions import Fraction

import sigrokdecode as srd

from .bus import Bus, Nesting, damaged_texts, gap_samples, settle_samples, texts
from .table import EVENTS

from . import wiring
from .completions import LONGEST_FRAME_NS
from .packets import INITIATOR, LOST, ORDER, PARTIAL, RESPONDER, Packets
from .path import KINDS, MILESTONES
from .rows import ANNOTATIONS, NUMBERS, ROLES, ROWS, TAPS, span_id, span_texts, step_id, step_texts, tap_id

'''
OUTPUT_PYTHON format:

Packet:
[<ptype>, <pdata>]

<ptype>, <pdata>:
 - 'EVENT', (<node>, <code>, <name>, <id>): an event; <id> is None if none
   came with it. The packet's start sample is the instant of the event.
 - 'DAMAGED', (<node>, <reason>, <symbols>): a frame that is not an event, with the
   reason ('LENGTH', 'CHECK', 'CODE') and the list of its symbols, the first 64.
 - 'PACKET', (<number>, <id>, <status>, <rtt>, <milestones>, <steps>): a round
   trip; <number> counts the send calls of the initiator from 0, <status> is
   'COMPLETE' or 'PARTIAL' (a milestone is missing), <rtt> is in samples,
   <milestones> is a list of (<name>, <sample>), <steps> one of (<name>, <kind>,
   <place>, <first sample>, <last sample>).
 - 'ORDER', (<number>, <id>, <detail>): a packet whose milestones cannot be in
   that order; if it was a 'PACKET' before, it is none any more.
 - 'LOST', (<number>, <id>, <detail>): a packet without an answer. A 'PACKET' of
   that number may still follow, if the answer is later than lost_after_ms.
 - 'UNATTRIBUTED', (<node>, <code>, <name>, <id>, <reason>): an event that
   should belong to a packet and cannot be given to one.

OUTPUT_BINARY format:

Class 'milestones': records of 16 bytes in Python's struct notation '<QIHBB':
sample, number of the packet, id, kind, value. Kind 0 is a milestone, and value
its place in path.MILESTONES; kind 1 follows the milestones of a packet, with
the sample of its end, and value is what became of it: 0 complete, 1 a
milestone is missing, 2 lost, 3 out of order.

OUTPUT_META, at the end of the capture: the numbers of packets sent, answered,
lost, and out of order, of damaged frames and of unattributed events; shortest,
mean and longest round-trip time in us.
'''

RECORD = struct.Struct('<QIHBB')
CHANNELS = 32  # Each one declared costs time at every sample, in libsigrokdecode 0.5.3.
AUTO, NONE = 'auto', 'none'
STATISTICS = (
    (int, 'Packets', 'Send calls of the initiator'),
    (int, 'Round trips', 'Packets with an answer, in possible order'),
    (int, 'Lost packets', 'Packets without an answer'),
    (int, 'Packets out of order', 'Packets whose milestones cannot be in that order'),
    (int, 'Damaged frames', 'Bursts on a symbol bus that are not an event'),
    (int, 'Unattributed events', 'Events that could not be given to a packet'),
    (float, 'Shortest round trip (us)', 'Shortest round-trip time'),
    (float, 'Mean round trip (us)', 'Mean round-trip time'),
    (float, 'Longest round trip (us)', 'Longest round-trip time'),
)

class SamplerateError(Exception):
    pass

class ChannelError(Exception):
    pass

class OptionError(Exception):
    pass

class Ann:
    PACKET, PARTIAL = NUMBERS['packet'], NUMBERS['partial-packet']
    STEPS = [NUMBERS[step_id(name)] for name, _ in KINDS]
    DAMAGED, LOST = NUMBERS['damaged'], NUMBERS['lost']
    ORDER, UNATTRIBUTED = NUMBERS['disorder'], NUMBERS['unattributed']
    EVENTS = [NUMBERS['%s-event' % role] for role in ROLES]
    OTHERS = NUMBERS['other-event']

class Decoder(srd.Decoder):
    api_version = 3
    id = 'gpio_timeline'
    name = 'Timeline'
    longname = 'Packet timelines across nodes'
    desc = 'Round trips of packets and their steps, from GPIO events.'
    license = 'mit'
    inputs = ['logic']
    outputs = ['gpio_timeline']
    tags = ['Debug/trace', 'Embedded/industrial', 'Networking']
    optional_channels = tuple(
        {'id': 'ch%d' % i, 'name': 'CH%d' % i, 'desc': 'Channel %d of option wiring' % i}
        for i in range(CHANNELS)
    )
    options = (
        {'id': 'wiring', 'desc': 'Nodes and their lines', 'default': ''},
        {'id': 'lost_after_ms', 'desc': 'Unanswered packets are lost after (ms)', 'default': 1000},
        {'id': 'absent', 'desc': 'Milestones that no packet has', 'default': AUTO},
    )
    annotations = ANNOTATIONS
    annotation_rows = ROWS
    binary = (
        ('milestones', 'Milestone records'),
    )

    def __init__(self):
        self.reset()

    def reset(self):
        self.samplerate = None
        self.pending = []  # Events that an earlier one may yet precede: (sample, node, place, code, id).
        self.rtts = {}     # Of packets by number, in samples.
        self.counts = dict.fromkeys((Ann.DAMAGED, Ann.LOST, Ann.ORDER, Ann.UNATTRIBUTED), 0)
        self.lost = set()  # Numbers of packets.
        self.open_taps = {}

    def start(self):
        self.out_ann = self.register(srd.OUTPUT_ANN)
        self.out_python = self.register(srd.OUTPUT_PYTHON)
        self.out_binary = self.register(srd.OUTPUT_BINARY)
        self.out_meta = [self.register(srd.OUTPUT_META, meta=row) for row in STATISTICS]

    def metadata(self, key, value):
        if key == srd.SRD_CONF_SAMPLERATE:
            self.samplerate = value

    def prepare(self, pins):
        if not self.samplerate:
            raise SamplerateError('Cannot decode without samplerate.')
        self.nodes = wiring.parse(self.options['wiring'])
        self.buses = {}
        self.lines = {}  # Channel -> (node, place, code of the enter).
        for n, node in enumerate(self.nodes):
            for channel in node.channels():
                if channel >= CHANNELS or pins[channel] == 0xff:
                    raise ChannelError('Option wiring: channel ch%d of node "%s" is not connected.'
                                       % (channel, node.name))
            gap = gap_samples(node.numbers['gap'], self.samplerate)
            settle = settle_samples(node.numbers['settle'], self.samplerate)
            if gap < 2:
                raise SamplerateError('The frame gap of node "%s" is shorter than two samples.' % node.name)
            if node.strobe is not None:
                self.buses[n] = Bus(node.strobe, node.data, gap, settle, pins)
            for place, (channel, code) in enumerate(node.spans, 1):
                self.lines[channel] = n, place, code
        self.nesting = [Nesting() for _ in self.nodes]
        # The mark of a request is the responder's.
        headers = [round(self.samples(self.nodes[n].numbers['header'], 10**9)) for n in (RESPONDER, INITIATOR)]
        self.packets = Packets(self, headers, int(self.samples(LONGEST_FRAME_NS, 10**9)),
                               max(1, int(self.samples(self.options['lost_after_ms'], 1000))), self.absent(),
                               [[code for _, code in node.spans] for node in self.nodes[:2]])

    def samples(self, time, per_second):
        return Fraction(time, per_second) * self.samplerate

    def absent(self):
        '''The columns of the milestones that no packet has; None where that is not known.'''
        text = self.options['absent']
        if text == AUTO:
            return None
        columns = set()
        for name in () if text in ('', NONE) else text.split('+'):
            of_name = {c for c, row in enumerate(MILESTONES) if name in (row[0], row[0].partition('.')[2])}
            if not of_name:
                raise OptionError('Option absent: there is no milestone "%s".' % name)
            columns |= of_name
        return frozenset(columns - {0, len(MILESTONES) - 1})

    def text_of(self, samples):
        '''A time in us, with three digits after the point.'''
        ns = round(samples * 10**9 / self.samplerate)
        return '%s%d.%03d' % ('-' if ns < 0 else '', abs(ns) // 1000, abs(ns) % 1000)

    def put_event(self, n, ss, es, place, code, id_):
        name, _, kind, _ = EVENTS[code]
        self.put(ss, es, self.out_python, ['EVENT', (self.nodes[n].name, code, name, id_)])
        if n > RESPONDER:
            labels = texts(name, kind, id_)
            self.put(ss, es, self.out_ann, [Ann.OTHERS, ['%s: %s' % (self.nodes[n].name, labels[0])] + labels])
            return
        self.put(ss, es, self.out_ann, [Ann.EVENTS[n], texts(name, kind, id_)])
        point = name.rpartition('.')[0]
        if point in TAPS:
            self.put_tap(NUMBERS[tap_id(ROLES[n], point)], ss, point, kind)
        else:
            self.put_span(n, ss, code, id_)
        heapq.heappush(self.pending, (ss, n, place, code, id_))

    def put_span(self, n, sample, code, id_):
        span = self.nesting[n].track(sample, code, id_)
        if span:
            _, since, enter, enter_id = span
            layer = EVENTS[enter][1]
            inside = any(EVENTS[outer[0]][1] == layer for outer in self.nesting[n].stack)
            self.put(since, sample, self.out_ann,
                     [NUMBERS[span_id(ROLES[n], layer, inside)], span_texts(enter, enter_id)])

    def put_tap(self, ann_class, sample, point, kind):
        if kind == 'enter':
            self.open_taps[ann_class] = sample
        elif ann_class in self.open_taps:
            name = point.rpartition('.')[2]
            self.put(self.open_taps.pop(ann_class), sample, self.out_ann,
                     [ann_class, [point, name, name.partition('_')[0], name[0]]])

    def put_frame(self, n, frame):
        if frame is None:
            return
        if frame.reason is None:
            self.put_event(n, frame.ss, frame.es, 0, frame.code, frame.id)
            return
        name = self.nodes[n].name
        self.warn(frame.ss, frame.es, Ann.DAMAGED,
                  ['%s: %s' % (name, damaged_texts(frame)[0])] + damaged_texts(frame))
        self.put(frame.ss, frame.es, self.out_python, ['DAMAGED', (name, frame.reason, frame.symbols)])

    def warn(self, ss, es, ann_class, text):
        self.counts[ann_class] += 1
        self.put(ss, es, self.out_ann, [ann_class, text])

    def timeline(self, timeline):
        '''What became of a packet (the listener of Packets).'''
        packet = timeline.packet
        for column, sample in timeline.milestones:
            self.put_record(sample, packet, 0, column)
        self.put_record(timeline.end, packet, 1, timeline.status)
        if timeline.status in (LOST, ORDER):
            self.put_failed(timeline)
            return
        self.rtts[packet.number] = timeline.rtt
        self.lost.discard(packet.number)
        steps = [(name, kind, ' > '.join(self.nodes[role].name for role in place), ss, es)
                 for ss, es, name, kind, place in timeline.steps()]
        us = self.text_of(timeline.rtt)
        more = ', late' if packet.lost else ''
        more += ', missing: %s' % ', '.join(timeline.missing) if timeline.missing else ''
        self.put(timeline.start, timeline.end, self.out_ann, [Ann.PARTIAL if timeline.missing else Ann.PACKET, [
            'Packet %d: RTT %s us, %d samples%s' % (packet.id, us, timeline.rtt, more),
            'Packet %d: RTT %s us' % (packet.id, us), '%d: %s us' % (packet.id, us), '%d' % packet.id]])
        for name, kind, place, ss, es in steps:
            us = float((es - ss) * 10**6 / self.samplerate)
            self.put(ss, es, self.out_ann, [
                Ann.STEPS[kind], step_texts(name, place, self.text_of(es - ss), us, es - ss)])
        names = [(MILESTONES[column][0], sample) for column, sample in timeline.milestones]
        status = 'PARTIAL' if timeline.status == PARTIAL else 'COMPLETE'
        self.put(timeline.start, timeline.end, self.out_python,
                 ['PACKET', (packet.number, packet.id, status, timeline.rtt, names, steps)])

    def put_failed(self, failed):
        packet, lost = failed.packet, failed.status == LOST
        (self.lost.add if lost else self.lost.discard)(packet.number)
        outcome = 'lost' if lost else 'out of order'
        ss, es = failed.start, max(failed.start + 1, *(sample for _, sample in failed.milestones))
        self.warn(ss, es, Ann.LOST if lost else Ann.ORDER, [
            'Packet %d: %s, %s' % (packet.id, outcome, failed.detail()), 'Packet %d: %s' % (packet.id, outcome),
            '%d: %s' % (packet.id, outcome), outcome.capitalize(), outcome[0].upper()])
        self.put(ss, es, self.out_python,
                 ['LOST' if lost else 'ORDER', (packet.number, packet.id, failed.detail())])

    def withdrawn(self, packet, event, name):
        '''A late event shows that the order of a packet reported before cannot be (the listener of Packets).'''
        detail = '%s comes after the answer' % name
        self.rtts.pop(packet.number, None)
        self.warn(event.sample, event.sample + 1, Ann.ORDER, [
            'Packet %d: out of order, %s' % (packet.id, detail), 'Packet %d: out of order' % packet.id,
            'Out of order', 'O'])
        self.put_record(event.sample, packet, 1, ORDER)
        self.put(event.sample, event.sample + 1, self.out_python, ['ORDER', (packet.number, packet.id, detail)])

    def unattributed(self, event, reason):
        '''An event of no packet that should be of one (the listener of Packets).'''
        name, node = EVENTS[event.code][0], self.nodes[event.role].name
        self.warn(event.sample, event.sample + 1, Ann.UNATTRIBUTED, [
            'Unattributed: %s of %s: %s' % (name, node, reason), 'Unattributed: %s' % name, 'Unattributed', 'U'])
        self.put(event.sample, event.sample + 1, self.out_python,
                 ['UNATTRIBUTED', (node, event.code, name, event.id, reason)])

    def put_record(self, sample, packet, kind, value):
        # A packet may begin on the air before the capture did.
        self.put(max(sample, 0), max(sample, 0), self.out_binary,
                 [0, RECORD.pack(max(sample, 0), packet.number & 0xffffffff, packet.id, kind, value)])

    def put_statistics(self):
        rtts = sorted(self.rtts.values())
        values = [self.packets.sent, len(rtts), len(self.lost), self.counts[Ann.ORDER], self.counts[Ann.DAMAGED],
                 self.counts[Ann.UNATTRIBUTED]]
        if rtts:
            values += [samples * 1e6 / self.samplerate for samples in (rtts[0], sum(rtts) / len(rtts), rtts[-1])]
        for out, value in zip(self.out_meta, values):
            self.put(0, self.samplenum, out, value)

    def release(self):
        '''Follow the packets up to the first event that may still be under way.'''
        before = self.samplenum + 1
        for n in (INITIATOR, RESPONDER):
            first = self.buses[n].holds_back() if n in self.buses else None
            if first is not None and first < before:
                before = first
        while self.pending and self.pending[0][0] < before:
            sample, n, _, code, id_ = heapq.heappop(self.pending)
            self.packets.feed(sample, n, code, id_)
        self.packets.give_up(min(before, self.samplenum))

    def finish(self):
        '''The capture has ended, which counts as a gap.'''
        for n, bus in self.buses.items():
            self.put_frame(n, bus.finish())
        self.release()
        self.packets.finish()
        self.put_statistics()

    def decode(self):
        pins = self.wait({'skip': 0})
        self.prepare(pins)
        try:
            self.run(pins)
        except (EOFError, SystemError):
            # libsigrokdecode 0.5.3 ends a blocked wait() with a SystemError,
            # later ones with EOFError.
            self.finish()
            raise

    def run(self, pins):
        buses, lines = list(self.buses.items()), list(self.lines.items())
        watch = [{bus.strobe: 'e'} for _, bus in buses] + [{channel: 'e'} for channel, _ in lines]
        while True:
            before = pins
            due = self.packets.deadline()
            if due is not None and due <= self.samplenum:
                due = None  # A frame under way holds it back.
            for _, bus in buses:
                if bus.due is not None and (due is None or bus.due < due):
                    due = bus.due
            pins = self.wait(watch if due is None else watch + [{'skip': due - self.samplenum}])
            for n, bus in buses:
                if bus.due is not None or pins[bus.strobe] != bus.level:
                    self.put_frame(n, bus.look(self.samplenum, pins))
            for channel, (n, place, code) in lines:
                if pins[channel] != before[channel]:
                    self.put_event(n, self.samplenum, self.samplenum + 1, place, code + (not pins[channel]), None)
            if self.pending or self.packets.waiting:
                self.release()

##
## This file is part of gpiorig. SPDX-License-Identifier: MIT
## Copyright (C) 2026 the gpiorig authors
##

import struct

import sigrokdecode as srd

from .bus import Bus, Nesting, damaged_texts, gap_samples, settle_samples, span_texts, texts
from .table import EVENTS, LAYERS

'''
OUTPUT_PYTHON format:

Packet:
[<ptype>, <pdata>]

<ptype>, <pdata>:
 - 'EVENT', (<node>, <code>, <name>, <id>): an event; <id> is None if none
   came with it. The packet's start sample is the instant of the event.
 - 'DAMAGED', (<node>, <reason>, <symbols>): a frame that is not an event, with the
   reason ('LENGTH', 'CHECK', 'CODE') and the list of its symbols, the first 64.

<node> is the option node_name, or where that is empty the option node.

OUTPUT_BINARY format:

Class 'events': one record of 16 bytes per event or damaged frame, in Python's
struct notation '<QBBHI': sample, node, code, id, flags. Flags: 1 the event
has an id, 2 damaged frame (code is 0, id is the number of its symbols,
65535 at most), 4 edge of a span line. Records of one decoder are in the order
of their emission: a frame's record comes when its gap has passed, after those
of span edges inside it. Sort by sample.

OUTPUT_META, at the end of the capture: the numbers of events and of damaged
frames; the shortest symbol, the widest spacing of symbols within a frame and
the shortest quiet time between two frames, in ns. The frame gap must lie
between the last two, and the shortest symbol must last two samples.
'''

RECORD = struct.Struct('<QBBHI')
HAS_ID, DAMAGED, SPAN_LINE = 1, 2, 4

SPAN_LINES = 4
DEPTHS = 16

STROBE = 0
DATA = 1
SPAN = DATA + 8

STATISTICS = (
    ('Events', 'Number of events'),
    ('Damaged frames', 'Number of damaged frames'),
    ('Shortest symbol (ns)', 'Shortest time between two strobe edges of a burst'),
    ('Widest symbol spacing (ns)', 'Longest time between two strobe edges of a good frame'),
    ('Shortest quiet time (ns)', 'Shortest time between two bursts'),
)

class SamplerateError(Exception):
    pass

class ChannelError(Exception):
    pass

class PointError(Exception):
    pass

class Ann:
    STACK = len(LAYERS)
    WARNING = STACK + DEPTHS

class Decoder(srd.Decoder):
    api_version = 3
    id = 'gpio_probe'
    name = 'GPIO probe'
    longname = 'Firmware events on GPIO lines'
    desc = 'Packet and interrupt events that firmware writes to pins.'
    license = 'mit'
    inputs = ['logic']
    outputs = ['gpio_probe']
    tags = ['Debug/trace', 'Embedded/industrial', 'Networking']
    channels = (
        {'id': 'strobe', 'name': 'Strobe', 'desc': 'Toggles once per symbol'},
    )
    optional_channels = tuple(
        {'id': 'd%d' % i, 'name': 'D%d' % i, 'desc': 'Data line %d' % i}
        for i in range(8)
    ) + tuple(
        {'id': 'span%d' % i, 'name': 'Span %d' % i,
            'desc': 'High from enter to exit of the point in option span%d' % i}
        for i in range(SPAN_LINES)
    )
    options = (
        {'id': 'width', 'desc': 'Data lines', 'default': 2, 'values': (1, 2, 4, 8)},
        {'id': 'node', 'desc': 'Node number', 'default': 0},
        {'id': 'node_name', 'desc': 'Node name', 'default': ''},
        {'id': 'frame_gap_ns', 'desc': 'Frame gap (ns)', 'default': 280},
        {'id': 'settle_ns', 'desc': 'Strobe to data, one sample at least (ns)', 'default': 0},
        {'id': 'span0_point', 'desc': 'Point of line span0', 'default': 'tap.irq'},
        {'id': 'span1_point', 'desc': 'Point of line span1', 'default': 'tap.frame_timestamp'},
        {'id': 'span2_point', 'desc': 'Point of line span2', 'default': 'tap.slp_tr'},
        {'id': 'span3_point', 'desc': 'Point of line span3', 'default': 'tap.select'},
    )
    annotations = tuple(
        (layer, 'Event of layer %s' % layer) for layer in LAYERS
    ) + tuple(
        ('stack%d' % i, 'Span at depth %d' % i) for i in range(DEPTHS)
    ) + (
        ('warning', 'Damaged frame'),
    )
    annotation_rows = (
        ('warnings', 'Warnings', (Ann.WARNING,)),
    ) + tuple(
        ('%s-events' % layer, layer, (i,)) for i, layer in enumerate(LAYERS)
    ) + tuple(
        ('stack-%d' % i, 'Stack %d' % i, (Ann.STACK + i,)) for i in range(DEPTHS)
    )
    binary = (
        ('events', 'Event records'),
    )

    def __init__(self):
        self.reset()

    def reset(self):
        self.samplerate = None
        self.nesting = Nesting()
        self.events = 0
        self.damaged = 0

    def start(self):
        self.out_ann = self.register(srd.OUTPUT_ANN)
        self.out_python = self.register(srd.OUTPUT_PYTHON)
        self.out_binary = self.register(srd.OUTPUT_BINARY)
        self.out_meta = [
            self.register(srd.OUTPUT_META, meta=(int, name, desc)) for name, desc in STATISTICS]

    def metadata(self, key, value):
        if key == srd.SRD_CONF_SAMPLERATE:
            self.samplerate = value

    def prepare(self):
        if not self.samplerate:
            raise SamplerateError('Cannot decode without samplerate.')
        self.width = self.options['width']
        self.node = self.options['node'] & 0xff  # A byte of the records.
        self.node_name = self.options['node_name'] or self.options['node']
        self.gap = gap_samples(self.options['frame_gap_ns'], self.samplerate)
        self.settle = settle_samples(self.options['settle_ns'], self.samplerate)
        if self.gap < 2:
            raise SamplerateError('The frame gap is shorter than two samples.')

    def span_codes(self, pins):
        '''Of every mapped span line, the code of its point's enter.'''
        names = {event[0]: code for code, event in EVENTS.items()}
        codes = {}
        for i in range(SPAN_LINES):
            if pins[SPAN + i] == 0xff:
                continue
            point = self.options['span%d_point' % i]
            if point + '.enter' not in names:
                raise PointError('Option span%d_point: the event table has no span "%s".' % (i, point))
            codes[SPAN + i] = names[point + '.enter']
        return codes

    def put_event(self, ss, es, code, id_, flags):
        name, layer, kind, _ = EVENTS[code]
        self.events += 1
        self.put(ss, es, self.out_ann, [LAYERS.index(layer), texts(name, kind, id_)])
        self.put(ss, es, self.out_python, ['EVENT', (self.node_name, code, name, id_)])
        flags |= 0 if id_ is None else HAS_ID
        self.put(ss, es, self.out_binary,
                 [0, RECORD.pack(ss, self.node, code, id_ or 0, flags)])

    def put_damaged(self, frame):
        self.damaged += 1
        self.put(frame.ss, frame.es, self.out_ann, [Ann.WARNING, damaged_texts(frame)])
        self.put(frame.ss, frame.es, self.out_python,
                 ['DAMAGED', (self.node_name, frame.reason, frame.symbols)])
        self.put(frame.ss, frame.es, self.out_binary,
                 [0, RECORD.pack(frame.ss, self.node, 0, min(frame.count, 0xffff), DAMAGED)])

    def put_frame(self, frame):
        if frame is None:
            return
        if frame.reason:
            self.put_damaged(frame)
            return
        self.put_event(frame.ss, frame.es, frame.code, frame.id, 0)
        span = self.nesting.track(frame.ss, frame.code, frame.id)
        if span:
            depth, since, code, id_ = span
            self.put(since, frame.ss, self.out_ann,
                     [Ann.STACK + min(depth, DEPTHS - 1), span_texts(code, id_)])

    def put_statistics(self):
        values = [self.events, self.damaged] + [
            None if samples is None else samples * 10**9 // self.samplerate
            for samples in (self.bus.shortest, self.bus.widest, self.bus.quiet)]
        for out, value in zip(self.out_meta, values):
            if value is not None:
                self.put(0, self.samplenum, out, value)

    def line_edge(self, i, level):
        '''A span line: the event at its edge.'''
        code = self.codes[i] + (0 if level else 1)
        self.put_event(self.samplenum, self.samplenum + 1, code, None, SPAN_LINE)

    def decode(self):
        self.prepare()
        pins = self.wait({'skip': 0})
        for i in range(self.width):
            if pins[DATA + i] == 0xff:
                raise ChannelError('Data line d%d has no channel.' % i)
        self.codes = self.span_codes(pins)
        self.bus = Bus(STROBE, range(DATA, DATA + self.width), self.gap, self.settle, pins)
        try:
            self.run(list(self.codes), pins)
        except (EOFError, SystemError):
            # The end of the capture counts as a gap. libsigrokdecode 0.5.3
            # ends a blocked wait() with a SystemError, later ones with EOFError.
            self.put_frame(self.bus.finish())
            self.put_statistics()
            raise

    def run(self, lines, pins):
        watch = [{STROBE: 'e'}] + [{i: 'e'} for i in lines]
        while True:
            before = pins
            if self.bus.due is None:
                pins = self.wait(watch)
            else:
                pins = self.wait(watch + [{'skip': self.bus.due - self.samplenum}])
            self.put_frame(self.bus.look(self.samplenum, pins))
            for i in lines:
                if pins[i] != before[i]:
                    self.line_edge(i, pins[i])

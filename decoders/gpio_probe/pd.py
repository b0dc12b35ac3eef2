##
## This file is part of gpiorig. SPDX-License-Identifier: MIT
## Copyright (C) 2026 the gpiorig authors
##

import struct

import sigrokdecode as srd

from .table import EVENTS, LAYERS

'''
OUTPUT_PYTHON format:

Packet:
[<ptype>, <pdata>]

<ptype>, <pdata>:
 - 'EVENT', (<node>, <code>, <name>, <id>): an event; <id> is None if none
   came with it. The packet's start sample is the instant of the event.
 - 'DAMAGED', (<node>, <reason>, <symbols>): a frame that is no event, with the
   reason ('LENGTH', 'CHECK', 'CODE') and the list of its symbols.

<node> is the option node_name, or where that is empty the option node.

OUTPUT_BINARY format:

Class 'events': one record of 16 bytes per event or damaged frame, in Python's
struct notation '<QBBHI': sample, node, code, id, flags. Flags: 1 the event
has an id, 2 damaged frame (code is 0, id is the number of its symbols,
65535 at most), 4 edge of a span line. Records of one decoder are in the order
of their emission: a frame's record comes when its gap has passed, after those
of span edges inside it. Sort by sample.
'''

RECORD = struct.Struct('<QBBHI')
HAS_ID, DAMAGED, SPAN_LINE = 1, 2, 4

SPAN_LINES = 4
DEPTHS = 16
CHECK_START = 9

STROBE = 0
DATA = 1
SPAN = DATA + 8

class SamplerateError(Exception):
    pass

class ChannelError(Exception):
    pass

class PointError(Exception):
    pass

class Ann:
    STACK = len(LAYERS)
    WARNING = STACK + DEPTHS

def check_of(nibbles):
    c = CHECK_START
    for n in nibbles:
        c = ((c << 1) & 0xf | c >> 3) ^ n
    return c

def texts(name, kind, id_):
    '''Texts of one event, longest first.'''
    point = name.rpartition('.')[0]
    sign = {'enter': '>', 'exit': '<'}.get(kind)
    stem = point if sign else name
    tail = '' if id_ is None else ' %d' % id_
    long_tail = '' if id_ is None else ' id %d' % id_
    short = stem.rpartition('.')[2]
    if sign:
        return [name + long_tail, '%s %s%s' % (stem, sign, tail),
                '%s %s' % (stem, sign), short + sign, sign]
    return [name + long_tail, name + tail, name, short, short[0]]

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
        {'id': 'frame_gap_ns', 'desc': 'Frame gap (ns)', 'default': 400},
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
        self.edges = []    # Strobe edges of the frame under way.
        self.symbols = []  # And its symbols, one behind while the last settles.
        self.stack = []    # Open spans: [code of enter, id, sample].

    def start(self):
        self.out_ann = self.register(srd.OUTPUT_ANN)
        self.out_python = self.register(srd.OUTPUT_PYTHON)
        self.out_binary = self.register(srd.OUTPUT_BINARY)

    def metadata(self, key, value):
        if key == srd.SRD_CONF_SAMPLERATE:
            self.samplerate = value

    def prepare(self):
        if not self.samplerate:
            raise SamplerateError('Cannot decode without samplerate.')
        self.width = self.options['width']
        self.node = self.options['node']
        self.node_name = self.options['node_name'] or self.node
        self.gap = -(-self.options['frame_gap_ns'] * self.samplerate // 10**9)
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

    def symbol_of(self, pins):
        symbol = 0
        for i in range(self.width):
            symbol |= pins[DATA + i] << i
        return symbol

    def put_event(self, ss, es, code, id_, flags):
        name, layer, kind, _ = EVENTS[code]
        self.put(ss, es, self.out_ann, [LAYERS.index(layer), texts(name, kind, id_)])
        self.put(ss, es, self.out_python, ['EVENT', (self.node_name, code, name, id_)])
        flags |= 0 if id_ is None else HAS_ID
        self.put(ss, es, self.out_binary,
                 [0, RECORD.pack(ss, self.node, code, id_ or 0, flags)])

    def put_damaged(self, ss, es, reason, symbols):
        n = len(symbols)
        said = {'LENGTH': 'wrong number of symbols', 'CHECK': 'wrong check',
                'CODE': 'unknown event code'}[reason]
        self.put(ss, es, self.out_ann, [Ann.WARNING, [
            'Damaged frame: %s (%d symbols: %s)' % (said, n, ' '.join('%x' % s for s in symbols)),
            'Damaged frame: %s' % said, 'Damaged', 'D']])
        self.put(ss, es, self.out_python, ['DAMAGED', (self.node_name, reason, symbols)])
        self.put(ss, es, self.out_binary,
                 [0, RECORD.pack(ss, self.node, 0, min(n, 0xffff), DAMAGED)])

    def put_span(self, depth, ss, es, code, id_):
        point = EVENTS[code][0].rpartition('.')[0]
        tail = '' if id_ is None else ' %d' % id_
        self.put(ss, es, self.out_ann, [Ann.STACK + min(depth, DEPTHS - 1),
                 [point + tail, point, point.rpartition('.')[2], point[0]]])

    def track(self, sample, code, id_):
        '''Follow the nesting of spans; one whose exit was lost is dropped with its outer one's exit.'''
        kind = EVENTS[code][2]
        if kind == 'enter':
            self.stack.append([code, id_, sample])
        elif kind == 'exit':
            for depth in range(len(self.stack) - 1, -1, -1):
                enter, enter_id, since = self.stack[depth]
                if enter == code - 1:
                    self.put_span(depth, since, sample, enter, enter_id if id_ is None else id_)
                    del self.stack[depth:]
                    break

    def judge(self):
        '''The reason why the frame is damaged, or None; its code; its id.'''
        symbols, width = self.symbols, self.width
        bits = 0
        for s in symbols:
            bits = bits << width | s
        count = len(symbols) * width
        check_bits = 8 if width == 8 else 4
        if count < 8 + check_bits:
            return 'LENGTH', 0, None
        header = bits >> count - 8
        payload = 24 if header & 0x80 else 8
        if count != payload + check_bits:
            return 'LENGTH', 0, None
        body = bits >> check_bits
        c = check_of([body >> shift & 0xf for shift in range(payload - 4, -1, -4)])
        if width == 8:
            c |= (c ^ 0xf) << 4
        if bits & (1 << check_bits) - 1 != c:
            return 'CHECK', 0, None
        code = header & 0x7f
        if code not in EVENTS:
            return 'CODE', 0, None
        return None, code, body & 0xffff if payload == 24 else None

    def finish(self):
        '''The gap has passed: the frame is whole.'''
        if not self.edges:
            return
        ss, last = self.edges[0], self.edges[-1]
        es = last + max(1, (last - ss) // max(1, len(self.edges) - 1))
        reason, code, id_ = self.judge()
        if reason:
            self.put_damaged(ss, es, reason, self.symbols)
        else:
            self.put_event(ss, es, code, id_, 0)
            self.track(ss, code, id_)
        self.edges, self.symbols = [], []

    def line_edge(self, i, level):
        '''A span line: the event at its edge, and the span when it ends.'''
        code = self.codes[i] + (0 if level else 1)
        self.put_event(self.samplenum, self.samplenum + 1, code, None, SPAN_LINE)

    def decode(self):
        self.prepare()
        pins = self.wait({'skip': 0})
        for i in range(self.width):
            if pins[DATA + i] == 0xff:
                raise ChannelError('Data line d%d has no channel.' % i)
        self.codes = self.span_codes(pins)
        try:
            self.run(list(self.codes), pins)
        except (EOFError, SystemError):
            # The end of the capture counts as a gap. libsigrokdecode 0.5.3
            # ends a blocked wait() with a SystemError, later ones with EOFError.
            if len(self.symbols) < len(self.edges):
                self.symbols.append(self.settling)
            self.finish()
            raise

    def run(self, lines, pins):
        watch = [{STROBE: 'e'}] + [{i: 'e'} for i in lines]
        before = pins
        while True:
            # Data is read one sample after the strobe edge: a skew of one
            # sample between the lines does no harm.
            if len(self.symbols) < len(self.edges):
                self.settling = self.symbol_of(before)
                pins = self.wait(watch + [{'skip': self.edges[-1] + 1 - self.samplenum}])
                self.symbols.append(self.symbol_of(pins))
            elif self.edges:
                pins = self.wait(watch + [{'skip': self.edges[-1] + self.gap - self.samplenum}])
            else:
                pins = self.wait(watch)
            if self.edges and self.samplenum - self.edges[-1] >= self.gap:
                self.finish()
            for i in lines:
                if pins[i] != before[i]:
                    self.line_edge(i, pins[i])
            if pins[STROBE] != before[STROBE]:
                self.edges.append(self.samplenum)
            before = pins

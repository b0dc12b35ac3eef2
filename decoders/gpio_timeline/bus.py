# Generated from decoders/gpio_probe/bus.py by `make generate`. Do not edit.
##
## This file is part of gpiorig. SPDX-License-Identifier: MIT
## Copyright (C) 2026 the gpiorig authors
##

'''
The symbol bus of docs/reference/line-code.md, and the nesting of spans: what the
decoders gpio_probe and gpio_timeline share.
'''

from .table import EVENTS

CHECK_START = 9
LONGEST_FRAME = 28  # Symbols: 24 bits and a check of 4 on one data line.
KEPT_SYMBOLS = 64   # Of a longer burst only the number is known.
DEEPEST = 256       # Open spans that are remembered, where exits are missing.

def check_of(nibbles):
    c = CHECK_START
    for n in nibbles:
        c = ((c << 1) & 0xf | c >> 3) ^ n
    return c

def gap_samples(gap_ns, samplerate):
    '''The frame gap in samples, rounded up.'''
    return -(-gap_ns * samplerate // 10**9)

def settle_samples(settle_ns, samplerate):
    '''The samples from a strobe edge to its data, rounded up, one at least.'''
    return max(1, -(-settle_ns * samplerate // 10**9))

def judge(symbols, width):
    '''The reason why a frame is damaged, or None; its code; its id.'''
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

class Frame:
    '''What lay between two gaps: an event, or damaged for a reason.'''

    def __init__(self, ss, es, count, symbols, width):
        self.ss, self.es = ss, es
        self.count = count      # Of symbols.
        self.symbols = symbols  # The first of them.
        self.reason, self.code, self.id = judge(symbols, width)

class Bus:
    '''
    One symbol bus. look() wants to be called at every strobe edge, and at the
    sample `due`, where that is not None; other calls do no harm.
    '''

    def __init__(self, strobe, data, gap, settle, pins):
        self.strobe = strobe  # Numbers of the pins.
        self.data = data
        self.gap = gap
        self.settle_samples = settle
        self.level = pins[strobe]
        self.symbol = 0
        self.shortest = None  # Samples: symbol,
        self.widest = None    # spacing of symbols in good frames,
        self.quiet = None     # and time between two frames.
        self.last = None
        self.clear()

    def clear(self):
        self.first = None  # Edge that opened the frame under way.
        self.count = 0     # Its edges.
        self.symbols = []  # And its symbols, one late while the last settles.
        self.settling = False
        self.apart = 0
        self.due = None

    def holds_back(self):
        '''The sample of the event that the burst under way may yet become; None if none can.'''
        return self.first if self.count <= LONGEST_FRAME else None

    def settle(self):
        self.settling = False
        self.due = self.last + self.gap
        if len(self.symbols) < KEPT_SYMBOLS:
            self.symbols.append(self.symbol)

    def look(self, sample, pins):
        '''Take the levels at a sample; returns the frame that ended before it, or None.'''
        frame = None
        # Data is read one sample of its analyzer after the strobe edge, or at the
        # next one: a skew of one sample between the lines does no harm.
        if self.settling and (sample >= self.due or pins[self.strobe] != self.level):
            self.symbol = self.symbol_of(pins)
            self.settle()
        if self.first is not None and sample - self.last >= self.gap:
            frame = self.finish()
        if pins[self.strobe] != self.level:
            self.level = pins[self.strobe]
            self.edge(sample)
            self.symbol = self.symbol_of(pins)
        return frame

    def edge(self, sample):
        if self.first is None:
            self.first = sample
            if self.last is not None:
                self.quiet = least(self.quiet, sample - self.last)
        else:
            self.shortest = least(self.shortest, sample - self.last)
            self.apart = max(self.apart, sample - self.last)
        self.last = sample
        self.count += 1
        self.settling = True
        self.due = sample + self.settle_samples

    def symbol_of(self, pins):
        symbol = 0
        for i, pin in enumerate(self.data):
            symbol |= pins[pin] << i
        return symbol

    def finish(self):
        '''The gap has passed, or the capture ended: the frame under way is complete. None if there is none.'''
        if self.first is None:
            return None
        if self.settling:
            self.settle()
        es = self.last + max(1, (self.last - self.first) // max(1, self.count - 1))
        frame = Frame(self.first, es, self.count, self.symbols, len(self.data))
        if frame.reason is None:
            self.widest = max(self.widest or 0, self.apart)
        self.clear()
        return frame

def least(known, value):
    return value if known is None else min(known, value)

class Nesting:
    '''Follows the nesting of spans on one node.'''

    def __init__(self):
        self.stack = []  # Open spans: [code of enter, id, sample].

    def track(self, sample, code, id_):
        '''
        Returns (depth, start, code of enter, id) of the span that an event
        ends, None if it ends none. A span whose exit was lost is dropped with
        its outer one's exit.
        '''
        kind = EVENTS[code][2]
        if kind == 'enter':
            self.stack.append([code, id_, sample])
            del self.stack[:-DEEPEST]
        elif kind == 'exit':
            for depth in range(len(self.stack) - 1, -1, -1):
                enter, enter_id, since = self.stack[depth]
                if enter == code - 1:
                    del self.stack[depth:]
                    return depth, since, enter, enter_id if id_ is None else id_
        return None

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

def span_texts(code, id_):
    '''Texts of one span, longest first, from the code of its enter.'''
    point = EVENTS[code][0].rpartition('.')[0]
    tail = '' if id_ is None else ' %d' % id_
    layer, _, short = point.rpartition('.')
    if short in ('tx', 'rx'):  # Which layers have in common.
        short = {'sixlowpan': '6lo'}.get(layer, layer)
    return [point + tail, point, short, short[0]]

def damaged_texts(frame):
    reason = {'LENGTH': 'wrong number of symbols', 'CHECK': 'wrong check',
            'CODE': 'unknown event code'}[frame.reason]
    more = ' ...' if frame.count > len(frame.symbols) else ''
    shown = ' '.join('%x' % s for s in frame.symbols) + more
    return ['Damaged frame: %s (%d symbols: %s)' % (reason, frame.count, shown),
            'Damaged frame: %s' % reason, 'Damaged', 'D']

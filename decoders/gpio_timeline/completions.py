##
## This file is part of gpiorig. SPDX-License-Identifier: MIT
## Copyright (C) 2026 the gpiorig authors
##

'''
Which interrupt brought the reception, or the end of a transmission, that
software then reports. Up to the end of driver.rx_read (or a radio.tx_* event)
nothing carries a packet id; what leads there is attributed by order, from the
completion backwards, each link to the latest occurrence that can have caused
the next one:

  tap.frame_timestamp > tap.irq > isr.radio > driver.isr > completion

The rules are those of gpiorig's analysis (completions.py there); here they
are followed event by event. A link that the node is not known to have, and of
which no event was seen yet, is skipped.
'''

from .table import EVENTS

CODES = {event[0]: code for code, event in EVENTS.items()}

def codes_of(*names):
    return tuple(CODES[name] for name in names)

RX_END = CODES['driver.rx_read.exit']
TX_ENDS = codes_of('radio.tx_complete', 'radio.tx_no_ack', 'radio.tx_busy')
OTHER_ENDS = codes_of('driver.rx_drop', 'radio.rx_crc_error')
ENDS = (RX_END,) + TX_ENDS + OTHER_ENDS
HANDLER, ISR, IRQ = LINKS = codes_of('driver.isr.enter', 'isr.radio.enter', 'tap.irq.enter')
MARK = CODES['tap.frame_timestamp.enter']
COMMAND = CODES['driver.exec.enter']
INSIDE = codes_of('driver.rx_read.enter', 'driver.rx_length.enter', 'driver.rx_length.exit',
                  'radio.rx_complete', 'radio.rx_start')
ENTERS = LINKS + (MARK,)
EXITS = {code + 1: code for code in ENTERS}
BY_ORDER = frozenset(INSIDE + ENTERS + OTHER_ENDS + tuple(EXITS))

# 127 octets and the length octet of 32 us each (IEEE 802.15.4-2006, 6.4.1
# aMaxPHYPacketSize; 250 kb/s), and 0.1 ms for the radio to raise its
# interrupt line (AT86RF231: 9 us).
LONGEST_FRAME_NS = 128 * 32000 + 100000

KEPT_INSIDE = 64    # On a node without a handler; more than a reception has.
KEPT_COMMANDS = 64  # Transmissions commanded; older ones matter to no pending interrupt.

class Completions:
    '''
    The completions of one node. feed() takes its events in order; what an
    event without an id belongs to is reported by calling settle(event,
    completion), with None for none.
    '''

    def __init__(self, longest, settle, links):
        self.longest = longest  # Samples.
        self.settle = settle
        self.waiting = {code: [] for code in ENTERS}  # What a completion to come may still take.
        self.latest = dict.fromkeys(ENTERS)
        self.has = set(links)  # Of the links, those that the node is known to have.
        self.inside = []
        self.commands = []
        self.previous = -1  # Position of the completion before.

    def feed(self, event):
        code = event.code
        if code in self.waiting:
            if self.latest[code] is not None:
                self.latest[code].after = event.position
                event.before = self.latest[code].position
            self.latest[code] = event
            self.has.add(code)
            self.waiting[code].append(event)
            if code == HANDLER:
                self.drop_inside()
            self.drop_outdated()
        elif code in EXITS:
            self.leave(event, self.latest[EXITS[code]])
        elif code in INSIDE:
            self.inside.append(event)
            if len(self.inside) > KEPT_INSIDE:
                self.settle(self.inside.pop(0), None)
        elif code == COMMAND:
            self.commands = self.commands[1 - KEPT_COMMANDS:] + [event.position]
        elif code in ENDS:
            self.complete(event)

    def leave(self, event, enter):
        '''An exit goes where the enter before it goes, if that has no exit yet.'''
        if enter is None or enter.exit is not None:
            self.settle(event, None)
            return
        enter.exit = event
        if enter.settled:
            self.settle(event, enter.completion)
        if enter.code == HANDLER:
            self.drop_inside()
            self.drop_outdated()

    def complete(self, end):
        end.links = {}
        bound, before = end, self.previous
        handler = None
        for code in LINKS:
            if code not in self.has:
                continue
            position = None if bound is None else latest_before(self.waiting[code], bound)
            if position is not None and (position.position <= before or position.exit is not None and code == HANDLER):
                position = None
            if code == HANDLER:
                handler = position
            if position is not None:
                end.links[code] = position
                before = position.before
            bound = position
        mark = self.mark_of(end, bound)
        if mark is not None:
            end.links[MARK] = mark
        self.take_inside(end, handler)
        for event in list(end.links.values()):
            if event.code in self.waiting:
                self.waiting[event.code].remove(event)
                self.resolve(event, end)
        self.settle(end, end)
        self.previous = end.position
        self.drop_outdated()

    def mark_of(self, end, bound):
        '''
        The rise of the frame time stamp line that belongs to the frame whose
        end raised the interrupt line. At a sender this is the time stamp of
        the acknowledgement, which comes after the command to send.
        '''
        position = None if bound is None else latest_before(self.waiting[MARK], bound)
        if position is None:
            return None
        command = max((c for c in self.commands if c < bound.position), default=-1)
        sent = end.code in TX_ENDS and position.position < command
        if sent or bound.sample - position.sample > self.longest:
            self.waiting[MARK].remove(position)
            self.resolve(position, None)
            return None
        return position

    def take_inside(self, end, handler):
        if HANDLER not in self.has:
            since = self.previous
        elif handler is None:
            since = end.position
        else:
            since = handler.position
        for event in self.inside:
            inside = event.position > since
            if inside:
                end.links[event.code] = event
            self.settle(event, end if inside else None)
        self.inside = []

    def drop_inside(self):
        '''A handler begins or ends: no completion to come can take what lies before.'''
        for event in self.inside:
            self.settle(event, None)
        self.inside = []

    def drop_outdated(self):
        '''Let go of what no completion to come can take.'''
        bounds, before = [None], self.previous  # None: one yet to come.
        for code in LINKS:
            if code not in self.has:
                continue
            self.waiting[code] = keep = self.takeable(code, bounds, before)
            bounds = keep + [None]
            before = -1 if self.latest[code] is None else self.latest[code].position
        self.waiting[MARK] = self.takeable(MARK, bounds, None)

    def takeable(self, code, bounds, before):
        '''The events of a link that one of the bounds can take; `before` is for the bound to come.'''
        keep = []
        for event in self.waiting[code]:
            closed = code == HANDLER and event.exit is not None
            if not closed and any(
                    is_latest(event, bound) and (code == MARK or event.position > (
                        before if bound is None else bound.before))
                    for bound in bounds):
                keep.append(event)
            else:
                self.resolve(event, None)
        return keep

    def resolve(self, event, completion):
        self.settle(event, completion)
        if event.exit is not None:
            self.settle(event.exit, completion)

    def finish(self):
        '''The capture ends: what still waits belongs to nothing.'''
        self.drop_inside()
        for code in ENTERS:
            for event in self.waiting[code]:
                self.resolve(event, None)
            self.waiting[code] = []

def is_latest(event, bound):
    '''Whether no other event of its kind lies between an event and the bound after it; None: one yet to come.'''
    if bound is None:
        return event.after is None
    return event.position < bound.position and (event.after is None or event.after > bound.position)

def latest_before(events, bound):
    '''The one of the events that is the latest of its kind before a bound, or None.'''
    for event in events:
        if is_latest(event, bound):
            return event
    return None

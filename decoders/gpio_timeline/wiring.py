##
## This file is part of gpiorig. SPDX-License-Identifier: MIT
## Copyright (C) 2026 the gpiorig authors
##

'''
The text of the option "wiring": the nodes of a bench, the first two the ones
that exchange packets, their lines with the channel each is on, and what must
be known of their boards:

  NODE/LINE@CHANNEL/LINE@CHANNEL.../gap@NS/header@NS+NODE/...

LINE is "strobe", "d0" to "d7", or a span of the event table such as "tap.irq".
"gap" is the frame gap of the symbol bus, "header" the time from the first bit
on the air to the rise of the frame time stamp line, "settle" the time from a
strobe edge to its data, one sample at least: the sample period of the analyzer
that saw the bus, where a merged recording counts in another's samples.
'''

from .table import EVENTS

NUMBERS = {'gap': 400, 'header': 0, 'settle': 0}  # ns
DATA_LINES = tuple('d%d' % i for i in range(8))
WIDTHS = (1, 2, 4, 8)
SPANS = {name.rpartition('.')[0]: code for code, (name, _, kind, _) in EVENTS.items() if kind == 'enter'}

class WiringError(Exception):
    pass

class Node:
    '''A node: the channels of its lines, and the numbers of its board.'''

    def __init__(self, text):
        self.name, *fields = text.split('/')
        self.strobe = None
        self.data = []
        self.spans = []  # (channel, code of the enter), in the order of the text.
        self.numbers = dict(NUMBERS)
        places = {}
        for field in fields:
            name, at, number = field.rpartition('@')
            if not at or not number.isdigit() or not number.isascii():
                raise WiringError('Option wiring: "%s" of node "%s" is not NAME@NUMBER.' % (field, self.name))
            if name in self.numbers:
                self.numbers[name] = int(number)
            elif name in SPANS:
                self.spans.append((int(number), SPANS[name]))
            elif name == 'strobe' or name in DATA_LINES:
                places[name] = int(number)
            else:
                raise WiringError('Option wiring: node "%s" has a line "%s"; lines are strobe, d0 to d7 '
                                  'and the spans of the event table.' % (self.name, name))
        self.place_bus(places)

    def place_bus(self, places):
        if not places:
            return
        self.strobe = places.pop('strobe', None)
        self.data = [places[name] for name in DATA_LINES if name in places]
        dense = all(name in places for name in DATA_LINES[:len(self.data)])
        if self.strobe is None or not dense or len(self.data) not in WIDTHS:
            raise WiringError('Option wiring: the symbol bus of node "%s" needs a strobe and '
                              '1, 2, 4 or 8 data lines from d0 on.' % self.name)

    def channels(self):
        bus = [] if self.strobe is None else [self.strobe, *self.data]
        return bus + [channel for channel, _ in self.spans]

def parse(text):
    '''The nodes of the option's text.'''
    nodes = [Node(part) for part in text.split('+')]
    names = [node.name for node in nodes]
    if len(nodes) < 2 or len(set(names)) < len(names) or '' in names:
        raise WiringError('Option wiring names no two nodes: "%s".' % text)
    if not any(node.channels() for node in nodes):
        raise WiringError('Option wiring names no line: "%s".' % text)
    return nodes

##
## This file is part of gpiorig. SPDX-License-Identifier: MIT
## Copyright (C) 2026 the gpiorig authors
##

'''
The annotation classes and rows: packets, their steps, and for each of the two
nodes a row per layer, in one order on both.

PulseView 0.4.2 colours an annotation by numbers alone (pv/data/decode/row.cpp,
Row::set_base_color): hue = hue of the trace + 20 * row + 55 * class. The classes
are numbered so that this comes near to the colours of gpiorig's reports, on a
trace whose own hue is BASE_HUE.
'''

from itertools import combinations

from .path import KINDS
from .table import EVENTS

BASE_HUE = 26
OF_ROW, OF_CLASS = 20, 55
ROLES = ('initiator', 'responder')
TAPS = tuple(event[0].rpartition('.')[0] for event in EVENTS.values()
             if event[0].startswith('tap.') and event[2] == 'enter')
LAYERS = tuple(dict.fromkeys(event[1] for event in EVENTS.values()
                             if event[2] == 'enter' and not event[0].startswith('tap.')))
INSIDE = ('', '-inside')  # A span of a layer, and one within another of the same layer.

# Degrees; saturation and value are PulseView's.
KIND_HUES = {'SOFTWARE': 212, 'MAC': 264, 'DRIVER': 192, 'RADIO_WAIT': 18, 'AIR': 56, 'UNDIVIDED': 90,
             'FRAGMENTS': 40, 'INTERRUPT': 327, 'APPLICATION': 155}
LAYER_KINDS = dict.fromkeys(('sock', 'udp', 'ipv6', 'sixlowpan'), 'SOFTWARE')
LAYER_KINDS.update(app='APPLICATION', mac='MAC', driver='DRIVER', isr='INTERRUPT')
WARNING_HUE, OTHER_HUE = 0, 120

WARNINGS = (('damaged', 'Damaged frame'), ('lost', 'Lost packet'),
            ('disorder', 'Packet out of order'), ('unattributed', 'Unattributed event'))

def step_id(kind):
    return 'step-%s' % kind.lower().replace('_', '-')

def span_id(role, layer, inside):
    return '%s-%s%s' % (role, layer, INSIDE[inside])

def tap_id(role, tap):
    return '%s-%s' % (role, tap.replace('.', '-').replace('_', '-'))

def role_rows(role):
    '''(row, its title, [(class, its description, hue), ...]) of a node, from the application down to the lines.'''
    title = role.capitalize()
    for layer in LAYERS:
        hue = KIND_HUES[LAYER_KINDS[layer]] if layer in LAYER_KINDS else OTHER_HUE
        for inside, more in enumerate(('', ', inside')):
            name = span_id(role, layer, inside)
            yield '%s-row' % name, '%s: %s%s' % (title, layer.replace('sixlowpan', '6lowpan'), more), [
                (name, 'Span of %s of the %s%s' % (layer, role, more), hue)]
    for tap in TAPS:
        name = tap.rpartition('.')[2]
        yield '%s-%s-line' % (role, name.replace('_', '-')), '%s: %s' % (title, name), [
            (tap_id(role, tap), '%s of the %s' % (tap, role), KIND_HUES['AIR'])]

def all_rows():
    yield 'warnings', 'Warnings', [(name, text, WARNING_HUE) for name, text in WARNINGS]
    yield 'packets', 'Packets', [('packet', 'Round trip', OTHER_HUE),
                                 ('partial-packet', 'Round trip with missing milestones', OTHER_HUE)]
    yield 'steps', 'Steps', [(step_id(name), 'Step: %s' % text, KIND_HUES[name]) for name, text in KINDS]
    for role in ROLES:
        yield from role_rows(role)
    for role in ROLES:
        name = '%s-event' % role
        yield name + 's', '%s: events' % role.capitalize(), [(name, 'Event of the %s' % role, OTHER_HUE)]
    yield 'others', 'Other nodes: events', [('other-event', 'Event of another node', OTHER_HUE)]

def off(number, row, hue):
    '''How far from a hue PulseView's is.'''
    turned = (BASE_HUE + OF_ROW * row + OF_CLASS * number - hue) % 360
    return min(turned, 360 - turned)

def dear(number, row, hue, name):
    '''What it costs to give a class a number: most where steps get a wrong colour, nothing where none is wanted.'''
    return 0 if hue == OTHER_HUE else off(number, row, hue) ** 2 * (9 if name.startswith('step-') else 1)

def numbered():
    '''Rows and classes as sigrok wants them, and the number of each class.'''
    rows = list(all_rows())
    classes = [(r, *entry) for r, row in enumerate(rows) for entry in row[2]]
    costs = [[dear(number, r, hue, name) for number in range(len(classes))] for r, name, _, hue in classes]
    given = list(range(len(classes)))
    better = True
    while better:  # Two classes change their numbers as long as that is of use.
        better = False
        for i, j in combinations(range(len(classes)), 2):
            a, b = given[i], given[j]
            if costs[i][b] + costs[j][a] < costs[i][a] + costs[j][b]:
                given[i], given[j], better = b, a, True
    numbers = {name: number for (_, name, _, _), number in zip(classes, given)}
    texts = sorted((numbers[name], (name, text)) for _, name, text, _ in classes)
    return (tuple(entry for _, entry in texts), numbers,
            tuple((name, title, tuple(numbers[entry[0]] for entry in entries)) for name, title, entries in rows))

ANNOTATIONS, NUMBERS, ROWS = numbered()

# In place of the first word of a step, where that is too little or too wide for a narrow box.
WORDS = {'radio': 'wait', 'interrupt': 'irq', '6lowpan': '6lo', 'turn-around': 'app', 'command': 'cmd',
         'earlier': 'frag'}

def time_text(us):
    '''A time given in us, with three digits or more, as a label.'''
    return '%.2f ms' % (us / 1000) if us >= 1000 else '%.0f us' % us if us >= 100 else '%.1f us' % us

def step_texts(name, place, exact_us, us, samples):
    '''Texts of a step, longest first; the name is in each.'''
    short = name.partition(': ')[2]
    first = short.partition(':')[0]
    word = WORDS.get(first.split()[0], first.split()[0])
    time = time_text(us)
    return ['%s (%s): %s us, %d samples' % (name, place, exact_us, samples), '%s: %s us' % (name, exact_us),
            '%s %s' % (first, time), '%s %s' % (word, time), first, word]

def span_texts(code, id_):
    '''Texts of a span, longest first, from the code of its enter; the row names the layer.'''
    point = EVENTS[code][0].rpartition('.')[0]
    own = point.partition('.')[2]
    return [point + ('' if id_ is None else ' %d' % id_), point, own]

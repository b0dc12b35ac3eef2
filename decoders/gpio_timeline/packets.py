##
## This file is part of gpiorig. SPDX-License-Identifier: MIT
## Copyright (C) 2026 the gpiorig authors
##

'''
Which event belongs to which packet, and the timeline of each: the rules of
gpiorig's analysis (packets.py and timelines.py there), followed event by
event. A packet is a send call of the initiator and all that follows from it.
'''

from .table import EVENTS

from .completions import BY_ORDER, CODES, LINKS, Completions
from .path import KINDS, MILESTONES, RECEIVES, STEPS, TURN_AROUND

REQUEST, REPLY = 0, 1
DIRECTIONS = ('request', 'reply')
INITIATOR, RESPONDER = 0, 1
ID_ROUND = 1 << 16

START, ARRIVAL, RECEPTION_END = CODES['app.tx.enter'], CODES['app.rx.enter'], CODES['driver.rx_read.exit']
COMMAND_END = CODES['driver.exec.exit']
MAC_ENTER, MAC_EXIT, SEQUENCE = CODES['mac.tx.enter'], CODES['mac.tx.exit'], CODES['mac.sequence']
RECEPTION_BEGIN = CODES['driver.rx_read.enter']
TOLD_AFTER = tuple(CODES[name] for name in ('driver.load.exit', 'driver.tx.exit'))
HANDED_DOWN = frozenset(CODES['driver.%s.enter' % name] for name in ('prepare', 'load', 'tx', 'exec'))
FAR = 128  # Events between two that belong together, at most.

# Layers whose ids are packet ids; elsewhere an id is a thread, a queue, a slot.
PACKET_LAYERS = ('app', 'sock', 'udp', 'ipv6', 'sixlowpan', 'mac', 'driver', 'radio')
OF_PACKET = frozenset(code for code, event in EVENTS.items()
                      if event[1] in PACKET_LAYERS and code != SEQUENCE)
PASSED = frozenset(code for code, event in EVENTS.items() if event[1] in PACKET_LAYERS and code < 128)
NEEDS_ID = frozenset(code for code, event in EVENTS.items() if event[1] in PACKET_LAYERS and event[3])

COMPLETE, PARTIAL, LOST, ORDER = range(4)

NO_PACKET = 'no packet with this id was under way'
NO_COMPLETION = 'no completion of the radio follows that it can belong to'
COMPLETION_UNKNOWN = 'the completion it belongs to is of no known packet'
NO_DIRECTION = 'neither a send nor a receive call is open'
NO_ID = "a packet's event came without its id"
OF_FRAMES = {CODES['driver.rx_drop']: 'of a frame that the driver dropped',
             CODES['radio.rx_crc_error']: 'of a frame with a wrong checksum'}

NAMES = tuple(milestone[0] for milestone in MILESTONES)
COLUMN = {(code, leg): column for column, (_, code, leg, _) in enumerate(MILESTONES)}
KIND = {name: number for number, (name, _) in enumerate(KINDS)}

class Event:
    '''An event of one of the two nodes.'''

    def __init__(self, position, sample, role, code, id_):
        self.position, self.sample = position, sample
        self.role, self.code, self.id = role, code, id_
        self.packet, self.direction = None, None
        self.settled, self.completion = False, None
        # Of an enter: its exit; positions of the events of its kind before and after.
        self.exit, self.before, self.after = None, -1, None

class Packet:
    '''A send call of the initiator, and what is known of its round trip.'''

    def __init__(self, number, id_, sample):
        self.number, self.id, self.sample = number, id_, sample
        self.found = {}         # Until its answer: column of a milestone -> events, in order.
        self.columns = 0        # After it: the columns it had, as bits.
        self.answered = False
        self.lost = False       # It was given up.

class Timeline:
    '''The milestones that a packet has, in the order of the path, and what becomes of it.'''

    def __init__(self, packet, columns, samples, absent):
        self.packet = packet
        if absent is None:  # What the others have is unknown: every milestone it has is one of the path.
            columns = [c for c in columns if not after_the_next(c, columns, samples)]
            wanted = columns
        else:
            wanted = [c for c in range(len(MILESTONES)) if c not in absent]
            columns = [c for c in columns if c not in absent]
        self.milestones = [(column, samples[column]) for column in columns]
        self.missing = [NAMES[column] for column in wanted if column not in columns]
        self.status = self.judge()

    def judge(self):
        if not self.packet.answered:
            return LOST
        if self.wrong():
            return ORDER
        return PARTIAL if self.missing else COMPLETE

    def wrong(self):
        '''The first pair of milestones that is out of order, or None.'''
        for before, after in zip(self.milestones, self.milestones[1:]):
            if after[1] < before[1]:
                return before, after
        return None

    @property
    def start(self):
        return self.packet.sample

    @property
    def end(self):
        return self.milestones[-1][1]

    @property
    def rtt(self):
        return self.end - self.start

    def steps(self):
        '''(first sample, last sample, name, kind, place) of every step; they add up to the round trip.'''
        return [(a[1], b[1], *step_between(a[0], b[0])) for a, b in zip(self.milestones, self.milestones[1:])]

    def detail(self):
        '''Why it is not a complete round trip, as text.'''
        if self.status == ORDER:
            (before, first), (after, then) = self.wrong()
            return '%s at %d is before %s at %d' % (NAMES[after], then, NAMES[before], first)
        if self.status == LOST:
            return 'last seen at %s' % NAMES[self.milestones[-1][0]]
        return 'missing: %s' % ', '.join(self.missing) if self.missing else ''

def after_the_next(column, columns, samples):
    '''A start command that returned only after the receiver had the frame is not a milestone of the path.'''
    if MILESTONES[column][1] != COMMAND_END:
        return False
    later = [samples[c] for c in columns if c > column]
    return bool(later) and samples[column] > min(later)

def step_between(start, end):
    '''Name, kind and place (roles of sender and receiver, or one of them) of the step between two milestones.'''
    (first, _, leg, how), (second, _, end_leg, _) = MILESTONES[start], MILESTONES[end]
    short = first.partition('.')[2], second.partition('.')[2]
    direction, role = leg // 2, role_of(leg)
    if direction != end_leg // 2:
        name, kind = 'turn-around: %s to %s' % short, KIND['APPLICATION']
        if short == ('app.rx', 'app.tx'):
            name = TURN_AROUND
        # Where the responder's own milestones are missing, the step holds the ways there or back, too.
        if leg % 2 == 0 or end_leg % 2:
            return name, KIND['UNDIVIDED'], (INITIATOR, RESPONDER) if leg % 2 == 0 else (RESPONDER, INITIATOR)
    else:
        name, kind = STEPS.get(short) or ('%s to %s' % short, merged_kind(start, end))
        name = '%s: %s' % (DIRECTIONS[direction], name)
    if kind == KIND['RADIO_WAIT']:
        return name, kind, (direction,)
    if role != role_of(end_leg) or how == 'AIR':
        return name, kind, (direction, 1 - direction)
    return name, kind, (role,)

def role_of(leg):
    return INITIATOR if leg in (0, 3) else RESPONDER

def merged_kind(start, end):
    '''Kind of a step that skips milestones; one that holds both radio wait and air is neither.'''
    if MILESTONES[start][3] == 'AIR':
        return KIND['AIR']
    if MILESTONES[start][2] % 2 != MILESTONES[end][2] % 2:
        return KIND['UNDIVIDED']
    layers = [EVENTS[MILESTONES[column][1]][0].partition('.')[0] for column in (start, end)]
    return KIND['DRIVER' if 'driver' in layers else 'SOFTWARE']

class Packets:
    '''
    Follows the packets of two nodes. `listener` receives the results:
    timeline(timeline); withdrawn(packet, event, name), when an event of a
    reported packet shows that its order cannot be; unattributed(event,
    reason).
    '''

    def __init__(self, listener, headers, longest, patience, absent, wired=((), ())):
        self.listener = listener
        self.headers = headers    # Samples from the first bit on the air to the mark, request and reply.
        self.patience = patience  # Samples until an unanswered packet is lost.
        self.absent = absent      # Columns of the milestones that no packet has; None: not known.
        self.position = -1
        self.sent = 0
        self.by_id = {}           # The latest packet of each id.
        self.waiting = []         # Unanswered packets, in order.
        self.way = [None, None]   # Of each node: (whether the latest event with a direction receives, its id).
        self.mac = [None, None]   # Of each node: the mac.tx that is open.
        self.last = [None, None]  # Of each node: its latest event of the layers that packets pass.
        self.untold = [[], []]    # Of each node: numbers of frames that are handed to the radio next.
        self.completions = [Completions(longest, self.settle, self.links_of(role, wired[role]))
                            for role in (INITIATOR, RESPONDER)]

    def links_of(self, role, wired):
        '''The links that a node is known to have: lines, of which those that are `wired`, and milestones.'''
        links = {code for code in wired if code in LINKS}
        if self.absent is not None:
            leg = 3 if role == INITIATOR else 1
            links |= {code for code in LINKS if COLUMN[code, leg] not in self.absent}
        return links

    def feed(self, sample, role, code, id_):
        '''The next event, in time order.'''
        self.position += 1
        if id_ == 0 and code in OF_PACKET:
            id_ = None  # 0 is not an id.
        event = Event(self.position, sample, role, code, id_)
        self.give_up(sample)
        if code == START and role == INITIATOR and id_ is not None:
            self.open(event)
        if id_ is not None and code in OF_PACKET:
            self.attribute(event)
        elif code == SEQUENCE:
            self.sequence(event)
        elif code in NEEDS_ID and code not in BY_ORDER:
            self.listener.unattributed(event, NO_ID)
        if code in (MAC_ENTER, MAC_EXIT):
            self.mac[role] = event if code == MAC_ENTER else None
        if code in HANDED_DOWN:
            self.tell(event)
        if code in PASSED:
            self.last[role] = event
        self.completions[role].feed(event)
        if event.packet is not None:
            self.note(event)

    def open(self, event):
        previous = self.by_id.get(event.id)
        if previous in self.waiting:
            self.lose(previous)
        packet = Packet(self.sent, event.id, event.sample)
        self.sent += 1
        self.by_id[event.id] = packet
        self.waiting.append(packet)

    def attribute(self, event):
        '''An event with an id belongs to the latest packet of that id.'''
        receives = RECEIVES.get(event.code)
        if receives is None:
            # A point that serves both directions takes that of the latest event on its node.
            way, id_ = self.way[event.role] or (None, None)
            receives = way if id_ == event.id else None
        else:
            self.way[event.role] = receives, event.id
        packet = self.by_id.get(event.id)
        if packet is not None and self.sent - 1 - packet.number >= ID_ROUND // 2:
            packet = None  # Of an earlier round of the ids.
        if packet is None or receives is None:
            both = event.code not in RECEIVES
            self.listener.unattributed(event, NO_DIRECTION if both else NO_PACKET)
            return
        event.packet = packet
        event.direction = (REQUEST if event.role == INITIATOR else REPLY) ^ receives

    def sequence(self, event):
        '''
        The number of IEEE 802.15.4: of the frame that was just read or loaded,
        else of the mac.tx that is open around it, else of the next frame.
        '''
        last, call = self.last[event.role], self.mac[event.role]
        if last is not None and event.position - last.position > FAR:
            last = None
        if last is not None and last.code in (RECEPTION_BEGIN, RECEPTION_END, *TOLD_AFTER):
            self.give(event, None if last.code == RECEPTION_BEGIN else last.packet, last.direction)
        elif call is not None:
            self.give(event, call.packet, REQUEST if event.role == INITIATOR else REPLY)
        else:
            self.untold[event.role].append(event)

    def tell(self, following):
        '''A frame is handed to the radio: whose the numbers before it are.'''
        for event in self.untold[following.role]:
            packet = following.packet
            if packet is not None and packet.sample > event.sample:
                packet = None
            self.give(event, packet, REQUEST if event.role == INITIATOR else REPLY)
        self.untold[following.role] = []

    def give(self, event, packet, direction):
        if packet is None:
            self.listener.unattributed(event, NO_ID)
        else:
            event.packet, event.direction = packet, direction

    def settle(self, event, completion):
        '''What an event that came without an id belongs to is known.'''
        event.settled, event.completion = True, completion
        own = event.id is not None and event.code in OF_PACKET
        if own or event.code not in BY_ORDER:
            return
        if completion is None:
            self.listener.unattributed(event, NO_COMPLETION)
        elif completion.packet is None:
            unknown = NO_ID if completion.id is None else COMPLETION_UNKNOWN
            self.listener.unattributed(event, OF_FRAMES.get(completion.code, unknown))
        else:
            event.packet, event.direction = completion.packet, completion.direction

    def note(self, event):
        '''An event of a packet may be one of its milestones.'''
        packet = event.packet
        received = (event.role == INITIATOR) == (event.direction == REPLY)
        column = COLUMN.get((event.code, 2 * event.direction + received))
        if column is None or MILESTONES[column][3] not in ('ID', 'ATTEMPT'):
            return
        if packet.answered:
            if not packet.columns >> column & 1 and column not in (self.absent or ()):
                # The first of its kind comes after the answer: that cannot be.
                packet.columns |= 1 << column
                self.listener.withdrawn(packet, event, NAMES[column])
            return
        packet.found.setdefault(column, []).append(event)
        if event.code == ARRIVAL and event.role == INITIATOR:
            packet.answered = True
            if packet in self.waiting:
                self.waiting.remove(packet)
            self.listener.timeline(self.timeline(packet))
            packet.columns = sum(1 << c for c in packet.found)
            packet.found = None

    def timeline(self, packet):
        '''
        Its milestones: on each leg the latest occurrence before the next leg
        begins, or the first one if all come later. The round trip ends with
        the first reply that reaches the application.
        '''
        chosen = {}
        bound = None
        for leg in (3, 2, 1, 0):
            columns = [c for c, milestone in enumerate(MILESTONES) if milestone[2] == leg]
            if leg == 3 and packet.answered:
                bound = packet.found[columns[-1]][0].position + 1
            for column in columns:
                occurrences = packet.found.get(column)
                if occurrences:
                    before = [e for e in occurrences if bound is None or e.position < bound]
                    chosen[column] = before[-1] if before else occurrences[0]
            end = chosen.get(COLUMN[RECEPTION_END, leg]) if leg % 2 else None
            for column in columns:
                if MILESTONES[column][3] == 'ATTEMPT':
                    self.first_of_attempt(column, columns, packet.found.get(column, ()), chosen)
            for column in columns:
                _, code, _, how = MILESTONES[column]
                if how != 'ID' and end is not None and code in end.links:
                    chosen[column] = end.links[code]
            positions = [chosen[c].position for c in columns if c in chosen]
            bound = min(positions + ([] if bound is None else [bound]), default=None)
        samples = {column: event.sample for column, event in chosen.items()}
        for column in samples:
            if MILESTONES[column][3] == 'AIR':
                samples[column] -= self.headers[MILESTONES[column][2] // 2]
        return Timeline(packet, sorted(samples), samples, self.absent)

    def first_of_attempt(self, column, columns, occurrences, chosen):
        '''The first one between the milestone before it and the next one; none if all are elsewhere.'''
        before = [chosen[c].position for c in columns if c < column and c in chosen]
        after = [chosen[c].position for c in columns if c > column and c in chosen]
        since, until = max(before, default=-1), min(after, default=self.position + 1)
        inside = [event for event in occurrences if since < event.position < until]
        chosen.pop(column, None)
        if inside:
            chosen[column] = inside[0]

    def deadline(self):
        '''The sample at which give_up() finds a lost packet, or None.'''
        return self.waiting[0].sample + self.patience if self.waiting else None

    def give_up(self, sample):
        while self.waiting and sample >= self.waiting[0].sample + self.patience:
            self.lose(self.waiting[0])

    def lose(self, packet):
        self.waiting.remove(packet)
        packet.lost = True
        self.listener.timeline(self.timeline(packet))

    def finish(self):
        '''The capture ends.'''
        for completion in self.completions:
            completion.finish()
        for event in self.untold[INITIATOR] + self.untold[RESPONDER]:
            self.give(event, None, None)
        for packet in list(self.waiting):
            self.lose(packet)

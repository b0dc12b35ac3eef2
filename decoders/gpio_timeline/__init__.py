##
## This file is part of gpiorig. SPDX-License-Identifier: MIT
## Copyright (C) 2026 the gpiorig authors
##

'''
The packets of a bench of boards whose firmware writes events to GPIO lines
(decoder gpio_probe): one timeline per packet across the nodes, from the send
call of the initiator to the arrival of the reply at its application.

The option "wiring" names the nodes, their lines and the channel each is on;
the channels are given as ch0, ch1, ... The first node is the initiator, the
second the responder. `gpiorig decode --wiring RUN|BENCH` prints all of it for
a recording or a bench; by hand:

 $ sigrok-cli -i run.sr -A gpio_timeline=packets:warnings -P \
     gpio_timeline:ch0=A_STROBE:ch1=A_D0:ch2=A_D1:ch3=B_STROBE:ch4=B_D0:ch5=B_D1:\
     wiring=a/strobe@0/d0@1/d1@2/gap@400+b/strobe@3/d0@4/d1@5/gap@400

A radio's interrupt line and its frame time stamp line (tap.irq and
tap.frame_timestamp) divide the time on the air from that before it; "header"
is the time from the first bit on the air to the rise of the latter, in ns:

     ... /tap.irq@6/tap.frame_timestamp@7/header@201000

The row "Packets" shows the round trips, "Steps" what lies between successive
milestones of a packet; the steps of a packet add up to its round trip. The
rows below show the spans of the initiator and of the responder, a row per
layer and one for spans within a span of the same layer, and the radio lines.
On a trace in the colour #D55E00 PulseView shows steps and layers in colours
near to those of gpiorig's reports.

Warnings are: a packet without an answer (lost_after_ms), milestones that are
out of order, damaged frames, and events that should belong to a packet and
cannot be given to one, with the reason. Nothing is guessed.

A point that the firmware or the wiring lacks has no milestone, and a step
spans it. With the option absent=auto every packet is judged by the milestones
it has. A list of names such as "sock.tx+reply.udp.rx" names which ones no
packet has ("none": all packets have all); a packet that lacks another one then
has a round trip, and its missing milestones are named.
'''

from .pd import Decoder  # noqa: F401 (sigrok looks for it here)

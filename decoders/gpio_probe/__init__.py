##
## This file is part of gpiorig. SPDX-License-Identifier: MIT
## Copyright (C) 2026 the gpiorig authors
##

'''
GPIO probes are events that a microcontroller's firmware writes to a few of
its pins: which layer of the network stack a packet is in, which interrupt
runs, what the radio does.

Two line codes are decoded (docs/reference/line-code.md of gpiorig):

 - A symbol bus of 1, 2, 4 or 8 data lines and a strobe that toggles once per
   symbol. One event is one frame: a header (event code, "id follows"), a
   16-bit packet id if the header has it, a check. Frames are parted by a
   quiet time on the strobe, the frame gap. A frame with a wrong length, a
   wrong check or an unknown code is shown as damaged; nothing is guessed from
   it.

 - Span lines: a line that is high between the enter and the exit of one point
   of the event table, such as the interrupt line of a radio. The options
   span0 to span3 name the points.

The rows of a layer show the frames where they are on the wire. The rows
"Stack 0" to "Stack 15" show every span from its enter to its exit, one row
per depth of nesting: a flame chart of the node.

Example:

 $ sigrok-cli -i run.sr -A gpio_probe=udp-events:warnings \
     -P gpio_probe:strobe=P8_45:d0=P8_46:d1=P8_43:span0=P8_44:width=2:node=1
'''

from .pd import Decoder  # noqa: F401 (sigrok looks for it here)

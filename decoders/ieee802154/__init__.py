##
## This file is part of gpiorig. SPDX-License-Identifier: MIT
## Copyright (C) 2026 the gpiorig authors
##

'''
IEEE 802.15.4 frames, as a radio's driver hands them over: stacked on a
decoder of the radio (at86rf2xx, cc2420, spirit1), it shows each field of the
MAC header where its octets are on the SPI bus.

Frame versions 2003, 2006 and 2015 are dissected: frame control, sequence
number, addresses, auxiliary security header, header and payload IEs, beacons,
MAC commands, acknowledgements, multipurpose frames, the first octets of
6LoWPAN, the FCS where the radio passes it on.

The option packet_id shows the last two octets of data frames as a number, for
test traffic that carries a packet id there.

The binary output is a pcap file (link type 283, IEEE 802.15.4 TAP) that
Wireshark opens. Times count from the first sample.

Example:

 $ sigrok-cli -i run.sr -A ieee802154 \
     -P spi:clk=CLK:mosi=MOSI:miso=MISO:cs=CS,at86rf2xx,ieee802154
 $ sigrok-cli -i run.sr -B ieee802154=pcap \
     -P spi:clk=CLK:mosi=MOSI:miso=MISO:cs=CS,at86rf2xx,ieee802154 > run.pcap

Modules next to this one serve the radio decoders too: mac.py dissects a frame,
spiradio.py is what radios on an SPI bus have in common.
'''

from .pd import Decoder  # noqa: F401 (sigrok looks for it here)

##
## This file is part of gpiorig. SPDX-License-Identifier: MIT
## Copyright (C) 2026 the gpiorig authors
##

'''
The MRF24J40 of Microchip is a transceiver for IEEE 802.15.4 at 2.4 GHz on an
SPI bus; modules with it are MRF24J40MA to ME. sigrok has a decoder mrf24j40,
which shows registers and the bytes of the FIFOs; this one also follows accesses
to several addresses in a row, which most drivers make, and hands frames to the
decoder ieee802154.

Register accesses are shown with names and fields. What lies in the TX normal
FIFO when TXNCON triggers it is shown as a frame sent, what was read from the RX
FIFO as a frame received, once its RSSI is read, the FIFO is flushed (RXFLUSH),
or the receiver is turned on again (BBREG1). What the chip does on its own
(CSMA-CA, acknowledgements, repetitions) is not on the bus; TXSTAT tells how a
transmission ended.

Stack it on the spi decoder, or give it the SPI lines itself; then it shows the
pins INT, RESET and WAKE as well (a decoder on top of another sees no samples in
libsigrokdecode 0.5.3).

Examples:

 $ sigrok-cli -i run.sr -A mrf24j40m \
     -P spi:clk=CLK:mosi=MOSI:miso=MISO:cs=CS,mrf24j40m
 $ sigrok-cli -i run.sr -A mrf24j40m=frames:pins \
     -P mrf24j40m:clk=CLK:mosi=MOSI:miso=MISO:cs=CS:int=INT

OUTPUT_PYTHON and OUTPUT_BINARY: spiradio.py.
'''

from .pd import Decoder  # noqa: F401 (sigrok looks for it here)

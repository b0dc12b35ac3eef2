##
## This file is part of gpiorig. SPDX-License-Identifier: MIT
## Copyright (C) 2026 the gpiorig authors
##

'''
The CC2420 of Texas Instruments (Chipcon) is an IEEE 802.15.4 transceiver on an
SPI bus.

Command strobes, register and RAM accesses are shown with names and fields, the
status octet wherever it changes, and the frames that go through the two FIFOs.
A frame sent is shown when the TXFIFO contains all of it, one received when all
of it was read; RSSI, correlation and check take the place of the FCS there.
The LQI shown is the correlation value. What the chip does on its own
(acknowledgements) is not on the bus.

Stack it on the spi decoder, or give it the SPI lines itself; then it shows the
pins FIFO, FIFOP, SFD, CCA, RESETn, VREG_EN as well (a decoder on top of another
sees no samples in libsigrokdecode 0.5.3).

Examples:

 $ sigrok-cli -i run.sr -A cc2420 \
     -P spi:clk=CLK:mosi=MOSI:miso=MISO:cs=CS,cc2420
 $ sigrok-cli -i run.sr -A cc2420=frames:pins \
     -P cc2420:clk=CLK:mosi=MOSI:miso=MISO:cs=CS:sfd=SFD:fifop=FIFOP

OUTPUT_PYTHON and OUTPUT_BINARY: spiradio.py.
'''

from .pd import Decoder  # noqa: F401 (sigrok looks for it here)

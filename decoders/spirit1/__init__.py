##
## This file is part of gpiorig. SPDX-License-Identifier: MIT
## Copyright (C) 2026 the gpiorig authors
##

'''
The SPIRIT1 of STMicroelectronics is a transceiver for the bands below 1 GHz on
an SPI bus. Its packets often carry IEEE 802.15.4 MAC frames, as under Contiki
and Contiki-NG; this decoder hands them to the decoder ieee802154.

Commands and register accesses are shown with names and fields, the state that
the chip sends at the start of each access wherever it changes. What lies in
the TX FIFO at the command TX is shown as a frame sent, what one access reads
from the RX FIFO as a frame received; frames loaded or read in several parts,
longer than the FIFOs of 96 octets, appear as parts. The chip checks and
removes the CRC. What it does on its own (acknowledgements, repetitions) is not
on the bus.

Stack it on the spi decoder, or give it the SPI lines itself; then it shows the
pins SDN and GPIO0 to GPIO3 as well (a decoder on top of another sees no samples
in libsigrokdecode 0.5.3).

Examples:

 $ sigrok-cli -i run.sr -A spirit1 \
     -P spi:clk=CLK:mosi=MOSI:miso=MISO:cs=CS,spirit1
 $ sigrok-cli -i run.sr -A spirit1=frames:pins \
     -P spirit1:clk=CLK:mosi=MOSI:miso=MISO:cs=CS:gpio0=GPIO0

OUTPUT_PYTHON and OUTPUT_BINARY: spiradio.py.
'''

from .pd import Decoder  # noqa: F401 (sigrok looks for it here)

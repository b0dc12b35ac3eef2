##
## This file is part of gpiorig. SPDX-License-Identifier: MIT
## Copyright (C) 2026 the gpiorig authors
##

'''
The AT86RF2xx are IEEE 802.15.4 transceivers of Atmel (now Microchip) on an
SPI bus: AT86RF230, AT86RF231, AT86RF232, AT86RF233, AT86RF212B.

Register accesses are shown with names and fields, commands and states with
their names, accesses to the frame buffer with the header of the frame. A frame
sent is shown when the host has handed it over: at the end of a frame buffer
write, or, where it came by SRAM writes, at the command TX_START or the rise of
SLP_TR. Frames received are shown with their LQI when all of it was read. What
the chip does on its own (acknowledgements, repetitions) is not on the bus.

Stack it on the spi decoder, or give it the SPI lines itself; then it shows the
pins IRQ, SLP_TR, /RST, DIG2 as well (a decoder on top of another sees no
samples in libsigrokdecode 0.5.3).

Examples:

 $ sigrok-cli -i run.sr -A at86rf2xx \
     -P spi:clk=CLK:mosi=MOSI:miso=MISO:cs=CS,at86rf2xx
 $ sigrok-cli -i run.sr -A at86rf2xx=frames:pins \
     -P at86rf2xx:clk=CLK:mosi=MOSI:miso=MISO:cs=CS:irq=IRQ:slp_tr=SLP

OUTPUT_PYTHON and OUTPUT_BINARY: spiradio.py.
'''

from .pd import Decoder  # noqa: F401 (sigrok looks for it here)

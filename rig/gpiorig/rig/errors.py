"""What can go wrong above the capture: one base class, few kinds.

RigError
├── BenchError        a bench, board or experiment file contains something that cannot be
├── FirmwareError     an image is missing, is for another processor, or answers something unexpected
├── FlashError        a board does not take its image
├── VirtualBenchError the virtual bench stopped: unmapped register, fault, port in use
└── StoreError        a store cannot be read or written, or SQL asks for something that it does not have
"""

from __future__ import annotations

import signal

from gpiorig.capture.errors import Error


class RigError(Error):
    """What, where, and what to do; the command line prints it and exits with status 2."""


class BenchError(RigError):
    """A bench, board or experiment file that cannot be used."""


class FirmwareError(RigError):
    """A firmware image that is missing or wrong, or a node that does not answer as it should."""


class FlashError(RigError):
    """A board that does not take its image, or whose adapter is missing or not to be distinguished."""


class VirtualBenchError(RigError):
    """The virtual bench could not start, or stopped."""


class StoreError(RigError):
    """A store that cannot be read or written, or SQL that cannot be answered."""


class Interrupted(KeyboardInterrupt):
    """A signal that ends a command as Ctrl-C does: SIGTERM, SIGHUP.

    Parameters
    ----------
    number
        Of the signal.
    """

    def __init__(self, number: int) -> None:
        self.number = number
        super().__init__(f"interrupted by {signal.Signals(number).name}")

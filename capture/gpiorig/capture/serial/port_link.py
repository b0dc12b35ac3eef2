"""The link of a serial port that may be lost and opened again."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable

from gpiorig.capture.errors import SerialPortError
from gpiorig.capture.serial.link import Link, open_link

REOPEN_S = 0.25


class PortLink:
    """Opens a device, and opens it again after a loss.

    Parameters
    ----------
    device, baudrate
        As of `seriallink.open_link`.

    Attributes
    ----------
    link
        The open link; None while the port is gone.
    """

    def __init__(self, device: str, baudrate: int) -> None:
        self._device, self._baudrate = device, baudrate
        self._stopping = threading.Event()
        self._starting = threading.Lock()  # a reopener that others see has been started
        self._reopener: threading.Thread | None = None
        self.link: Link | None = None
        self._open()

    def _open(self) -> None:
        self.link = link = open_link(self._device, self._baudrate)
        self._errors_before = link.errors()

    def fileno(self) -> int:
        """Descriptor to wait on."""
        return self.link.fileno() if self.link is not None else -1

    def errors(self) -> dict[str, int]:
        """Return the driver's counts of errors since the link was opened; empty when it does not count."""
        counts = self.link.errors() if self.link is not None else {}
        return {name: count - self._errors_before.get(name, 0) for name, count in counts.items()}

    def drop(self) -> None:
        """Close the link of a port that is gone."""
        link, self.link = self.link, None
        if link is not None:
            link.close()

    def reopen(self, node: str, on_open: Callable[[], None]) -> None:
        """Open the link as soon as its port is back, in a thread; then `on_open` is called."""

        def attempts() -> None:
            while not self._stopping.wait(REOPEN_S):
                with contextlib.suppress(SerialPortError):
                    self._open()
                    on_open()
                    return

        with self._starting:
            self._reopener = threading.Thread(target=attempts, name=f"serial reopen {node}", daemon=True)
            self._reopener.start()

    def stop(self) -> None:
        """Give up opening it again."""
        self._stopping.set()
        with self._starting:
            reopener = self._reopener
        if reopener is not None:
            reopener.join()

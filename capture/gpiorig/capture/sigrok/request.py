"""Request of a capture, and the check with sigrok-cli before it starts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gpiorig.capture.errors import AnalyzerError
from gpiorig.capture.log import LOG
from gpiorig.capture.sigrok import lost_transfers
from gpiorig.capture.sigrok.analyzer import Analyzer, find_sigrok, scan, taken_rate
from gpiorig.capture.sigrok.result import Restart
from gpiorig.capture.usb import connection

START_DEADLINE_S = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """Analyzer, channels and limits of a capture.

    Attributes
    ----------
    driver
        Driver and connection, for instance "beaglelogic:conn=tcp-raw/127.0.0.1/5555".
    channels
        The analyzer's names of the channels to capture; "P8_45=strobe" gives one another name.
    samplerate_hz
        Samples per second.
    sample_limit
        Number of the sample before which the capture ends alone. None: it runs until `Capture.stop`.
    start_deadline_s
        Seconds the analyzer may take to start.
    silence_s
        Seconds without a sample that count as a failure. None: silence is not a failure, as on a virtual bench.
    restart
        Start sigrok-cli again when it fails, and record the pause as a gap; None: a failure ends the capture.
    fills
        A capture that fails has a gap up to its limit, since it is merged with others; else it ends when that is
        noticed, and can be resumed.
    one_shot
        Give sigrok-cli the number of samples (`--samples`), for analyzers that sample into a buffer of their own.
    config
        More of sigrok's device options, "key=value".
    """

    driver: str
    channels: Sequence[str]
    samplerate_hz: int
    sample_limit: int | None = None
    start_deadline_s: float = START_DEADLINE_S
    silence_s: float | None = None
    restart: Restart | None = None
    fills: bool = False
    one_shot: bool = False
    config: Sequence[str] = ()

    @property
    def is_real_time(self) -> bool:
        """Whether the analyzer samples by the wall clock, not by a virtual one: then its silence is a failure."""
        return self.silence_s is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """A request that the analyzer can meet.

    Attributes
    ----------
    request
        What is to be captured.
    analyzer
        The analyzer.
    arguments
        Those of sigrok-cli after driver and connection.
    channels
        Name of each channel, bit 0 first; "" for one that is not captured.
    """

    request: Request
    analyzer: Analyzer
    arguments: tuple[str, ...]
    channels: tuple[str, ...]

    def command(self) -> tuple[str, ...]:
        """sigrok-cli's command line, with the address that the analyzer has now; AnalyzerError: its port is empty."""
        return (str(find_sigrok()), "-d", connection.by_address(self.analyzer.driver), *self.arguments)

    @property
    def used(self) -> int:
        """Mask of the channels that are captured."""
        return sum(1 << bit for bit, name in enumerate(self.channels) if name)


def order(request: Request) -> Order:
    """Find the analyzer, and check that it takes the channels and the rate."""
    analyzer = scan(request.driver, deadline_s=request.start_deadline_s)
    driver, rate_hz = analyzer.driver, request.samplerate_hz
    wanted = analyzer.selection(request.channels)
    driver_hz = taken_rate(driver, rate_hz, deadline_s=request.start_deadline_s)
    if driver_hz is not None and driver_hz != rate_hz:
        raise AnalyzerError(
            f"the analyzer would take another rate: {driver_hz} Hz instead of {rate_hz} Hz",
            where=driver,
            remedy="ask for that rate",
        )
    LOG.info("analyzer %s (%s), %d Hz, channels %s", driver, analyzer.description, rate_hz, ", ".join(wanted.values()))
    if request.one_shot and request.sample_limit is None:
        raise AnalyzerError("a one-shot capture has no length", where=driver, remedy="give a number of samples")
    level = "4" if driver.split(":")[0] in lost_transfers.DRIVERS else "3"
    arguments = ["-l", level, "-c", ":".join([f"samplerate={rate_hz}", *request.config]), "-C", ",".join(wanted)]
    arguments += ["--samples", str(request.sample_limit)] if request.one_shot else ["--continuous"]
    return Order(
        request=request,
        analyzer=analyzer,
        arguments=(*arguments, "-O", "binary"),
        channels=tuple(wanted.get(name, "") for name in analyzer.channels),
    )

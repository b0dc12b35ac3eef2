"""What is to be captured, checked with sigrok-cli before the capture starts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gpiorig.capture.errors import AnalyzerError
from gpiorig.capture.sigrok.analyzer import TELL_TRANSFERS, Analyzer, find_sigrok, scan, taken_rate
from gpiorig.capture.sigrok.result import Restart


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What is to be captured, and how; parameters as those of `Capture.start`.

    Attributes
    ----------
    analyzer
        The analyzer that was found.
    command
        sigrok-cli's command line.
    channels
        Name of each channel, bit 0 first; "" for one that is not captured.
    """

    analyzer: Analyzer
    command: tuple[str, ...]
    channels: tuple[str, ...]
    samplerate_hz: int
    sample_limit: int | None
    start_deadline_s: float
    silence_s: float | None
    restart: Restart | None
    one_shot: bool

    @property
    def is_real_time(self) -> bool:
        """The analyzer samples by the clock of the wall, not by a virtual one: so its silence is a failure."""
        return self.silence_s is not None

    @property
    def used(self) -> int:
        """Mask of the channels that are captured."""
        return sum(1 << bit for bit, name in enumerate(self.channels) if name)


def order(
    *,
    driver: str,
    channels: Sequence[str],
    samplerate_hz: int,
    sample_limit: int | None,
    start_deadline_s: float,
    silence_s: float | None,
    restart: Restart | None,
    one_shot: bool,
    config: Sequence[str],
) -> Order:
    """Find the analyzer, and check that it takes the channels and the rate; parameters as those of `Capture.start`."""
    analyzer = scan(driver, deadline_s=start_deadline_s)
    wanted = analyzer.selection(channels)
    taken_hz = taken_rate(driver, samplerate_hz, deadline_s=start_deadline_s)
    if taken_hz is not None and taken_hz != samplerate_hz:
        raise AnalyzerError(
            f"the analyzer would take another rate: {taken_hz} Hz instead of {samplerate_hz} Hz",
            where=driver,
            remedy="ask for that rate",
        )
    if one_shot and sample_limit is None:
        raise AnalyzerError("a one-shot capture has no length", where=driver, remedy="give a number of samples")
    level = "4" if driver.split(":")[0] in TELL_TRANSFERS else "3"
    command = [str(find_sigrok()), "-l", level, "-d", driver]
    command += ["-c", ":".join([f"samplerate={samplerate_hz}", *config]), "-C", ",".join(wanted)]
    command += ["--samples", str(sample_limit)] if one_shot else ["--continuous"]
    return Order(
        analyzer=analyzer,
        command=(*command, "-O", "binary"),
        channels=tuple(wanted.get(name, "") for name in analyzer.channels),
        samplerate_hz=samplerate_hz,
        sample_limit=sample_limit,
        start_deadline_s=start_deadline_s,
        silence_s=silence_s,
        restart=restart,
        one_shot=one_shot,
    )

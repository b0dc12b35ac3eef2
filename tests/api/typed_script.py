"""What a user may write, for mypy --strict on the installed wheel (tests/rules/test_package.py)."""

from pathlib import Path

import gpiorig
from gpiorig import Delays, Quantity, Recording


def slowest(run: Recording) -> float:
    rtt: Quantity = run.quantity("rtt")
    interval: gpiorig.Interval = rtt.statistic("p99")
    return interval.value


def delays(path: Path) -> Delays:
    return gpiorig.open(path, samplerate="24MHz").measure("D0:rise", "D1:rise", max_gap_s=0.01)


def record(folder: Path) -> Recording:
    try:
        with gpiorig.start_capture(folder, driver="fx2lafw", samplerate="24MHz", duration_s=10) as session:
            session.wait_for("D0:rise", timeout_s=5)
            return session.stop()
    except gpiorig.WaitTimeout as late:
        raise SystemExit(str(late)) from late
    except gpiorig.Error as error:
        raise SystemExit(str(error)) from error


edges = gpiorig.open("capture.sr").edges("D0")
print(edges.samples[:10], edges.times_s.mean(), gpiorig.__version__.split("."))
verdict = gpiorig.open("run").check("rtt.p99 < 9 ms")
print(verdict.holds, verdict.sentence, gpiorig.compare("a", "b").changed)

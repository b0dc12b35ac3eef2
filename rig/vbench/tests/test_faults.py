"""Faults by switch: each shows its symptom at the analyzer, through sigrok-cli, or at the serial port."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from patience import PATIENCE_S
from virtualbench import bench_text, capture, changes, served

from gpiorig.capture.errors import AnalyzerError
from gpiorig.capture.serial.port import SerialPort
from gpiorig.capture.serial.record import SerialLines, read_record
from gpiorig.capture.sigrok.capture import Capture, Request
from gpiorig.rig.bench import benches
from gpiorig.rig.errors import BenchError

pytestmark = pytest.mark.slow  # each test starts a bench, and most a sigrok-cli
STROBE, D0 = "P8_45", "P8_46"
PER_MS = 24_000  # samples
MS_NS = 1_000_000


def fault(text: str) -> str:
    """A `[[virtual.faults]]` section."""
    return f"[[virtual.faults]]\n{text}\n"


def seen(folder: Path, tick: Path, virtual: str, *, ms: int = 20) -> NDArray[np.uint16]:
    """What sigrok-cli captures."""
    with served(folder, bench_text(virtual=virtual), tick) as process:
        return capture(process, "la", samples=ms * PER_MS)


def recorded_lines(folder: Path, tick: Path, virtual: str, *, ms: int = 1000) -> SerialLines:
    """The lines that the recorder gets from the board in the first virtual milliseconds: tick 20, tick 40 and so on."""
    with served(folder, bench_text(virtual=virtual), tick) as process:
        end = process.endpoints["serial"]["node"]
        record = folder / "node.rec"
        with SerialPort("node", end["path"], baudrate=500_000, record=record, stamps=Path(end["stamps"])):
            capture(process, "la", samples=ms * 1000, rate_hz=1_000_000)
    return read_record(record, clock="virtual").lines()


def test_dropped_samples(tmp_path: Path, tick: Path) -> None:
    """Lost samples are not announced: one tick is shorter by that many, and the capture continues to its full count."""
    strobes = changes(seen(tmp_path, tick, fault('kind = "dropped"\nsamples = 5_000\nat_us = [10_500]')), STROBE)

    short = np.flatnonzero(np.diff(strobes) < PER_MS - 100)
    assert 1 == len(short)
    assert abs(int(np.diff(strobes)[short[0]]) - (PER_MS - 5_000)) <= 24
    assert 10 * PER_MS < strobes[short[0]] + PER_MS / 2 < 11 * PER_MS


@pytest.mark.parametrize(("kind", "symptom"), [("dies", "closed|died|gone|ended"), ("stalls", "no sample")])
def test_end_in_the_middle(tmp_path: Path, tick: Path, kind: str, symptom: str) -> None:
    """An analyzer that dies closes its connection, one that stalls falls silent: both after the same sample."""
    edges = tmp_path / "edges"
    edges.mkdir()
    with served(tmp_path, bench_text(virtual=fault(f'kind = "{kind}"\nat_us = 50_000')), tick) as process:
        driver = process.endpoints["analyzers"]["la"]
        request = Request(driver=driver, channels=[STROBE], samplerate_hz=1_000_000, silence_s=1.0)
        capture = Capture.start(request, edges)
        with pytest.raises(AnalyzerError, match=symptom):
            capture.wait_quiet(1_000_000, deadline_s=PATIENCE_S)
        capture.abort()

    assert 50_000 == capture.samples_received


def test_glitches(tmp_path: Path, tick: Path) -> None:
    """A pulse wider than a sample is seen for its width; a narrower one between two samples is not."""
    wide = fault(f'kind = "glitch"\nchannel = "{D0}"\nwidth_ps = [500_000, 500_000]\nat_us = [5_000, 7_000]')
    narrow = fault(f'kind = "glitch"\nchannel = "{D0}"\nwidth_ps = [1_000, 1_000]\nat_us = [9_000]')
    changed = changes(seen(tmp_path, tick, wide + narrow + "[virtual.analyzers.la]\nphase_ps = 20_000\n"), D0)

    assert [5 * PER_MS, 5 * PER_MS + 12, 7 * PER_MS, 7 * PER_MS + 12] == changed.tolist()


def test_stuck_line(tmp_path: Path, tick: Path) -> None:
    """A line is stuck for 5 ms: no tick is seen meanwhile, and the level is the one it is stuck at."""
    stuck = fault(f'kind = "stuck"\nchannel = "{STROBE}"\nlevel = 1\nfrom_us = 5_000\nfor_us = 5_000')
    samples = seen(tmp_path, tick, stuck)

    assert np.all(samples[5 * PER_MS : 10 * PER_MS] & 1)
    assert len(changes(samples, STROBE)) < 17


def test_swapped_channels(tmp_path: Path, tick: Path) -> None:
    """Two clips swapped during the entire capture: the tick is on the other channel."""
    swapped = fault(f'kind = "swapped"\nchannel = "{STROBE}"\nother = "{D0}"')
    samples = seen(tmp_path, tick, swapped)

    assert (0, True) == (len(changes(samples, STROBE)), len(changes(samples, D0)) >= 19)


def test_joined_lines(tmp_path: Path, tick: Path) -> None:
    """A line that ticks touches one that rests: both tick where the level at rest gives way, and else none does."""
    ticks = []
    for wins in (0, 1):
        folder = tmp_path / str(wins)
        folder.mkdir()
        joined = f'kind = "joined"\nchannel = "{STROBE}"\nother = "{D0}"\nwins = {wins}'
        samples = seen(folder, tick, fault(joined))
        assert changes(samples, STROBE).tolist() == changes(samples, D0).tolist()
        ticks.append(len(changes(samples, STROBE)))

    assert 0 == min(ticks)
    assert max(ticks) >= 19


def test_floating_line(tmp_path: Path, tick: Path) -> None:
    """A floating line changes at random at its rate; the same seed gives the same noise, another one another."""
    noise = fault(f'kind = "floating"\nchannel = "{D0}"\ntoggle_hz = 50_000')
    counts = []
    for number, virtual in enumerate((noise, noise, "seed = 2\n" + noise)):
        folder = tmp_path / str(number)
        folder.mkdir()
        counts.append(changes(seen(folder, tick, virtual), D0))

    assert 800 < len(counts[0]) < 1200  # 20 ms; 6 standard deviations of 1000 are 190
    assert counts[0].tolist() == counts[1].tolist() != counts[2].tolist()


def test_serial_stall(tmp_path: Path, tick: Path) -> None:
    """For 300 ms nothing comes from the adapter; then comes what its buffer held, within a latency timer."""
    stall = fault('kind = "serial_stall"\nnode = "node"\nfrom_us = 300_000\nfor_us = 300_000')
    lines = recorded_lines(tmp_path, tick, stall)

    assert not np.any((lines.stamps_ns > 320 * MS_NS) & (lines.stamps_ns < 600 * MS_NS))
    assert np.sum((lines.stamps_ns >= 600 * MS_NS) & (lines.stamps_ns < 618 * MS_NS)) >= 14
    assert [f"tick {n}" for n in range(20, 20 * len(lines.texts) + 1, 20)] == list(lines.texts)


def test_stall_longer_than_the_buffer(tmp_path: Path, tick: Path) -> None:
    """A stall of a second: 50 lines of 9 bytes do not fit 256 bytes; the middle of them is lost."""
    stall = fault('kind = "serial_stall"\nnode = "node"\nfrom_us = 100_000\nfor_us = 1_000_000')
    texts = recorded_lines(tmp_path, tick, stall, ms=1500).texts

    assert "tick 300" in texts
    assert "tick 900" not in texts
    assert "tick 1300" in texts


def test_garbled_bytes(tmp_path: Path, tick: Path) -> None:
    """Of 500 bytes some have one wrong bit; the others are as sent."""
    lines = recorded_lines(tmp_path, tick, fault('kind = "garbled"\nnode = "node"\nppm = 100_000'))
    got = read_record(tmp_path / "node.rec", clock="virtual").data
    sent = b"".join(b"tick %d\n" % n for n in range(20, 3000, 20))[: len(got)]

    wrong = [a ^ b for a, b in zip(got, sent, strict=True) if a != b]
    assert 15 < len(wrong) < 90  # 10 % of about 430
    assert all(difference.bit_count() == 1 for difference in wrong)
    assert lines.texts[0] != lines.texts[-1]


def test_lost_bytes(tmp_path: Path, tick: Path) -> None:
    """Bytes are missing, after which the line continues."""
    recorded_lines(tmp_path, tick, fault('kind = "lost_bytes"\nnode = "node"\nppm = 100_000'))
    got = read_record(tmp_path / "node.rec", clock="virtual").data
    sent = b"".join(b"tick %d\n" % n for n in range(20, 3000, 20))

    at = 0
    for byte in got:
        at = sent.index(byte, at) + 1  # what is left must be in order
    assert 15 < at - len(got) < 90  # 10 % of about 430


def test_lost_lines(tmp_path: Path, tick: Path) -> None:
    """Complete lines are missing, none is damaged."""
    texts = recorded_lines(tmp_path, tick, fault('kind = "lost_lines"\nnode = "node"\nppm = 300_000')).texts

    numbers = [int(text.removeprefix("tick ")) for text in texts]
    assert 20 <= len(numbers) <= 44  # of 49; 6 standard deviations of 0.7 * 49 are 19
    assert numbers == sorted(numbers)
    assert all(number % 20 == 0 for number in numbers)


def test_brown_out(tmp_path: Path, tick: Path) -> None:
    """Without supply for 50 ms no tick is seen, and then the board counts from the beginning."""
    gone = fault('kind = "brown_out"\nnode = "node"\nat_us = 210_000\noff_us = 50_000')
    texts = recorded_lines(tmp_path, tick, gone, ms=500).texts
    samples = seen(tmp_path, tick, gone, ms=300)

    assert [f"tick {n}" for n in (*range(20, 220, 20), *range(20, 120, 20))] == list(texts[:15])
    assert np.all(samples[211 * PER_MS : 259 * PER_MS] & 1 == 0)
    assert len(changes(samples[261 * PER_MS :], STROBE)) >= 37


def test_clock_step(tmp_path: Path, tick: Path) -> None:
    """From 10 ms on the board's clock is 1 % fast: ticks are that much shorter."""
    step = fault('kind = "clock_step"\nnode = "node"\nat_us = 10_000\nppb = 10_000_000')
    lengths = np.diff(changes(seen(tmp_path, tick, step), STROBE))

    assert np.all(np.abs(lengths[:8] - PER_MS) <= 24)
    assert np.all(np.abs(lengths[12:] - PER_MS / 1.01) <= 24)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('kind = "dropped"\nsamples = 5', "give either at_us"),
        ('kind = "dropped"\nsamples = 5\nat_us = [1]\nanalyzer = "lb"', "there is no analyzer `lb`; the bench has la"),
        ('kind = "stuck"\nchannel = "D7"\nlevel = 1', "no channel D7"),
        ('kind = "stuck"\nchannel = "lb:P8_45"\nlevel = 1', "there is no analyzer `lb`"),
        ('kind = "glitch"\nchannel = "P8_45"\nwidth_ps = [9, 3]\nat_us = [1]', "width_ps is [least, most]"),
        ('kind = "garbled"\nnode = "nobody"\nppm = 1', "there is no node `nobody`; the bench has node"),
        ('kind = "brown_out"\nnode = "nobody"\nat_us = 1\noff_us = 1', "there is no node `nobody`"),
        ('kind = "earthquake"', "Invalid value 'earthquake'"),
        ('kind = "stalls"', "missing required field `at_us`"),
    ],
)
def test_wrong_faults_are_refused(text: str, message: str) -> None:
    """Each mistake ends in one error that states what would be right."""
    with pytest.raises(BenchError) as caught:
        benches.loads(bench_text(virtual=fault(text)))

    assert message in str(caught.value)

"""Cases of our own recordings: cut, without files, with descriptions that cannot be; what was lost while recording."""

from __future__ import annotations

import functools
import os
import re
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
from fuzz import invariants
from fuzz.readers import recording_folder

from gpiorig.capture.recording.recording import DESCRIPTION, Recording
from gpiorig.capture.recording.segment_reader import read_segments
from gpiorig.capture.recording.segment_writer import SegmentWriter

from . import seeds
from .case import Case, Verdict, command
from .damage import damaged

EDGES, SERIAL = "edges", "serial/node.rec"
INFO, MEASURE = ("info",), ("measure", "--period", "a:rise")
READERS = (INFO, MEASURE, ("export", "-o", "out.csv"))


def case(
    name: str,
    change: Callable[[Path], object],
    *words: str,
    verdict: Verdict = Verdict.ERROR,
    run: tuple[str, ...] = INFO,
    memory: bool = False,
    gap: bool = False,
) -> Case:
    """A command over a recording that was complete, or has a gap, and then changed."""

    def make(folder: Path) -> Iterable[str | Path]:
        whole = shutil.copytree(recording_folder(gap=True) if gap else recording_folder(), folder / "run")
        change(whole)
        name, *rest = run
        return (name, whole, *(folder / word if word == "out.csv" else word for word in rest))

    return command("recording", f"{name}: {run[0]}", verdict, make, *words, memory=memory)


def cut(share: float) -> Callable[[Path], None]:
    """The last segment file loses its end."""

    def change(folder: Path) -> None:
        path = last(folder)
        os.truncate(path, int(path.stat().st_size * share))

    return change


def last(folder: Path) -> Path:
    """The last segment file."""
    return max((folder / EDGES).glob("*.seg"))


def replaced(old: str, new: str) -> Callable[[Path], None]:
    """The description with another text in it."""

    def change(folder: Path) -> None:
        path = folder / DESCRIPTION
        text, count = re.subn(old, lambda match: new, path.read_text(), count=1, flags=re.M)
        assert count, f"{old} is not in {DESCRIPTION}"
        path.write_text(text)

    return change


def rewritten(name: str, change: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    """A file with other bytes."""

    def write(folder: Path) -> None:
        path = folder / name
        path.write_bytes(change(path.read_bytes()))

    return write


def silence() -> list[Case]:
    """What a complete recording lost."""
    flip = lambda folder: rewritten(f"{EDGES}/{last(folder).name}", _flipped)(folder)  # noqa: E731
    changes: dict[str, tuple[Callable[[Path], object], str]] = {
        "the last segment file cut at 10 %": (cut(0.1), ".seg"),
        "the last segment file cut at 50 %": (cut(0.5), ".seg"),
        "the last segment file cut before its end block": (_without_end, ".seg"),
        "a bit of the last block changed": (flip, ".seg"),
        "the last segment file gone": (lambda folder: last(folder).unlink(), ".seg"),
        "the first segment file gone": (lambda folder: (folder / EDGES / "000001.seg").unlink(), ".seg"),
        "a segment file twice": (_doubled, ".seg"),
        "two segment files exchanged": (_exchanged, ".seg"),
        "edges/ gone": (lambda folder: shutil.rmtree(folder / EDGES), EDGES),
        "edges/ empty": (lambda folder: [path.unlink() for path in (folder / EDGES).glob("*.seg")], ".seg"),
    }
    cases = [case(name, change, word, run=run) for name, (change, word) in changes.items() for run in READERS]
    parts = seeds.serial_parts()
    serial = {
        "the serial record cut between two records": b"".join(parts[:9]),
        "six serial records cut out": b"".join(parts[:5] + parts[11:]),
        "a serial record twice": b"".join(parts[:5] + parts[4:]),
        "the serial record empty": b"",
        "the serial record cut in a record": b"".join(parts)[:-5],
        "garbage in the serial record": b"".join([*parts[:5], b"garbage", *parts[5:]]),
    }
    cases += [case(name, rewritten(SERIAL, lambda _, data=data: data), "node.rec") for name, data in serial.items()]
    cases.append(case("the serial record gone", lambda folder: (folder / SERIAL).unlink(), "node.rec"))
    return cases


def _flipped(content: bytes) -> bytes:
    return content[:-60] + bytes([content[-60] ^ 4]) + content[-59:]


def _without_end(folder: Path) -> None:
    path = last(folder)
    os.truncate(path, path.stat().st_size - 32)


def _doubled(folder: Path) -> None:
    shutil.copy(folder / EDGES / "000001.seg", folder / EDGES / "000009.seg")


def _exchanged(folder: Path) -> None:
    one, other = folder / EDGES / "000001.seg", folder / EDGES / "000002.seg"
    content = one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(content)


def strange_files() -> list[Case]:
    """What lies in edges/ and is not what a capture writes there."""

    def instead(what: Callable[[Path], object]) -> Callable[[Path], None]:
        def change(folder: Path) -> None:
            path = folder / EDGES / "000002.seg"
            path.unlink()
            what(path)

        return change

    def state(change: Callable[[Path], object]) -> Callable[[Path], None]:
        def both(folder: Path) -> None:  # so that it is not only the checksums that refuse it
            replaced('state = "complete"', 'state = "capturing"')(folder)
            change(folder)

        return both

    copies = [lambda f, name=name: (f / EDGES / name).write_bytes(b"x") for name in ("backup.seg", "000001 (copy).seg")]
    return [
        case("edges/backup.seg", state(copies[0]), "backup.seg"),
        case("edges/000001 (copy).seg", state(copies[1]), "copy"),
        case("a folder as segment file", instead(lambda path: path.mkdir()), "000002.seg"),
        case("a link to /dev/zero", instead(lambda path: path.symlink_to("/dev/zero")), "000002.seg", memory=True),
        case("the same, still capturing", state(instead(lambda path: path.symlink_to("/dev/zero"))), memory=True),
        case("a pipe as segment file", state(instead(os.mkfifo)), "000002.seg", memory=True),
        case("a pipe as serial record", state(_pipe), "not a regular file", memory=True),
        case("20 GB of zeros after the last block", state(_long), "cut short", memory=True),
        case("edges/ leads to another folder", state(_moved), verdict=Verdict.SAME),
        case("2^32-1 rows in a header", state(rewritten(f"{EDGES}/000002.seg", _counted)), ".seg", memory=True),
    ]


def _pipe(folder: Path) -> None:
    (folder / SERIAL).unlink()
    os.mkfifo(folder / SERIAL)


def _long(folder: Path) -> None:
    os.truncate(last(folder), 20 << 30)


def _moved(folder: Path) -> None:
    (folder / EDGES).rename(folder.parent / "elsewhere")
    (folder / EDGES).symlink_to(folder.parent / "elsewhere")


def _counted(content: bytes) -> bytes:
    import struct
    import zlib

    from gpiorig.capture.recording.segment_format import BODY, HEADER_SIZE

    magic, kind, number, _, watermark, crc = BODY.unpack(content[: BODY.size])
    body = BODY.pack(magic, kind, number, (1 << 32) - 1, watermark, crc)
    return body + struct.pack("<I", zlib.crc32(body)) + content[HEADER_SIZE:]


def descriptions() -> list[Case]:
    """Values that recording.toml cannot have."""
    rate, losses, names = '^samplerate = "1000000/1"', r"^losses = \[\]", r"^channels = \[[^\]]*\]"
    loss = 'losses = [{{start = {}, end = {}, samples = {}, uncertainty = 0, found_by = "x"}}]'
    rates = ("0/1", "-1/1", "1/0", "nan", "1e999999999", "9" * 400, "9" * 5000, "x", "1" + "0" * 17 + "/1")
    lies = ((90, 50, 1), (-5, 5, 1), (0, 1 << 70, 1), (0, 50, -500), (0, 50, (1 << 63) - 1), (0, 50, 1 << 62))
    many = ", ".join(f'"c{n}"' for n in range(65))
    return [
        *(
            case(f"samplerate {text[:20]}, {len(text)} characters",
                 replaced(rate, f'samplerate = "{text}"'), DESCRIPTION)
            for text in rates
        ),
        *(
            case(f"a loss of {samples} samples in [{start}, {end})", replaced(losses, loss.format(start, end, samples)),
                 DESCRIPTION, run=run, memory=True)
            for start, end, samples in lies for run in (INFO, MEASURE)
        ),
        case("65 channels", replaced(names, f"channels = [{many}]"), DESCRIPTION),
        case("a channel twice", replaced(names, 'channels = ["a", "b", "a"]'), DESCRIPTION),
        case("format 99", replaced("^format = .*", "format = 99"), "99"),
        case("an unknown key", replaced("^format", "fromat = 1\nformat"), "fromat"),
        case("an integer of 5000 digits", replaced("^format = .*", "format = " + "9" * 5000), DESCRIPTION),
        case("a name of 30 000 parts", replaced("^format = .*", "a." * 30_000 + "a = 1"), "32 parts", memory=True),
        case("50 000 nested lists", replaced("^format = .*", "format = " + "[" * 50_000), DESCRIPTION, memory=True),
        case("not TOML", rewritten(DESCRIPTION, lambda text: text[:-9] + b"= = ="), DESCRIPTION),
        case("not text", rewritten(DESCRIPTION, lambda text: b"\xff\xfe" + text), DESCRIPTION),
        case("empty", rewritten(DESCRIPTION, lambda text: b""), DESCRIPTION),
        *(
            case(f"{path} in [files]", replaced(r"^\[files\.", f'[files."{path}"]\nsize = 1\nsha256 = "0"\n\n[files.'))
            for path in ("../../x", "/etc/hostname")
        ),
    ]  # fmt: skip


def marked() -> list[Case]:
    """Known losses are reported, and the rest is read."""

    def broken(change: Callable[[Path], object]) -> Callable[[Path], None]:
        def both(folder: Path) -> None:
            replaced('state = "complete"', 'state = "capturing"')(folder)
            change(folder)

        return both

    put = 'losses = [{start = 500, end = 600, samples = 50, uncertainty = 2, found_by = "the clock"}]'
    mark = Verdict.MARK
    return [
        case("interrupted, its last block cut", broken(_torn), "interrupted", verdict=mark),
        case("interrupted", broken(lambda folder: None), "interrupted", verdict=mark),
        case("incomplete", replaced('state = "complete"', 'state = "incomplete"'), "incomplete", verdict=mark),
        case("a gap in the files", lambda folder: None, "1 gap (100 samples lost)", verdict=mark, gap=True),
        case("a loss that is a gap when it is read", replaced(r"^losses = \[\]", put), "1 gap", verdict=mark),
    ]  # fmt: skip


def _torn(folder: Path) -> None:
    path = last(folder)
    os.truncate(path, path.stat().st_size - 40)


def segment_writers() -> list[Case]:
    """Appending and gaps in any order."""

    def adjoining(folder: Path) -> str:
        writer = SegmentWriter(folder)
        writer.append(_int(0, 50), _levels(1, 0), watermark=100)
        writer.gap(100, 200)
        writer.gap(200, 300)
        writer.append(_int(300), _levels(1), watermark=400)
        writer.close()
        edges = read_segments(folder).edges(samplerate_hz=seeds.RATE_HZ, channels=("a",))
        covered = sum(int(end - start) for start, end in edges.gaps)
        return "" if (covered, edges.samples.tolist()) == (200, [0, 50, 300]) else f"{edges}"

    def refused(*calls: Callable[[SegmentWriter], object]) -> Callable[[Path], str]:
        def check(folder: Path) -> str:
            writer = SegmentWriter(folder)
            try:
                for call in calls:
                    call(writer)
            except invariants.OURS:
                return ""
            finally:
                writer.close()
            return "accepted"

        return check

    fewer = refused(lambda writer: writer.append(np.arange(10), _levels(1, 2, 3), watermark=20))
    back = refused(lambda writer: writer.append(_int(5, 3), _levels(1, 2), watermark=20))
    return [
        Case("segments", "adjoining gaps", Verdict.SAME, adjoining),
        Case("segments", "10 samples and 3 levels", Verdict.ERROR, fewer),
        Case("segments", "samples that decrease", Verdict.ERROR, back),
    ]


def _int(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int64)


def _levels(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.uint64)


def random_damage(tries: int = 300) -> list[Case]:
    """Random damage: what was complete is an error or the same; what was not is right as far as it goes."""

    def check(name: str, number: int, complete: bool) -> Callable[[Path], str]:
        def run(folder: Path) -> str:
            whole = shutil.copytree(recording_folder(), folder / "run")
            paths = {EDGES: whole / EDGES / f"00000{1 + number % 3}.seg", "serial": whole / SERIAL}
            if not complete:
                replaced('state = "complete"', 'state = "capturing"')(whole)
            path = paths[name]
            path.write_bytes(damaged(path.read_bytes(), number))
            good = _content()
            try:
                opened = Recording.open(whole)
                edges, lines = invariants.edges_of(opened.waveform()), opened.serial("node").lines().texts
            except invariants.OURS:
                return ""
            if complete and (not invariants.equal(edges, good[0]) or lines != good[1]):
                return "another result, and nothing says so"
            prefix = np.array_equal(edges.samples, good[0].samples[: edges.samples.size])
            return "" if prefix and lines == good[1][: len(lines)] else "not the beginning of what was recorded"

        return run

    return [
        Case(name, f"{'complete' if complete else 'broken off'}, random damage {number}", verdict,
             check(name, number, complete))
        for name in (EDGES, "serial")
        for complete, verdict in ((True, Verdict.CHECKED), (False, Verdict.RECOVERED))
        for number in range(tries)
    ]  # fmt: skip


@functools.cache
def _content() -> tuple:
    opened = Recording.open(recording_folder())
    return opened.edges(), opened.serial("node").lines().texts


def cases() -> list[Case]:
    """All of them."""
    return [*silence(), *strange_files(), *descriptions(), *marked(), *segment_writers(), *random_damage()]

"""Slices for PulseView, and the real PulseView on one."""

from __future__ import annotations

import colorsys
import configparser
import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from commandline import ROOT, Demo, gpiorig
from numpy.typing import NDArray
from patience import PATIENCE_S

from gpiorig.analysis.figures.palette import KIND_COLOURS
from gpiorig.analysis.packets.path import Kind
from gpiorig.analysis.traces.pulseview_session import timestamp
from gpiorig.capture.formats.sr import read_sr
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.export import decoder_stacks, pulseview_slices, pulseview_window
from gpiorig.rig.recordings.opened import open_recording
from gpiorig.rig.results.analyse import analyse

WIDTH, HEIGHT = 1000, 720  # of a PulseView that was not used before
LEFT = 200  # labels of channels are left of this
PACKET = 7


def session_of(file: Path) -> configparser.ConfigParser:
    """A .pvs file."""
    session = configparser.ConfigParser(interpolation=None, strict=True)
    session.optionxform = str  # type: ignore[assignment,method-assign]
    session.read(file)
    return session


@pytest.fixture(scope="module")
def cut(demo: Demo, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The .sr file of a packet's slice."""
    path = tmp_path_factory.mktemp("slice") / "p.sr"
    with patch.dict(os.environ, XDG_CONFIG_HOME=str(path.parent)):
        done = gpiorig("export", demo.folder, "--pulseview", "--packet", str(PACKET), "-o", path)
    assert (0, "") == (done.status, done.stderr)
    return path


def test_a_slice_is_the_packet_and_its_surroundings(demo: Demo, cut: Path) -> None:
    """The .sr file holds the edges of the round trip; markers lie on its milestones, counted from the file's start."""
    recording = Recording.open(demo.folder)
    lines = analyse(open_recording(recording)).timelines
    row = pulseview_slices.packet_row(lines, str(PACKET))
    start = int(lines.samples[row, 0]) - 2400  # 100 us
    end = int(lines.samples[row, -1]) + 2400
    slice_edges, edges = read_sr(cut), recording.edges().window(start, end)
    assert (end - start, edges.channels) == (slice_edges.end, slice_edges.channels)
    for name in filter(None, slice_edges.channels):
        assert (edges.channel(name)[0] - start).tolist() == slice_edges.channel(name)[0].tolist()

    session = session_of(cut.with_suffix(".pvs"))
    metas = [session[name] for name in session.sections() if name.startswith("meta_obj")]
    marks = {meta["text"].strip('"'): meta["time"] for meta in metas}
    for name, text in {"request.app.tx": "send", "reply.app.tx": "reply", "reply.app.rx": "answer"}.items():
        sample = int(lines.column(name)[row])
        assert timestamp((sample - start) / lines.samplerate_hz) == marks[text]


def test_the_decoders_of_a_slice(demo: Demo, cut: Path) -> None:
    """The timeline's decoder is on every line of its nodes, in the order in which it declares its channels."""
    trace = session_of(cut.with_suffix(".pvs"))["decode_signal0"]
    assert "gpio_timeline" == trace["decoder0\\id"]
    assert len(decoder_stacks.TIMELINE_CHANNELS) == int(trace["channels"])
    assigned = [trace[f"channel{i}\\assigned_signal_name"].strip('"') for i in range(10)]
    words = gpiorig("decode", "--wiring", demo.folder).stdout
    assert assigned == [word.partition("=")[2] for word in words.split(":")[1:11]]
    assert words.partition("wiring=")[2].partition(":")[0] in trace["decoder0\\option0\\value"]


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (("--packet", "slowest"), "packet-slowest"),
        (("--packet", "typical", "--zoom", "responder", "--cursors"), "packet-typical"),
        (("--around", "20000000sa", "--margin", "500us"), "window"),
        (("--from", "9000000sa", "--to", "9100000sa"), "window"),
    ],
)
def test_ways_to_choose(
    demo: Demo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], name: str
) -> None:
    """By packet, by sample, by window; both files are written, and the samples are as many as asked for."""
    monkeypatch.chdir(tmp_path)
    done = gpiorig("export", demo.folder, "--pulseview", *words)
    assert (0, "") == (done.status, done.stderr)
    session = session_of(tmp_path / f"{name}.pvs")
    known = {"--around": 24_000, "--from": 100_000}
    if words[0] in known:
        assert known[words[0]] == read_sr(tmp_path / f"{name}.sr").end
    assert ("--cursors" in words) == any(meta.get("type") == "selection" for meta in session.values())


# As PulseView 0.4.2 wrote it when a window of 1234 pixels by 800 was closed.
GEOMETRY = (
    r"@ByteArray(\x1\xd9\xd0\xcb\0\x3\0\0\0\0\0\0\0\0\0\0\0\0\x4\xd1\0\0\x3\x1f\0\0\0\0\0\0\0\0\0\0\x4\xd1\0\0\x3\x1f\0\0"
    r"\0\0\0\0\0\0\x6@\0\0\0\0\0\0\0\0\0\0\x4\xd1\0\0\x3\x1f)"
)


@pytest.mark.parametrize(
    ("text", "width"),
    [
        (f"[MainWindow]\ngeometry={GEOMETRY}\n", 1234),
        ("[MainWindow]\ngeometry=@ByteArray(\\x1\\xd9)\n", pulseview_window.FRESH_WIDTH),
        ("[MainWindow]\ngeometry=@Rect(0 0 5 5)\n", pulseview_window.FRESH_WIDTH),
        ("no INI", pulseview_window.FRESH_WIDTH),
        ("", pulseview_window.FRESH_WIDTH),
    ],
)
def test_the_width_of_the_window(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, width: int) -> None:
    """As it was when PulseView was closed, from its settings; what cannot be read is as for a fresh one."""
    (tmp_path / "sigrok").mkdir()
    (tmp_path / "sigrok" / "PulseView.conf").write_text(text)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert width == pulseview_window.window_width()


def test_markers_do_not_overlap(demo: Demo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of markers too near to each other the first of the list stays."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert 0 == gpiorig("export", demo.folder, "--pulseview", "--packet", "typical").status
    session = session_of(tmp_path / "packet-typical.pvs")
    texts = [session[name]["text"].strip('"') for name in session.sections() if name.startswith("meta_obj")]
    assert "send" == texts[0]
    assert "answer" == texts[-1]
    assert "irq" not in texts  # next to `reply` and to `answer`


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("--packet", "9999"), "there is no packet 9999"),
        (("--packet", "1", "-o", "x.vcd"), "ends in .sr"),
        (("--from", "5sa"), "give both"),
        (("--from", "5sa", "--to", "4sa"), "no samples 5 to 4"),
    ],
)
def test_wrong_use(demo: Demo, words: tuple[str, ...], error: str) -> None:
    """Ends with status 2 and names the mistake."""
    done = gpiorig("export", demo.folder, "--pulseview", *words)
    assert 2 == done.status
    assert error in done.stderr


@contextmanager
def display() -> Iterator[str]:
    """A virtual X display."""
    read, write = os.pipe()
    command = ["Xvfb", "-displayfd", str(write), "-screen", "0", f"{WIDTH}x{HEIGHT}x24", "-nolisten", "tcp"]
    with subprocess.Popen(command, pass_fds=(write,), stderr=subprocess.DEVNULL) as server:
        os.close(write)
        with os.fdopen(read) as pipe:
            yield f":{pipe.readline().strip()}"
        server.terminate()


def picture(environment: dict[str, str]) -> NDArray[np.uint8]:
    """What is on the screen: rows of pixels of (red, green, blue)."""
    raw = subprocess.run(
        ["import", "-window", "root", "-depth", "8", "rgb:-"],
        env=environment,
        capture_output=True,
        timeout=PATIENCE_S,
        check=True,
    )
    return np.frombuffer(raw.stdout, np.uint8).reshape(HEIGHT, WIDTH, 3)


def colours(pixels: NDArray[np.uint8]) -> dict[str, int]:
    """How many pixels there are of each colour."""
    values = pixels.reshape(-1, 3).astype(np.uint32) @ np.array([1 << 16, 1 << 8, 1], np.uint32)
    rgb_values, counts = np.unique(values, return_counts=True)
    return {f"#{value:06X}": int(count) for value, count in zip(rgb_values, counts, strict=True)}


def columns(pixels: NDArray[np.uint8], colour: str, *, within: float = 12) -> NDArray[np.int64]:
    """Columns with a box of an annotation of this hue: ten pixels of it or more in a row of 20, right of the labels."""
    hue = hsv(colour)[0]
    boxes = [
        (int(rgb, 16), np.array([int(rgb[at : at + 2], 16) for at in (0, 2, 4)], np.uint8))
        for rgb in (name.removeprefix("#") for name, count in colours(pixels[:, LEFT:]).items() if count > 500)
    ]
    there = np.zeros(pixels.shape[:2], dtype=bool)
    for value, rgb in boxes:
        seen_hue, saturation, _ = hsv(f"#{value:06X}")
        if saturation > 0.4 and abs((seen_hue - hue + 180) % 360 - 180) < within:
            there |= (pixels == rgb).all(axis=2)
    return np.flatnonzero(there[:, LEFT:].sum(axis=0) >= 10) + LEFT


def hsv(colour: str) -> tuple[float, float, float]:
    """Hue in degrees, saturation, value of ``#RRGGBB``."""
    hue, saturation, value = colorsys.rgb_to_hsv(*(int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)))
    return hue * 360, saturation, value


def is_drawn(pixels: NDArray[np.uint8]) -> bool:
    """Whether the steps are there in the report's colours, and the labels of both nodes and of the decoder."""
    seen = colours(pixels)
    labels = (*decoder_stacks.NODE_COLOURS[:2], decoder_stacks.TIMELINE_COLOUR)
    steps = [KIND_COLOURS[kind] for kind in (Kind.AIR, Kind.RADIO_WAIT)]
    return all(seen.get(colour, 0) > 300 for colour in labels) and all(len(columns(pixels, one)) > 20 for one in steps)


@pytest.mark.slow
def test_pulseview_shows_a_slice(cut: Path, tmp_path: Path) -> None:
    """The real PulseView runs the decoder without an error and shows all of the packet in colours of the report."""
    with display() as name:
        environment = os.environ | {
            "DISPLAY": name,
            "HOME": str(tmp_path),
            "XDG_CONFIG_HOME": str(tmp_path),
            "XDG_RUNTIME_DIR": str(tmp_path),
            "TMPDIR": str(tmp_path),
            "QT_QPA_PLATFORM": "xcb",
            "SIGROKDECODE_DIR": str(ROOT / "decoders"),
        }
        command = ["pulseview", "-qwindowgeometry", f"{WIDTH}x{HEIGHT}+0+0", "-D", "-c", "-i", cut]
        with (
            (tmp_path / "errors").open("w") as errors,
            subprocess.Popen(command, env=environment, stdout=errors, stderr=errors) as shown,
        ):
            seen = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
            deadline = time.monotonic() + PATIENCE_S
            while not is_drawn(seen) and shown.poll() is None and time.monotonic() < deadline:
                time.sleep(0.5)
                seen = picture(environment)
            alive = shown.poll() is None
            shown.kill()
    messages = (tmp_path / "errors").read_text()
    assert alive, messages
    assert [] == [line for line in messages.splitlines() if "srd:" in line or "Traceback" in line or "ERROR" in line]
    assert is_drawn(seen), colours(seen)
    # From the end of the first wait to the end of the reply the packet is on the air, but for the responder's work.
    air = columns(seen, KIND_COLOURS[Kind.AIR])
    assert (WIDTH - LEFT) / 3 < air[-1] - air[0]
    assert air[-1] < WIDTH - 20

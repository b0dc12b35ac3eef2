"""Makes the recordings of radios' SPI buses in tests/data/radios: `python tests/studies/radio_captures.py`.

They are our own, from the virtual bench: the SPI lines of one of two nodes, from its start to the end of two round
trips, cut out of a longer run with more lines; next to each the output of sigrok-cli with our decoders. Run it
again when the virtual boards, the reference firmware or the decoders change, and look at the difference before you
commit it.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from commandline import ROOT, gpiorig

from gpiorig.analysis.decoderhost.library import Library
from gpiorig.analysis.radio import spi_frames
from gpiorig.capture.buses import spi
from gpiorig.capture.edges.edges import Edges
from gpiorig.capture.formats.sr import write_sr
from gpiorig.capture.recording.recording import Recording

DATA = Path(__file__).parents[1] / "data"
STORED = DATA / "radios"
PACKETS = 4
MARGIN = 2_400  # samples kept on either side: 100 us


@dataclass(frozen=True, slots=True)
class Radio:
    """A radio, its decoder, and on which nodes of its bench the analyzer is on its SPI bus."""

    chip: str
    decoder: str
    nodes: tuple[str, ...]
    kept: int  # frames at the initiator that make two round trips; a CC2420 hands acknowledgements on as well

    @property
    def capture(self) -> Path:
        return STORED / f"{self.chip}.sr"

    @property
    def text(self) -> Path:
        return STORED / f"{self.chip}.txt"


RADIOS = (
    Radio("at86rf231", "at86rf2xx", ("initiator", "responder"), 4),
    Radio("cc2420", "cc2420", ("initiator",), 6),
    Radio("mrf24j40", "mrf24j40m", ("initiator", "responder"), 4),
    Radio("spirit1", "spirit1", ("initiator", "responder"), 4),
)


def spi_lines(node: str) -> str:
    """The lines of a node, as sigrok-cli wants them."""
    return f"clk={node}.spi_clk:mosi={node}.spi_mosi:miso={node}.spi_miso:cs={node}.tap.select"


def sigrok(capture: Path, *words: str) -> subprocess.CompletedProcess[bytes]:
    """Run sigrok-cli with our decoders; an exit by the fault of `has_channel` in `spi` counts as success."""
    done = subprocess.run(
        ["sigrok-cli", "-i", str(capture), *words],
        env={**os.environ, "SIGROKDECODE_DIR": str(ROOT / "decoders")},
        capture_output=True,
    )
    assert done.returncode == 0 or b"bool_dealloc" in done.stderr, done
    assert b"Traceback" not in done.stderr, done.stderr.decode()
    return done


def decoded(radio: Radio) -> str:
    """All annotations of the radio's decoder and `ieee802154` on the initiator's bus."""
    stack = f"spi:{spi_lines('initiator')},{radio.decoder},ieee802154:packet_id=yes"
    shown = f"{radio.decoder},ieee802154"
    words = ("-P", stack, "-A", shown, "--protocol-decoder-samplenum")
    return sigrok(radio.capture, *words).stdout.decode()


def run(radio: Radio, folder: Path) -> Recording:
    """Play ping-pong on the radio's virtual bench."""
    bench = DATA / f"spi_{radio.chip}_bench.toml"
    words = ("--packets", str(PACKETS), "--no-report")
    done = gpiorig("run", bench, ROOT / "experiments/pingpong.toml", "-o", folder, *words)
    assert (0, "") == (done.status, done.stderr)
    return Recording.open(folder)


def frames(recording: Recording, radio: Radio, node: str) -> spi_frames.RadioFrames:
    """The frames on a node's SPI bus."""
    edges = recording.edges()
    lines = spi.lines_of(edges.channels, node)
    transfers = [spi.decode(edges, lines)]
    decoder = Library((ROOT / "decoders",)).load(radio.decoder)
    return spi_frames.frames(transfers, decoder=decoder, samplerate_hz=edges.samplerate_hz, lines=lines, node=node)


def cut(edges: Edges, start: int, end: int) -> Edges:
    """The initiator's SPI lines in a window."""
    names = [f"initiator.{line}" for line in ("spi_clk", "spi_mosi", "spi_miso", "tap.select")]
    part = edges.window(start, end)
    levels = np.zeros_like(part.levels)
    for place, name in enumerate(names):
        levels |= (part.levels >> np.uint64(part.channels.index(name)) & np.uint64(1)) << np.uint64(place)
    changed = np.flatnonzero(np.diff(levels, prepend=~levels[:1]))
    block = part.samples[changed], levels[changed]
    return Edges.from_blocks([block], samplerate_hz=part.samplerate_hz, channels=names, end=part.end)


def make(radio: Radio, folder: Path) -> None:
    """Record, cut, decode."""
    recording = run(radio, folder / radio.chip)
    edges = recording.edges()
    first = spi.decode(edges, spi.lines_of(edges.channels, "initiator")).start[0]
    last = frames(recording, radio, "initiator").end[radio.kept - 1]
    write_sr(radio.capture, cut(edges, int(first) - MARGIN, int(last) + MARGIN))
    radio.text.write_text(decoded(radio))


if __name__ == "__main__":
    STORED.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        for radio in RADIOS:
            radio.capture.unlink(missing_ok=True)
            make(radio, Path(place))

"""The sigrok decoder and the native fast path see the same events in the demo recording."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from commandline import ROOT, Demo, gpiorig

from gpiorig.analysis.events import events
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.bench import benches
from gpiorig.rig.recordings.opened import wiring

# OUTPUT_BINARY of decoders/gpio_probe: sample, node, code, id, flags; flag 1: the event has an id.
RECORD = np.dtype([("sample", "<u8"), ("node", "u1"), ("code", "u1"), ("id", "<u2"), ("flags", "<u4")])
HAS_ID = 1


@pytest.fixture(scope="module")
def sr_file(demo: Demo, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The complete demo recording as a .sr file."""
    path = tmp_path_factory.mktemp("sr") / "demo.sr"
    assert 0 == gpiorig("export", demo.folder, "-o", path).status
    return path


def decoded_by_sigrok(sr_file: Path, node: str) -> list[tuple[int, int, int]]:
    """(sample, code, id or -1) of every event of a node, by the real sigrok-cli."""
    lines = {"strobe": "strobe", "d0": "d0", "d1": "d1", "span0": "tap.irq", "span1": "tap.frame_timestamp"}
    channels = ":".join(f"{channel}={node}.{line}" for channel, line in lines.items())
    done = subprocess.run(
        ["sigrok-cli", "-i", sr_file, "-P", f"gpio_probe:{channels}:width=2", "-B", "gpio_probe=events"],
        capture_output=True,
        env=os.environ | {"SIGROKDECODE_DIR": str(ROOT / "decoders")},
        check=True,
    )
    records = np.sort(np.frombuffer(done.stdout, RECORD), order=["sample", "code"])
    ids = np.where(records["flags"] & HAS_ID, records["id"].astype(int), -1)
    return list(zip(records["sample"].tolist(), records["code"].tolist(), ids.tolist(), strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("node", ["initiator", "responder"])
def test_sigrok_and_native_agree_on_the_demo(demo: Demo, sr_file: Path, node: str) -> None:
    """The same events, to the sample, on every line of a node."""
    recording = Recording.open(demo.folder)
    stage = events.from_edges(recording.edges(), wiring(benches.loads(recording.info.bench)))
    of_node = stage.nodes == stage.node(node)
    native = sorted(
        zip(stage.samples[of_node].tolist(), stage.codes[of_node].tolist(), stage.ids[of_node].tolist(), strict=True)
    )

    assert len(native) > 3000
    assert native == decoded_by_sigrok(sr_file, node)


def test_sr_file_holds_the_same_edges(demo: Demo, sr_file: Path) -> None:
    """A recording survives the way through a .sr file: `gpiorig info` prints the same for both."""
    recording, exported = (gpiorig("info", source, "--json").numbers for source in (demo.folder, sr_file))

    for key in ("samplerate_hz", "samples", "duration_s", "start", "channels"):
        assert recording[key] == exported[key]

"""What a recording was made with, and which recordings repeat a set-up."""

from __future__ import annotations

import msgspec
import pytest

from gpiorig.capture.recording.description import Epoch, RecordingInfo
from gpiorig.rig.results import set_up

INFO = RecordingInfo(
    samplerate="24000000/1",
    channels=("a",),
    epoch=Epoch("2026-01-01T00:00:00+00:00"),
    virtual=True,
    experiment="pingpong",
    parameters={"payload": 32, "seed": 1, "thresholds": "rtt.p99 +5 %"},
    firmware={"initiator": "0" * 64},
    bench='name = "two"\n[nodes.a.lines]\nstrobe = "D0"\n[virtual]\nseed = 1\n',
    tools={"gpiorig": "1"},
    analyzer="beaglelogic:conn=tcp-raw/127.0.0.1/1",
)


def test_its_parts() -> None:
    """The keys of the bench are parts of their own; what only judges is none."""
    parts = set_up.of(INFO)
    assert "32" == parts["setting payload"]
    assert "D0" == parts["bench nodes.a.lines.strobe"]
    assert "0" * 12 == parts["firmware of initiator"]
    assert not any("threshold" in name for name in parts)


@pytest.mark.parametrize(("changes", "repeats"), [
    ({"parameters": {"payload": 32, "seed": 2}}, True),
    ({"bench": INFO.bench.replace("seed = 1", "seed = 2").replace("two", "2")}, True),
    ({"tools": {"gpiorig": "2"}}, True),
    ({"analyzer": "beaglelogic:conn=tcp-raw/127.0.0.1/41635"}, True),
    ({"analyzer": "beaglelogic:conn=tcp-raw/127.0.0.2/1"}, False),
    ({"analyzer": "fx2lafw"}, False),
    ({"parameters": {"payload": 64, "seed": 1}}, False),
    ({"bench": INFO.bench.replace("D0", "D1")}, False),
    ({"firmware": {"initiator": "0" * 63 + "1"}}, False),
    ({"experiment": "other"}, False),
])  # fmt: skip
def test_what_repeats_it(changes: dict[str, object], *, repeats: bool) -> None:
    """Seeds, versions of programs and ports may differ; the digest has all of the image's, not what is shown of it."""
    assert repeats == (set_up.digest(INFO) == set_up.digest(msgspec.structs.replace(INFO, **changes)))


def test_without_an_experiment_nothing_repeats_it() -> None:
    assert "" == set_up.digest(msgspec.structs.replace(INFO, experiment=""))

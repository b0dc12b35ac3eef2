"""A bench and an experiment with many seeds: a study without a document or a figure."""

from __future__ import annotations

from pathlib import Path

import pytest
from commandline import ROOT, gpiorig
from modebench import bench_text

from gpiorig.capture.recording.recording import Recording

STUDY = f"""
[bench]
file = "bench.toml"
[experiment]
base = "{ROOT / "experiments/pingpong.toml"}"
packets = 3
{{seeds}}
"""
AXIS = '[[vary]]\nname = "seed"\nvalues = [1, 7]\n[vary.set]\n"settings.seed" = [1, 7]\n"bench.virtual.seed" = [1, 7]'


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seeds", "expected"),
    [
        ("[repeat]\nn = 3", [1, 2, 3]),
        (AXIS, [1, 7]),
    ],
)
def test_each_seed_is_a_recording(tmp_path: Path, seeds: str, expected: list[int]) -> None:
    """Bench and firmware get the seed; what is there is kept, and one that was interrupted is recorded again."""
    (tmp_path / "bench.toml").write_text(bench_text({"initiator": "iotlab-m3", "responder": "iotlab-m3"}))
    (tmp_path / "s.toml").write_text(STUDY.format(seeds=seeds))
    words = ("study", "run", tmp_path / "s.toml", "-o", tmp_path / "out", "--direct")
    assert 0 == gpiorig(*words).status
    recordings = {path.parent: path.read_bytes() for path in tmp_path.glob("out/points/*/recording/recording.toml")}
    parameters = [Recording.open(folder).info.parameters for folder in recordings]
    assert expected == sorted(of_one["seed"] for of_one in parameters)
    assert expected == sorted(of_one["bench_seed"] for of_one in parameters)

    interrupted = next(iter(recordings))
    Recording.open(interrupted).update(state="incomplete", reason="interrupted")
    assert 0 == gpiorig(*words).status
    assert "complete" == Recording.open(interrupted).state
    rest = [folder for folder in recordings if folder != interrupted]
    assert [recordings[folder] for folder in rest] == [(folder / "recording.toml").read_bytes() for folder in rest]

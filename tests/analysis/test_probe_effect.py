"""The probe-effect meter on the virtual IoT-LAB M3, against the build without probes: there the truth is known."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from commandline import ROOT, gpiorig

from gpiorig.rig.experiments.images import reference_image

DATA = Path(__file__).parents[1] / "data"
BENCH, EXPERIMENT = DATA / "probe_effect_m3_bench.toml", ROOT / "experiments/probe-effect.toml"
PACKETS = 30
VARIANTS = ("normal", "empty", "doubled", "off")

WAITS = {"reply: driver prepares, loads, starts", "request mark to reply mark"}  # a poll ends the first, in the second
COMPARED = ("zero_ns", "cost_ns", "true_cost_ns")

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def images() -> None:
    """All builds of the reference firmware; `make firmware` makes those with normal probes."""
    for variant in VARIANTS:
        make = ["make", "-s", "-C", str(ROOT / "firmware-gpio-probes"), "BOARD=iotlab-m3", f"PROBES={variant}"]
        subprocess.run(make, check=True, capture_output=True)


@pytest.fixture(scope="module")
def folder(images: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The meter's folder after a complete measurement."""
    folder = tmp_path_factory.mktemp("probes") / "effect"
    done = gpiorig("firmware", "cost", BENCH, EXPERIMENT, "-o", folder, "--packets", str(PACKETS))
    assert (0, "") == (done.status, done.stderr)
    assert "Virtual bench" in done.stdout
    return folder


@pytest.fixture(scope="module")
def numbers(folder: Path) -> dict[str, Any]:
    effects: dict[str, Any] = json.loads((folder / "probe-effect.json").read_text())
    return effects


@pytest.fixture(scope="module")
def known(numbers: dict[str, Any]) -> list[dict[str, Any]]:
    """The delays that the build without probes has, too."""
    return [delay for delay in numbers["delays"] if delay["error_ns"] is not None]


def test_extrapolation_is_closer_to_the_truth_than_the_normal_run(known: list[dict[str, Any]]) -> None:
    """Of every delay whose true cost is above what the analyzer resolves, but for the one that a poll ends."""
    resolved = [
        delay
        for delay in known
        if delay["events"] and abs(delay["true_cost_ns"]) > 1000 and delay["delay"] not in WAITS
    ]

    assert len(resolved) >= 8
    for delay in resolved:
        assert abs(delay["error_ns"]) < abs(delay["true_cost_ns"]), delay["delay"]


def test_error_of_a_step_is_below_the_cost_of_one_event(numbers: dict[str, Any], known: list[dict[str, Any]]) -> None:
    """One event with an id, as the calibration burst has it; the steps are those between the radio's lines.

    But for the step that polls until the radio has sent its acknowledgement, and what contains it: a wait swallows what
    was spent before it, and ends with the next poll.
    """
    one_event_ns = min(numbers["event_ns"].values())
    steps = [delay for delay in known if delay["source"] == "taps" and delay["delay"] not in WAITS]

    assert 10 == len(steps)
    assert [] == [step["delay"] for step in steps if abs(step["error_ns"]) >= one_event_ns]


def test_steps_add_up(known: list[dict[str, Any]]) -> None:
    """True costs of the steps, the stack of the initiator among them, make up that of the round trip."""
    by_name = {delay["delay"]: delay for delay in known}
    parts = [delay for name, delay in by_name.items() if name not in {"round trip", "request mark to reply mark"}]

    difference = sum(part["true_cost_ns"] for part in parts) - by_name["round trip"]["true_cost_ns"]
    assert abs(difference) <= 2 * 1000  # stamps of a microsecond


def test_where_nothing_is_sent_nothing_changes(known: list[dict[str, Any]]) -> None:
    """A frame in the air takes as long with any probes."""
    air = [delay for delay in known if delay["delay"].endswith("rest of the frame")]

    assert 2 == len(air)
    for delay in air:
        assert abs(delay["true_cost_ns"]) <= 2 * 1e9 / 24e6


def test_files_are_written(folder: Path) -> None:
    for suffix in ("json", "csv", "parquet", "svg", "png"):
        assert (folder / f"probe-effect.{suffix}").stat().st_size > 0


def test_a_folder_with_recordings_is_only_compared(folder: Path, numbers: dict[str, Any]) -> None:
    """And gives the same numbers again."""
    done = gpiorig("firmware", "cost", BENCH, EXPERIMENT, "-o", folder, "--packets", str(PACKETS), "--json")

    assert 0 == done.status
    assert numbers == done.numbers


def test_one_build_at_a_time(images: None, tmp_path: Path) -> None:
    """As on boards, where an image must be flashed in between."""
    done = gpiorig("firmware", "cost", BENCH, EXPERIMENT, "-o", tmp_path, "--packets", "2", "--only", "normal")

    assert (0, "") == (done.status, done.stderr)
    assert "still to record: off, empty, doubled" in done.stdout
    assert ["normal"] == [entry.name for entry in tmp_path.iterdir()]


def test_images_of_ones_own(images: None, folder: Path, tmp_path: Path) -> None:
    """Images given as files are run, whatever the bench file names: the same numbers as with the reference firmware."""
    bench = tmp_path / "bench.toml"
    bench.write_text(BENCH.read_text().replace('board = "iotlab-m3"\n', 'board = "iotlab-m3"\nfirmware = "gone.elf"\n'))
    words = []
    for variant in ("off", "normal", "doubled"):
        copy = tmp_path / f"{variant}.elf"
        copy.write_bytes(reference_image("iotlab-m3", probes=variant).read_bytes())
        words += ["--image", f"{variant}={copy}"]

    done = gpiorig(
        "firmware", "cost", bench, EXPERIMENT, "-o", tmp_path / "own", "--packets", str(PACKETS), "--json", *words
    )

    assert (0, "") == (done.status, done.stderr)
    assert ["doubled", "normal", "off"] == sorted(
        entry.name for entry in (tmp_path / "own").iterdir() if entry.is_dir()
    )
    reference = json.loads((folder / "probe-effect.json").read_text())
    assert [[delay[key] for key in COMPARED] for delay in reference["delays"]] == [
        [delay[key] for key in COMPARED] for delay in done.numbers["delays"]
    ]

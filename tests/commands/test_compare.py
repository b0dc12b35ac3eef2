"""`gpiorig compare` and assertions as a user meets them, on recordings of the virtual bench."""

from __future__ import annotations

import shutil
from importlib.resources import files
from pathlib import Path

import directbench
import pyarrow as pa
import pyarrow.csv
import pytest
from commandline import ROOT, Demo, gpiorig

from gpiorig.analysis.packets.timelines import LOST, STATUS
from gpiorig.analysis.tables import stages

BENCH = Path(str(files("gpiorig.vbench") / "benches" / "demo.toml"))
EXPERIMENT = """
name = "longer"
initiator = "initiator"
responder = "responder"
packets = 60
assert = ["rtt.max < 20 ms", "isr.max < 1 us"]
thresholds = ["air.median +10 us"]
[settings]
payload = 40
"""


@pytest.fixture(scope="module")
def longer(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int, str]:
    """Eight bytes more in each packet, and limits in the experiment: folder, status and output of `gpiorig run`."""
    folder = tmp_path_factory.mktemp("longer")
    (folder / "experiment.toml").write_text(EXPERIMENT)
    done = gpiorig("run", BENCH, folder / "experiment.toml", "-o", folder / "run")
    return folder / "run", done.status, done.stdout + done.stderr


@pytest.mark.slow
def test_the_same_firmware_with_another_demo_passes(demo: Demo, other_demo: Demo):
    done = gpiorig("compare", demo.folder, other_demo.folder, "--any-change", "--assert", "*.median +10 us")
    assert (0, "") == (done.status, done.stderr)
    assert "None of 40 delays changed." in done.stdout
    assert "threshold *.median +10 us: kept" in done.stdout
    assert "they are not a measurement of hardware" in done.stdout


@pytest.mark.slow
def test_a_longer_frame_is_named(demo: Demo, longer: tuple[Path, int, str], tmp_path: Path):
    """Eight bytes take 256 us on the air at 250 kbit/s (IEEE 802.15.4-2020, 12.3: 32 us a byte)."""
    done = gpiorig("compare", demo.folder, longer[0], "--json", "--changes", tmp_path / "changes.csv")
    numbers = done.numbers
    air = "request: air: first bit to radio interrupt"
    assert air in numbers["changed"]
    change = next(change for change in numbers["changes"] if change["name"] == air)
    assert abs(change["median_change"]["value_ns"] - 256_000) < 84
    # The threshold of the new run's experiment.
    assert 1 == done.status
    assert "check failed: threshold air.median +10 us: exceeded" in done.stderr
    assert [air, air.replace("request", "reply")] == numbers["thresholds"][0]["exceeded"]
    assert len(numbers["changes"]) == pyarrow.csv.read_csv(tmp_path / "changes.csv").num_rows


@pytest.mark.slow
def test_assertions_of_an_experiment_end_its_run(longer: tuple[Path, int, str]):
    _, status, output = longer
    assert 1 == status
    assert "assert rtt.max < 20 ms: holds" in output
    assert "Assertion isr.max < 1 us: does not hold: request: interrupt: " in output


@pytest.mark.slow
def test_the_report_gives_the_same_verdict_again(longer: tuple[Path, int, str], tmp_path: Path):
    folder = tmp_path / "copy"
    shutil.copytree(longer[0], folder)
    done = gpiorig("report", folder, "--json", "--assert", "loss < 1 %")
    assert 1 == done.status
    assert [True, False, True] == [number["holds"] for number in done.numbers["assertions"]]
    assert "isr.max &lt; 1\N{NARROW NO-BREAK SPACE}µs" in (folder / "report" / "report.html").read_text()


@pytest.mark.slow
def test_a_recording_does_not_differ_from_itself(demo: Demo):
    done = gpiorig("compare", demo.folder, demo.folder, "--any-change", "--assert", "rtt.p99 +0 ns", "--json")
    assert (0, []) == (done.status, done.numbers["changed"])
    assert all(0 == number["median_change"]["value_ns"] for number in done.numbers["changes"])


@pytest.fixture(scope="module")
def silent(demo: Demo, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo as if every packet had been lost."""
    folder = tmp_path_factory.mktemp("silent") / "run"
    shutil.copytree(demo.folder, folder)
    steps, packets = (folder / f"{name}.parquet" for name in ("steps", "round_trips"))
    stages.write(stages.read(steps).slice(0, 0), steps)
    lost = stages.read(packets)
    content = {"rtt_samples": pa.nulls(len(lost), pa.int64()), "status": pa.array([STATUS[LOST]] * len(lost))}
    for name, column in content.items():
        lost = lost.set_column(lost.column_names.index(name), name, column)
    stages.write(lost, packets)
    return folder


def test_a_new_run_without_packets_fails_with_no_threshold_at_all(demo: Demo, silent: Path):
    done = gpiorig("compare", demo.folder, silent)
    assert 1 == done.status
    assert "check failed: no packet of the new run is complete on the pins\n" == done.stderr
    assert ": the loss changed." in done.stdout
    done = gpiorig("compare", demo.folder, silent, "--assert", "rtt.p99 +5 %", "--assert", "loss +1 %", "--json")
    assert (1, [["loss"]]) == (done.status, [number["exceeded"] for number in done.numbers["thresholds"]])


def test_a_base_without_packets_is_refused(demo: Demo, silent: Path):
    done = gpiorig("compare", silent, demo.folder)
    assert 2 == done.status
    assert "no packet is complete on the pins, so there is nothing to compare with" in done.stderr


@pytest.mark.slow
def test_a_limit_of_each_run(demo: Demo, other_demo: Demo):
    """It is judged for both, and decides the status; the comparison is printed as without it."""
    done = gpiorig("compare", demo.folder, other_demo.folder, "--assert", "rtt.max < 1 us")
    assert 1 == done.status
    assert "None of 40 delays changed." in done.stdout
    failed = [f"check failed: {run.folder}: Assertion rtt.max < 1 us: does not hold" for run in (demo, other_demo)]
    assert all(any(line.startswith(text) for line in done.stderr.splitlines()) for text in failed), done.stderr


def test_one_run_twice_on_a_page_is_refused(demo: Demo, tmp_path: Path):
    done = gpiorig("compare", demo.folder, demo.folder, "-o", tmp_path / "page")
    assert 2 == done.status
    assert "is given twice; give each run once." in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--assert", "rtt.p99 5 %"), "not understood; write it like `rtt.p99 +5 %`"),
        (("--assert", "rt.p99 +5 %"), "this run has no such delay; did you mean `rtt`?"),
        (
            ("--changes", "changes.txt"),
            "changes.txt: the suffix determines the format; it is one of .parquet",
        ),
    ],
)
def test_bad_input(demo: Demo, words: tuple[str, str], message: str):
    done = gpiorig("compare", demo.folder, demo.folder, *words)
    assert 2 == done.status
    assert message in done.stderr
    assert 1 == done.stderr.count("\n")


@pytest.fixture(scope="module")
def measured_and_model(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A run that is marked as one of boards, whose responder has slower flash, and the model's; both 60 packets."""
    experiment = (ROOT / "experiments/pingpong.toml").read_text().replace("backoff = true", "backoff = false")
    slower = "\n[virtual.nodes.responder.timing]\nflash_wait_states = 4\n"
    folders = []
    for name, change in (("real", slower), ("model", "")):
        folder = tmp_path_factory.mktemp(name)
        folders.append(directbench.record(folder, BENCH.read_text() + change, experiment, packets=60).folder)
    description = folders[0] / "recording.toml"
    text = description.read_text()
    assert text.count("virtual = true\n") == 1
    description.write_text(text.replace("virtual = true\n", "virtual = false\n"))
    return folders[0], folders[1]


@pytest.mark.slow
def test_a_virtual_run_is_held_against_a_measured_one(measured_and_model: tuple[Path, Path], tmp_path: Path):
    """What differs is at the responder, where hardware is slower; the sender's steps and the air agree."""
    real, model = measured_and_model
    done = gpiorig("compare", real, model, "--json", "-o", tmp_path / "page")
    assert 0 == done.status
    total, *steps = done.numbers["against_model"]
    assert "rtt" == total["name"]
    differing = [row for row in steps if row["verdict"] == "differs"]
    assert steps[: len(differing)] == differing
    assert differing == sorted(differing, key=lambda row: -row["share"])
    # Wait states slow what the processor of the responder does, and shorten its wait for the radio's acknowledgement.
    assert "reply: prepare the radio" == differing[0]["name"]
    software = {row["name"]: row for row in differing[1:]}
    assert all(row["difference_ns"] < row["beyond_ns"] < 0 for row in software.values())
    assert {"reply: udp to ipv6", "request: read the frame"} < software.keys()
    agreeing = {row["name"] for row in steps if row["verdict"] == "agrees"}
    assert {"request: udp to ipv6", "reply: read the frame", "request: air: first bit to radio interrupt"} < agreeing
    page = (tmp_path / "page/report.html").read_text()
    assert "Measured, and by the model" in page
    assert "most reply: prepare the radio: +" in page
    failed = gpiorig("compare", model, real, "--any-change")
    assert 1 == failed.status
    assert "check failed: the model differs from what was measured in " in failed.stderr


def test_other_conditions_are_stated(measured_and_model: tuple[Path, Path], tmp_path: Path):
    """Another image, by its digests, another board, another payload: before anybody blames the model."""
    real, model = measured_and_model
    other = tmp_path / "other"
    shutil.copytree(model, other)
    text = (other / "recording.toml").read_text()
    digest = text.partition("[firmware]\n")[2].partition('responder = "')[2].partition('"')[0]
    changes = {f'responder = "{digest}"': f'responder = "{"0" * 64}"', "payload = 32": "payload = 31"}
    for old, new in (changes | {'experiment = "pingpong"': 'experiment = "ping"'}).items():
        text = text.replace(old, new)
    (other / "recording.toml").write_text(text)
    sentences = gpiorig("compare", real, other, "--json").numbers["sentences"]
    assert "Set differently: payload (32, now 31)." in sentences
    assert f"Other firmware on responder ({digest[:12]}, now {'0' * 12})." in sentences
    assert "Other conditions: experiment (pingpong, now ping)." in sentences


@pytest.mark.slow
def test_a_virtual_report_states_the_doubt_of_its_model(measured_and_model: tuple[Path, Path], tmp_path: Path):
    """In the first sentence, in the table of steps, and as numbers; the run of boards has none."""
    real, model = measured_and_model
    done = gpiorig("report", model, "-o", tmp_path / "page", "--json")
    doubt = done.numbers["model_doubt"]["round trip"]
    assert doubt["low_us"] < 0 < doubt["high_us"]
    median_us = done.numbers["routes"][0]["delay_ms"]["median"] * 1e3
    shares = [f"{100 * abs(doubt[end]) / median_us:.1f}" for end in ("low_us", "high_us")]
    sentence = gpiorig("report", model, "-o", tmp_path / "page").stdout.splitlines()[0]
    assert f"Hardware may take \N{MINUS SIGN}{shares[0]} to +{shares[1]} % longer" in sentence
    assert "doubt of the model" in (tmp_path / "page/report.html").read_text()
    assert {} == gpiorig("report", real, "-o", tmp_path / "real", "--json").numbers["model_doubt"]
    assert "doubt of the model" not in (tmp_path / "real/report.html").read_text()

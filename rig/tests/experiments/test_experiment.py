"""Experiment files: the settings of each node, their limits, and the images."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from gpiorig.rig import resources
from gpiorig.rig.bench import benches
from gpiorig.rig.errors import BenchError, FirmwareError
from gpiorig.rig.experiments import elf, images
from gpiorig.rig.experiments.experiment import Experiment, check
from gpiorig.rig.experiments.node_settings import LIMITS, NodeSettings
from gpiorig.rig.strict_toml import parse

ROOT = Path(__file__).resolve().parents[3]
TEXT = """
name = "x"
initiator = "a"
responder = "b"
duration_s = 60
kernel = "threads"
[settings]
app = "sender"
payload = 100
[nodes.noise]
start = true
app = "interferer"
[nodes.b]
payload = 50
"""


def read(text: str = TEXT) -> Experiment:
    """An experiment file."""
    return parse(text, Experiment, what="experiment file")


def test_a_node_s_own_settings_go_before_those_of_all() -> None:
    """A setting that is not in the file is the firmware's default, except those that every firmware gets."""
    always = {"channel": 26, "interval_us": 20_000, "timeout_us": 15_000, "backoff": True, "seed": 1}

    assert {**always, "app": "sender", "payload": 100} == read().settings_of("a")
    assert {**always, "app": "sender", "payload": 50} == read().settings_of("b")
    assert {**always, "app": "interferer", "payload": 100} == read().settings_of("noise")


def test_the_initiator_starts_last() -> None:
    """Nodes with `start` send before the first packet that is observed."""
    assert ["noise", "a"] == read().started
    assert "sender" == read().app


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            'app = "pong"',
            "settings.app is 'pong'; use pingpong, macping, print, broadcast, sender, interferer, train, ticker, "
            "saturate, sleeper.",
        ),
        ('app = "sender"\nslot_us = 12', "settings.slot_us is 12; use 10000, 15000, 20000."),
        ('app = "sender"\n[nodes.a]\nfire = "now"', r"nodes\[...\].fire is 'now'; use sleep, timer."),
        ('app = "sender"\nqueues = 8', "did you mean `queue`"),
        ('app = "sender"\ncsma = 1', "settings.csma"),
        ('app = "sender"\nkernel = "threads"', "unknown key `kernel` in `settings`; it belongs at the top."),
        ('app = "sender"\nstart = true', r"unknown key `start` in `settings`; it belongs in `nodes\[...\]`."),
    ],
)
def test_wrong_settings_are_refused(wrong: str, message: str) -> None:
    """An unknown name or key, or a wrong type."""
    with pytest.raises(BenchError, match=message):
        read(TEXT.replace('app = "sender"', wrong, 1))


BENCH = benches.load(resources.benches()["interference"])


def checked(text: str) -> Experiment:
    """An experiment file, checked against a bench with the nodes initiator, responder and noise."""
    named = text.replace('"a"', '"initiator"').replace('"b"', '"responder"').replace("[nodes.b]", "[nodes.responder]")
    return check(read(named), BENCH, what="x.toml")


@pytest.mark.parametrize(
    ("correct", "wrong", "message"),
    [
        ("payload = 100", "payload = 1001", "settings.payload is 1001; use 8 to 1000."),
        ("payload = 50", "payload = 7", "nodes.responder.payload is 7; use 8 to 1000."),
        ("payload = 100", "channel = 27", "settings.channel is 27; use 11 to 26."),
        ("payload = 100", "seed = -1", "settings.seed is -1; use 0 to 4294967295."),
        ("payload = 100", "interval_us = 0", "settings.interval_us is 0; use 1000 to 1000000000."),
        ("duration_s = 60", "duration_s = 2001", "duration_s is 2001; use 1 to 2000."),
        ("duration_s = 60", "packets = 65536", "packets is 65536; use 1 to 65535."),
    ],
)
def test_a_value_beyond_the_limits_of_every_firmware_is_refused(correct: str, wrong: str, message: str) -> None:
    """With the key, the value and the limits, before anything is sent to a node."""
    assert "initiator" == checked(TEXT).initiator
    with pytest.raises(BenchError) as caught:
        checked(TEXT.replace(correct, wrong, 1))
    assert f"x.toml: {message}" == str(caught.value)


def test_a_payload_has_any_size_where_no_id_of_ours_is_in_it() -> None:
    """That of RIOT's ping; with our firmware at one node it has the limits of ours."""
    nodes = {name: msgspec.structs.replace(node, console="riot-shell") for name, node in BENCH.nodes.items()}
    bench = msgspec.structs.replace(BENCH, nodes=nodes)
    named = TEXT.replace("payload = 100", "payload = 0").replace('"a"', '"initiator"').replace('"b"', '"responder"')
    named = named.replace("[nodes.b]", "[nodes.responder]")
    assert 0 == check(read(named), bench, what="x.toml").settings.payload
    with pytest.raises(BenchError, match=r"settings\.payload is 1001; use 0 to 1000\."):
        check(read(named.replace("payload = 0", "payload = 1001")), bench, what="x.toml")
    mixed = msgspec.structs.replace(bench, nodes={**nodes, "noise": BENCH.nodes["noise"]})
    with pytest.raises(BenchError, match=r"settings\.payload is 0; use 8 to 1000\."):
        check(read(named), mixed, what="x.toml")


def test_limits_themselves_are_accepted() -> None:
    """The least and the largest value of every number that an experiment can set."""
    keys = LIMITS.keys() & NodeSettings.__struct_fields__
    assert LIMITS.keys() - {"duration_s"} == keys
    for place in (0, 1):
        settings = "".join(f"{key} = {LIMITS[key][place]}\n" for key in sorted(keys))
        experiment = checked(TEXT.replace("payload = 100\n", settings, 1))
        assert all(experiment.settings.given()[key] == LIMITS[key][place] for key in keys)


def test_quantities_are_the_experiment_s_own() -> None:
    """Intervals to report; not sent to a node."""
    experiment = checked('quantities = ["mac.tx -> mac.rx"]\n' + TEXT)

    assert ("mac.tx -> mac.rx",) == experiment.quantities
    assert "quantities" not in experiment.settings_of("initiator")


@pytest.mark.parametrize(
    ("kernel", "probes", "folder"),
    [
        ("events", "normal", "iotlab-m3"),
        ("threads", "normal", "iotlab-m3-threads"),
        ("events", "off", "iotlab-m3-off"),
        ("threads", "doubled", "iotlab-m3-threads-doubled"),
    ],
)
def test_kernel_and_probes_choose_the_image(kernel: str, probes: str, folder: str) -> None:
    """Where firmware-gpio-probes/Makefile puts it."""
    image = images.reference_image("iotlab-m3", kernel, probes)

    assert ROOT / "firmware-gpio-probes" / "build" / folder / "reference.elf" == image


def test_a_node_may_have_a_kernel_of_its_own() -> None:
    """Its image is of that kernel, the others of the one at the top; it is not a setting that is sent."""
    experiment = checked(TEXT + 'kernel = "events"\n')
    chosen = images.images(BENCH, experiment, bench_file=Path("bench.toml"))

    assert {"initiator": "threads", "responder": "events", "noise": "threads"} == {
        node: experiment.kernel_of(node) for node in BENCH.nodes
    }
    assert {
        node: images.reference_image(BENCH.nodes[node].board, experiment.kernel_of(node)) for node in BENCH.nodes
    } == chosen
    assert "kernel" not in experiment.settings_of("responder")


def test_a_missing_image_says_how_to_make_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The command that builds just that image."""
    monkeypatch.setattr(resources, "checkout", lambda: tmp_path)

    with pytest.raises(FirmwareError, match="`make -C firmware-gpio-probes BOARD=telosb KERNEL=threads PROBES=empty`"):
        images.sha256(images.reference_image("telosb", "threads", "empty"))
    with pytest.raises(
        FirmwareError, match="`make -C firmware-gpio-probes BOARD=telosb KERNEL=threads PROBES=off WIDTH=2`"
    ):
        images.sha256(images.reference_image("telosb", "threads", "off", width=2))


def test_an_image_that_the_package_does_not_have(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installation has a few, and states which, and where the others are made."""
    monkeypatch.setattr(resources, "checkout", lambda: None)
    monkeypatch.setattr(resources, "image_folder", lambda: tmp_path)
    (tmp_path / "iotlab-m3.elf").touch()
    (tmp_path / "telosb-threads.elf").touch()

    assert tmp_path / "telosb-threads.elf" == images.reference_image("telosb", "threads")
    with pytest.raises(FirmwareError) as caught:
        images.sha256(images.reference_image("telosb", "threads", "off"))
    with (
        pytest.raises(FirmwareError, match=r"Run `make -C firmware-gpio-probes BOARD=telosb"),
        elf.opened(images.reference_image("telosb", "threads", "off")),
    ):
        pass
    assert "has the images iotlab-m3, telosb-threads. Run `make -C firmware-gpio-probes BOARD=te" in str(caught.value)


def test_an_image_of_the_bench_file_that_is_not_there(tmp_path: Path) -> None:
    """Nothing of ours would make it."""
    with pytest.raises(FirmwareError, match=r"mine\.elf: No such file or directory\. Give the path of an ELF image"):
        images.sha256(tmp_path / "mine.elf")

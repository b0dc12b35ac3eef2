"""Benches, experiments and images by name, and where the files of a checkout and of an installed package lie."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from commandline import gpiorig

from gpiorig.rig import names, resources
from gpiorig.rig.bench import benches
from gpiorig.rig.errors import BenchError
from gpiorig.rig.experiments import experiment as experiments

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_name_is_a_file_that_comes_with_gpiorig(here: Path) -> None:
    """As the documents describe them: the mixed experiment fits the mixed bench."""
    bench = names.bench(Path("mixed"))
    experiment = names.experiment(Path("mixed"))

    assert (ROOT / "rig/vbench/gpiorig/vbench/benches/mixed.toml", ROOT / "experiments/mixed.toml") == (
        bench,
        experiment,
    )
    assert "telosb" == experiments.load(experiment, benches.load(bench)).initiator


def test_a_file_wins(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A message reports where it hides a bench of that name."""
    (here / "mine.toml").touch()
    (here / "demo").touch()

    assert Path("mine.toml") == names.bench(Path("mine.toml"))
    assert "" == capsys.readouterr().err
    assert Path("demo") == names.bench(Path("demo"))
    note = capsys.readouterr().err
    assert note.startswith("note: demo is a file here, and the bench `demo` comes with gpiorig, too: the file is taken")
    assert str(ROOT / "rig/vbench/gpiorig/vbench/benches/demo.toml") in note


def test_a_folder_hides_nothing(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Such as the recording that `gpiorig demo` leaves in ./demo."""
    (here / "demo").mkdir()

    assert resources.benches()["demo"] == names.bench(Path("demo"))
    assert "" == capsys.readouterr().err


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("dmeo", "bench dmeo: no file and no bench has this name; did you mean `demo`? Give a path, or one of beagle"),
        ("benches/demo.toml", "did you mean `demo`?"),
        ("pingpong", "bench pingpong: no file and no bench has this name; an experiment has it. Give a path, or one"),
        ("xyz", "bench xyz: no file and no bench has this name. Give a path, or one of beaglelogic-two-telosb, "),
    ],
)
def test_what_is_neither_a_file_nor_a_name(here: Path, word: str, message: str) -> None:
    """One error, which lists the names."""
    with pytest.raises(BenchError) as caught:
        names.bench(Path(word))

    assert message in str(caught.value)


def test_no_image_is_built(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fresh checkout has names of benches and experiments, not of images."""
    monkeypatch.setattr(resources, "image_folder", lambda: here)

    with pytest.raises(BenchError, match=r"^image iotlab-m3: .* Give a path: none is built \(`make firmware`\)\.$"):
        names.image(Path("iotlab-m3"))


def test_images_of_a_checkout_are_its_own_builds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the names of their folders; other programs than the reference firmware are not among them."""
    monkeypatch.setattr(resources, "checkout", lambda: tmp_path)
    for name in ("telosb/reference.elf", "telosb-off/reference.elf", "telosb-costs/costs.elf"):
        path = tmp_path / "firmware-gpio-probes" / "build" / name
        path.parent.mkdir(parents=True)
        path.touch()

    assert ["telosb", "telosb-off"] == list(resources.images())
    assert names.image(Path("telosb-off")) == resources.image("telosb-off")
    assert {} == resources.manifest()


def test_an_installed_package_has_its_own_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Laid out as tools/hatch_build.py does; tests/rules/test_package.py builds and installs one."""
    monkeypatch.setattr(resources, "checkout", lambda: None)
    monkeypatch.setattr(resources, "_DATA", tmp_path)
    for name in ("experiments/pingpong.toml", "images/telosb.elf", "images/manifest.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "images/manifest.json").write_text(json.dumps({"telosb": {"kernel": "events"}}))

    assert {"pingpong": tmp_path / "experiments/pingpong.toml"} == resources.experiments()
    assert {"telosb": tmp_path / "images/telosb.elf"} == resources.images()
    assert {"telosb": {"kernel": "events"}} == resources.manifest()
    assert (tmp_path / "decoders", tmp_path / "hooks") == (resources.decoders(), resources.hooks())


def test_everything_that_has_a_name_is_described() -> None:
    """By the comment that its file begins with, which `gpiorig bench list` prints to its first full stop."""
    for name, file in (resources.benches() | resources.experiments()).items():
        text = names.summary(file)
        assert 20 < len(text) and (text[0].isupper() or text[0].isdigit()), name
        assert "\n" not in text


def test_benches_and_experiments_are_listed() -> None:
    """`gpiorig bench list`: a line for each with its description; the same as JSON, with its file."""
    lines = gpiorig("bench", "list").stdout.splitlines()
    numbers = gpiorig("bench", "list", "--json").numbers

    for kind, files in {"benches": resources.benches(), "experiments": resources.experiments()}.items():
        assert f"{kind}:" in lines
        for name, file in files.items():
            assert {"file": str(file), "description": names.summary(file)} == numbers[kind][name]
            assert [name, *names.summary(file).split()] in [line.split() for line in lines]


def test_images_are_listed() -> None:
    """`gpiorig firmware list`: the reference images that are there, with their sums."""
    lines = [line.split() for line in gpiorig("firmware", "list").stdout.splitlines()]
    numbers = gpiorig("firmware", "list", "--json").numbers

    assert resources.images().keys() == numbers.keys() >= {"iotlab-m3", "iotlab-m3-threads"}
    for name, file in resources.images().items():
        assert hashlib.sha256(file.read_bytes()).hexdigest() == numbers[name]["sha256"]
        assert [name, "sha256", numbers[name]["sha256"]] in lines

"""`make generate` and its check, on a copy of the generated files and their sources."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from commandline import ROOT

GENERATE = "firmware-gpio-probes/generate.py"
CERTIFY_ROWS = "rig/gpiorig/rig/certify/rows.toml"
COPIES = {
    "decoders/at86rf2xx/mac.py": "decoders/ieee802154/mac.py",
    "decoders/at86rf2xx/spiradio.py": "decoders/ieee802154/spiradio.py",
    "decoders/cc2420/mac.py": "decoders/ieee802154/mac.py",
    "decoders/cc2420/spiradio.py": "decoders/ieee802154/spiradio.py",
    "decoders/gpio_timeline/bus.py": "decoders/gpio_probe/bus.py",
    "decoders/gpio_timeline/table.py": "decoders/gpio_probe/table.py",
    "decoders/mrf24j40m/mac.py": "decoders/ieee802154/mac.py",
    "decoders/mrf24j40m/spiradio.py": "decoders/ieee802154/spiradio.py",
    "decoders/spirit1/mac.py": "decoders/ieee802154/mac.py",
    "decoders/spirit1/spiradio.py": "decoders/ieee802154/spiradio.py",
}
FROM_EVENTS = {
    "analysis/gpiorig/analysis/events/table.py",
    "decoders/gpio_probe/table.py",
    "decoders/gpio_timeline/path.py",
    "firmware-gpio-probes/include/gpiorig/events.h",
    "firmware-gpio-probes/include/gpiorig/points.h",
    "firmware-gpio-probes/src/lines.h",
    "firmware-gpio-probes/src/names.c",
}
FROM_SETTINGS = {
    "firmware-gpio-probes/contiki-ng/pingpong/settings_table.h",
    "firmware-gpio-probes/reference/stack/settings_table.h",
    "firmware-gpio-probes/riot/app/settings_table.h",
    "rig/gpiorig/rig/experiments/node_settings.py",
}
FROM_CERTIFY = {
    "firmware-gpio-probes/reference/certify/iotlab-m3/rows.h",
    "firmware-gpio-probes/reference/certify/nrf52840dk/rows.h",
    "firmware-gpio-probes/reference/certify/nucleo-l476rg/rows.h",
    "firmware-gpio-probes/reference/certify/telosb/rows.h",
}
SOURCES = {
    GENERATE,
    "firmware-gpio-probes/certify.py",
    "analysis/gpiorig/analysis/packets/path.py",
    "firmware-gpio-probes/events.toml",
    "firmware-gpio-probes/generated.py",
    "firmware-gpio-probes/settings.py",
    "firmware-gpio-probes/settings.toml",
    CERTIFY_ROWS,
}
NEW_SETTING = """
[volume]
range = [1, 11]
default = { macro = "VOLUME", value = 5 }
riot.range = [1, 10]
firmwares = ["reference", "riot"]
text = "how loud a node is"
"""
NEW_EVENT = """
[[point]]
name = "app.new"
code = 126
layer = "app"
direction = "tx"
kind = "span"
id = true
doc = "a point that was not there"
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of the generated files and their sources, in a folder with a blank in its name."""
    tree = tmp_path / "a tree"
    for name in SOURCES | FROM_EVENTS | FROM_SETTINGS | FROM_CERTIFY:
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tree / name)
    shutil.copytree(
        ROOT / "decoders", tree / "decoders", ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True
    )
    return tree


def generate(tree: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the generator of a tree."""
    return subprocess.run([sys.executable, tree / GENERATE, *words], capture_output=True, text=True, check=False)


def complaints(tree: Path) -> list[str]:
    """The lines of the check, one per file; its exit status is 1 if there are any."""
    check = generate(tree, "--check")
    lines = check.stderr.splitlines()
    assert (bool(lines), "") == (check.returncode != 0, check.stdout)
    return lines


def state(tree: Path) -> dict[Path, tuple[bytes, int]]:
    """Content of each file, and when it was last written."""
    paths = (path for path in tree.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in paths}


@pytest.mark.slow
def test_an_edit_of_any_generated_file_is_reported(tree: Path) -> None:
    """The file is named, with its source and the remedy; that restores it."""
    before = state(tree)
    assert [] == complaints(tree)
    names = sorted(COPIES.keys() | FROM_EVENTS | FROM_SETTINGS | FROM_CERTIFY)
    for name in names:
        with (tree / name).open("a") as file:
            file.write("\n")
    for name, line in zip(names, complaints(tree), strict=True):
        table = f"firmware-gpio-probes/{'settings' if name in FROM_SETTINGS else 'events'}.toml"
        source = CERTIFY_ROWS if name in FROM_CERTIFY else COPIES.get(name, table)
        assert line.startswith(f"{name} differs from what {source}")
        assert line.endswith("edit that, and run `make generate`")
    assert names == sorted(line.removeprefix("wrote ") for line in generate(tree).stdout.splitlines())
    assert {path: text for path, (text, _) in before.items()} == {path: text for path, (text, _) in state(tree).items()}


def test_an_edit_of_one_copy_is_named_alone(tree: Path) -> None:
    """In the middle of the file, and nothing else is named."""
    edited = tree / "decoders" / "cc2420" / "mac.py"
    edited.write_text(edited.read_text().replace("Dissection", "Inspection"))

    assert [
        "decoders/cc2420/mac.py differs from what decoders/ieee802154/mac.py gives: edit that, and run `make generate`"
    ] == complaints(tree)


@pytest.mark.slow
def test_a_new_event_changes_all_that_follows(tree: Path) -> None:
    """Every derived file is named, the copy of a derived one too; a second run writes nothing."""
    with (tree / "firmware-gpio-probes" / "events.toml").open("a") as file:
        file.write(NEW_EVENT)

    assert FROM_EVENTS | {"decoders/gpio_timeline/table.py"} == {line.split()[0] for line in complaints(tree)}
    assert 0 == generate(tree).returncode
    assert [] == complaints(tree)
    assert "app.new" in (tree / "decoders" / "gpio_timeline" / "table.py").read_text()
    after = state(tree)
    assert "" == generate(tree).stdout
    assert after == state(tree)


def test_a_new_setting_changes_all_that_follows(tree: Path) -> None:
    """Firmwares that have it get its row with their limits, the host the widest of them."""
    with (tree / "firmware-gpio-probes" / "settings.toml").open("a") as file:
        file.write(NEW_SETTING)
    without_contiki = {name for name in FROM_SETTINGS if "contiki" not in name}

    assert sorted(without_contiki) == sorted(line.removeprefix("wrote ") for line in generate(tree).stdout.splitlines())
    texts = {name: (tree / name).read_text() for name in without_contiki}
    assert "    X(volume, 1u, 11u, VOLUME, NULL)\n" in texts["firmware-gpio-probes/reference/stack/settings_table.h"]
    assert "    X(volume, 1u, 10u, VOLUME, NULL)\n" in texts["firmware-gpio-probes/riot/app/settings_table.h"]
    assert '    "volume": (1, 11),\n' in texts["rig/gpiorig/rig/experiments/node_settings.py"]
    assert "    volume: int | None = None\n" in texts["rig/gpiorig/rig/experiments/node_settings.py"]


@pytest.mark.parametrize(
    ("correct", "wrong", "message"),
    [
        ('text = "how loud a node is"\n', "", "volume lacks text"),
        ("range = [1, 11]", "node = true", "volume lacks range"),
        ("riot.range", "riot.ranges", "volume: unknown ranges; use always, "),
        ('"riot"]', '"tinyos"]', "volume: unknown tinyos; use always, "),
    ],
)
def test_a_mistake_in_a_setting_is_refused(tree: Path, correct: str, wrong: str, message: str) -> None:
    """With the key, and nothing is written."""
    with (tree / "firmware-gpio-probes" / "settings.toml").open("a") as file:
        file.write(NEW_SETTING.replace(correct, wrong))
    run = generate(tree)

    assert (1, "") == (run.returncode, run.stdout)
    assert run.stderr.startswith(f"firmware-gpio-probes/settings.toml: {message}")


def test_limits_from_macros_are_those_of_the_firmware() -> None:
    """The value that the host checks is the largest that a board or radio defines; a minimum is the least."""
    defined: dict[str, set[int]] = {}
    for folder in ("reference", "riot/app", "contiki-ng/pingpong"):
        for path in (ROOT / "firmware-gpio-probes" / folder).rglob("*.h"):
            for name, number in re.findall(r"^#define (\w+) (\d+)u?\b", path.read_text(), re.MULTILINE):
                defined.setdefault(f"{folder.partition('/')[0]}.{name}", set()).add(int(number))
    settings = tomllib.loads((ROOT / "firmware-gpio-probes/settings.toml").read_text())
    checked = 0
    for setting in settings.values():
        for firmware in setting.get("firmwares", ["reference", "riot", "contiki-ng"]):
            variant = setting | setting.get(firmware, {})
            for limit, widest in zip(variant.get("range", ()), (min, max), strict=False):
                if isinstance(limit, dict):
                    assert limit["value"] == widest(defined[f"{firmware}.{limit['macro']}"]), (firmware, limit)
                    checked += 1
    assert 15 == checked


@pytest.mark.slow
def test_a_new_decoder_gets_the_modules_it_imports(tree: Path) -> None:
    """Those that they import come along; copies that nothing imports are named, and deleted."""
    (tree / "decoders" / "new").mkdir()
    decoder = tree / "decoders" / "new" / "pd.py"
    decoder.write_text("from .spiradio import SpiRadio\nfrom . import bus\n")
    written = {f"decoders/new/{module}.py" for module in ("bus", "mac", "spiradio", "table")}

    assert written == {line.split()[0] for line in complaints(tree)}
    assert written == {line.removeprefix("wrote ") for line in generate(tree).stdout.splitlines()}
    assert [] == complaints(tree)

    decoder.write_text("")
    assert [f"{name} is marked as generated, but nothing needs it" for name in sorted(written)] == [
        line.partition(":")[0] for line in complaints(tree)
    ]
    assert {f"deleted {name}" for name in written} == set(generate(tree).stdout.splitlines())
    assert ["pd.py"] == [path.name for path in decoder.parent.iterdir()]


@pytest.mark.slow
def test_a_module_by_hand_is_not_written_over(tree: Path) -> None:
    """A decoder's own module with the name of a shared one is refused by both, and stays."""
    own = tree / "decoders" / "cc2420" / "mac.py"
    own.write_text("FRAMES = 3\n")
    (line,) = complaints(tree)
    run = generate(tree)

    assert line.startswith(
        "decoders/cc2420/mac.py lacks the head of a file that is generated from decoders/ieee802154/"
    )
    assert (1, [line]) == (run.returncode, run.stderr.splitlines())
    assert "FRAMES = 3\n" == own.read_text()

"""Our decoders: installation, and that their descriptions are right."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import directbench
import pytest
from commandline import ROOT, Finished, gpiorig

from gpiorig.rig import resources
from gpiorig.rig.bench import benches, boards
from gpiorig.rig.export import decoder_folder, decoder_stacks

IDS = sorted(folder.name for folder in (ROOT / "decoders").iterdir() if (folder / "pd.py").exists())


def shown(decoder: str, **environment: str) -> str:
    """The description of a decoder by sigrok-cli."""
    done = subprocess.run(
        ["sigrok-cli", "--protocol-decoders", decoder, "--show"],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout


def states(target: Path) -> dict[str, str]:
    """State of each decoder in a folder."""
    rows = gpiorig("decode", "--list", "--folder", target, "--json").numbers["decoders"]
    return {name: row["state"] for name, row in rows.items()}


@pytest.mark.slow
@pytest.mark.parametrize("link", [False, True])
def test_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, link: bool) -> None:
    """Installed or linked, sigrok-cli finds them where it looks; they can be replaced and deleted."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.delenv("SIGROKDECODE_DIR", raising=False)
    target = tmp_path / "libsigrokdecode" / "decoders"
    assert target == decoder_folder.default_target()
    assert dict.fromkeys(IDS, "not installed") == states(target)
    for _ in range(2):
        done = gpiorig("decode", "--install", *(["--link"] if link else []))
        assert (0, "") == (done.status, done.stderr)
        assert dict.fromkeys(IDS, "linked" if link else "installed") == states(target)
    assert sorted(IDS) == sorted(path.name for path in target.iterdir())
    listed = subprocess.run(["sigrok-cli", "-L"], capture_output=True, text=True, check=True).stdout
    for name in IDS:  # all of them in one process, as PulseView loads them: none may import another's package
        assert f"\n  {name} " in listed
        assert f"ID: {name}\n" in shown(name)

    if not link:
        (target / IDS[0] / "pd.py").write_text("# part of gpiorig, an older one\n")
        assert "another version" == states(target)[IDS[0]]
    assert 0 == gpiorig("decode", "--uninstall").status
    assert [] == list(target.iterdir())


def test_others_decoders_stay(tmp_path: Path) -> None:
    """Where a third-party decoder has one of our ids nothing is installed, and nothing of theirs deleted."""
    foreign = tmp_path / IDS[-1] / "__init__.py"
    foreign.parent.mkdir()
    foreign.write_text("# mine\n")
    refused = gpiorig("decode", "--install", "--folder", tmp_path)
    assert 2 == refused.status
    assert f"{IDS[-1]} there is not ours" in refused.stderr
    assert [IDS[-1]] == [path.name for path in tmp_path.iterdir()]
    assert 0 == gpiorig("decode", "--uninstall", "--folder", tmp_path).status
    assert "# mine\n" == foreign.read_text()


def test_path() -> None:
    """The folder that it names serves as $SIGROKDECODE_DIR."""
    folder = gpiorig("decode", "--path").stdout.strip()
    assert "ID: gpio_timeline\n" in shown("gpio_timeline", SIGROKDECODE_DIR=folder)


def test_declared_channels() -> None:
    """PulseView counts the channels of a decoder: they are as in rig.export.decoder_stacks and in the radios' files."""
    wanted = {"gpio_probe": decoder_stacks.PROBE_CHANNELS, "gpio_timeline": decoder_stacks.TIMELINE_CHANNELS}
    radios = [boards.load(name).radio for name in boards.names()]
    wanted |= {radio.decoder: (*decoder_stacks.SPI_LINES, *radio.decoder_pins) for radio in radios if radio.decoder}
    assert {"gpio_probe", "gpio_timeline"} < wanted.keys() <= {*IDS}
    for decoder, channels in wanted.items():
        text = shown(decoder, SIGROKDECODE_DIR=str(ROOT / "decoders"))
        listed = text.partition("Required channels:")[2].partition("Options:")[0]
        names = [line[2:].partition(" ")[0] for line in listed.splitlines() if line.startswith("- ")]
        assert channels == tuple(name for name in names if name != "None."), decoder


def wiring(*words: str | Path) -> Finished:
    """`gpiorig decode --wiring`, which must work."""
    done = gpiorig("decode", "--wiring", *words)
    assert (0, "") == (done.status, done.stderr)
    return done


def test_the_radio_of_a_bench() -> None:
    """Where a radio's SPI bus is wired, its decoder is on it, with the pins that are wired, and the frames above."""
    bench = benches.load(ROOT / "tests" / "data" / "spi_at86rf231_bench.toml")
    stack = decoder_stacks.radio(bench, "initiator")
    assert stack is not None
    lines = {"clk": "spi_clk", "mosi": "spi_mosi", "miso": "spi_miso", "cs": "tap.select"}
    channels = ":".join(f"{channel}=initiator.{line}" for channel, line in lines.items())
    assert f"at86rf2xx:{channels},ieee802154:packet_id=yes" == stack.words()
    assert decoder_stacks.radio(benches.load(ROOT / "rig/vbench/gpiorig/vbench/benches/mixed.toml"), "m3") is None


def test_wiring_of_a_bench() -> None:
    """By name of the recording's channels or of the analyzer's; roles can be chosen; a node alone; as JSON."""
    bench = ROOT / "rig/vbench/gpiorig/vbench/benches/mixed.toml"
    output = wiring(bench).stdout
    assert output.startswith("gpio_timeline:ch0=telosb.strobe:ch1=telosb.d0:")
    assert (
        "wiring=telosb/strobe@0/d0@1/d1@2/d2@3/d3@4/tap.irq@5/tap.frame_timestamp@6/gap@8000/header@163000+m3/"
        in output
    )
    assert wiring(bench, "--initiator", "m3", "--analyzer-names").stdout.startswith("gpio_timeline:ch0=P8_27:")
    alone = wiring(bench, "--node", "m3", "--json").numbers
    assert "gpio_probe" == alone["decoder"]
    assert {"strobe": "m3.strobe", "d0": "m3.d0"}.items() <= alone["channels"].items()
    assert {"width": 2, "frame_gap_ns": 280, "span0_point": "tap.irq"}.items() <= alone["options"].items()


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("--node", "nobody"), "the bench has telosb, m3"),
        (("--initiator", "nobody"), "there is no node `nobody`"),
        (("--initiator", "m3", "--responder", "m3"), "cannot be initiator and responder"),
    ],
)
def test_wrong_nodes(words: tuple[str, ...], error: str) -> None:
    """A node that is not there is named, with those that are."""
    done = gpiorig("decode", "--wiring", ROOT / "rig/vbench/gpiorig/vbench/benches/mixed.toml", *words)
    assert 2 == done.status
    assert error in done.stderr


@pytest.mark.slow
def test_uart_takes_the_rate_of_the_board(tmp_path: Path) -> None:
    """On a node's uart_tx `uart` without a rate reads the node's text; with another one stderr names the board's."""
    bench, experiment = (resources.benches()["demo"], resources.experiments()["pingpong"])
    run = directbench.record(tmp_path, bench.read_text(), experiment.read_text(), packets=1).folder
    words = ("-A", "uart=rx-data")

    done = gpiorig("decode", run, "-P", "uart:rx=initiator.uart_tx:format=ascii", *words)
    text = "".join(line.partition(": ")[2] for line in done.stdout.splitlines())
    assert 0 == done.status
    assert done.stderr == "gpiorig decode: uart at 500000 baud, the rate of initiator's board, iotlab-m3\n"
    assert "ready" in text.replace("[0D]", "").replace("[0A]", " ")
    explicit = gpiorig("decode", run, "-P", "uart:rx=initiator.uart_tx:format=ascii:baudrate=500000", *words)
    assert (done.stdout, "") == (explicit.stdout, explicit.stderr)
    other = gpiorig("decode", run, "-P", "uart:rx=initiator.uart_tx:baudrate=115200", *words)
    assert "as given; the rate of initiator's board, iotlab-m3, is 500000" in other.stderr


@pytest.mark.parametrize(
    ("specification", "wanted"),
    [
        ("uart:rx=telosb.uart_tx", "uart:rx=telosb.uart_tx:baudrate=115200"),
        ("uart:tx=m3.uart_tx:format=hex,midi", "uart:tx=m3.uart_tx:format=hex:baudrate=500000,midi"),
        ("uart:rx=m3.strobe", "uart:rx=m3.strobe"),
        ("timing:data=m3.uart_tx", "timing:data=m3.uart_tx"),
        ("uart", "uart"),
    ],
)
def test_only_a_nodes_serial_line_has_a_rate(specification: str, wanted: str) -> None:
    """Other channels and other decoders are as they were given."""
    stack, note = decoder_stacks.at_boards_rate(specification, benches.load(resources.benches()["mixed"]))
    assert (wanted, wanted != specification) == (stack, bool(note))

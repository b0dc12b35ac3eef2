"""Bench files: what is refused, and with which message."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import msgspec
import pytest

from gpiorig.rig import resources
from gpiorig.rig.bench import benches
from gpiorig.rig.bench.node import Node
from gpiorig.rig.errors import BenchError
from gpiorig.rig.experiments import experiment as experiments
from gpiorig.rig.export import decoder_stacks

DEMO = (files("gpiorig.vbench") / "benches" / "demo.toml").read_text()
EXPERIMENTS = Path(__file__).resolve().parents[3] / "experiments"


def test_demo_bench_is_valid() -> None:
    """The bench of the demo passes its own checks."""
    bench = benches.loads(DEMO)

    assert ["initiator", "responder"] == list(bench.nodes)
    assert bench.virtual is not None


def test_the_rate_of_a_serial_port_is_the_boards_unless_the_node_has_its_own() -> None:
    bench = benches.loads(DEMO.replace('board = "iotlab-m3"', 'board = "iotlab-m3"\nbaudrate = 115_200', 1))

    assert [115_200, 500_000] == [node.bits_per_second for node in bench.nodes.values()]
    wanted = "uart:rx=initiator.uart_tx:baudrate=115200", "uart at 115200 baud, the rate of initiator in its bench file"
    assert wanted == (decoder_stacks.at_boards_rate("uart:rx=initiator.uart_tx", bench))


def test_the_bus_of_a_node_is_the_boards_unless_its_image_was_built_otherwise() -> None:
    """Its width changes lines, symbol and frame gap; so does a longer hold; a given frame gap stays."""
    demo = benches.loads(DEMO).nodes["initiator"]
    telosb = msgspec.structs.replace(demo, board="telosb")

    def bus(node: Node, **changes: int) -> tuple[int, tuple[str, ...], int, int]:
        node = msgspec.structs.replace(node, **changes)
        return node.width, node.data_lines, node.held_ns, node.gap_ns

    assert (2, ("d0", "d1"), 125, 280) == bus(demo)
    assert (1, ("d0",), 125, 280) == bus(demo, bus_width=1)
    assert (2, ("d0", "d1"), 250, 560) == bus(demo, symbol_ns=250)
    assert (2, ("d0", "d1"), 250, 500) == bus(demo, symbol_ns=250, frame_gap_ns=500)
    assert (4, ("d0", "d1", "d2", "d3"), 1_900, 8_000) == bus(telosb)
    assert (2, ("d0", "d1"), 970, 11_000) == bus(telosb, bus_width=2)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("samplerate_hz", "sampelrate_hz", "unknown key `sampelrate_hz` in `analyzers"),
        ("samplerate_hz", "sampelrate_hz", "did you mean `samplerate_hz`?"),
        ('board = "iotlab-m3"', 'boards = "iotlab-m3"', "did you mean `board`?"),
        ("seed = 1", "colour = 1", "known keys there: analyzers, faults, "),
        ("delay_ps = 10_000", "colour = 1", "in `virtual.links[0]`; known keys there: delay_ps, from, "),
        ("24_000_000", "0", "analyzers.la.samplerate_hz is 0"),
        ("24_000_000", '"fast"', "Expected `int`, got `str`"),
        (
            'd0 = "P8_46"\n',
            "",
            "nodes.initiator.lines lacks d0; a symbol bus of width 2 has d0, d1, strobe. For an image with few",
        ),
        ('"tap.irq" = "P8_44"', '"tap.iqr" = "P8_44"', "tap.iqr: no such line"),
        ('d1 = "P8_43"', 'd1 = "P8_46"', "more than one line on channel P8_46"),
        ('d1 = "P8_43"', 'd1 = "D7"', "has no channel D7"),
        ('board = "iotlab-m3"', 'board = "iotlab-m4"', "unknown board `iotlab-m4`"),
        ('from = "initiator"', 'from = "nobody"', "there is no node `nobody`"),
        ("[virtual.nodes.initiator]", "[virtual.nodes.nobody]", "there is no node `nobody`"),
        (
            "clock_ppb = 12_000",
            'radio_start = "maximum"',
            "radio_start is `maximum`; the virtual AT86RF231 has typical",
        ),
        ("clock_ppb = 12_000", 'radio_start = "slow"', "radio_start is 'slow'; use typical, maximum."),
        ("[virtual.analyzers.la]", "[virtual.analyzers.lb]", "there is no analyzer `lb`"),
        ("seed = 1", "seed = ", "not valid TOML"),
        ("[nodes.responder", '[nodes."../x"', "name `../x`"),
        ("delay_ps = 10_000", "loss_ppm = 1_000_001", "Expected `int` <= 1000000"),
        ("seed = 1", "seed = -1", "Expected `int` >= 0"),
        ("24_000_000", "8_000_000", "a symbol of the bus may last 125 ns, which takes 16000000 at least"),
        (
            'board = "iotlab-m3"',
            'board = "iotlab-m3"\nbus_width = 4',
            "bus_width is 4; the pins of iotlab-m3 can have 1, 2.",
        ),
        ('board = "iotlab-m3"', 'board = "iotlab-m3"\nbus_width = 3', "bus_width is 3; use 1, 2, 4, 8."),
        ('board = "iotlab-m3"', 'board = "iotlab-m3"\nbus_width = 1', "nodes.initiator.lines.d1: no such line"),
        ('board = "iotlab-m3"', 'board = "iotlab-m3"\nsymbol_ns = 63', "may last 63 ns, which takes 31746031 at least"),
        ('board = "iotlab-m3"', 'board = "iotlab-m3"\nsymbol_ns = 0', "Expected `int` >= 1"),
    ],
)
def test_wrong_bench_is_refused(old: str, new: str, message: str) -> None:
    """Each mistake ends in one error that names the place."""
    assert old in DEMO

    with pytest.raises(BenchError, match=r"^bench") as caught:
        benches.loads(DEMO.replace(old, new))

    assert message in str(caught.value)


def test_a_node_without_a_bus_takes_any_samplerate() -> None:
    """Only what is wired must be: taps and the serial line, or nothing at all; no symbol limits the samplerate."""
    slow = DEMO.replace("24_000_000", "8_000_000")
    taps = re.sub(r"(strobe|d0|d1) = .*\n", "", slow)
    assert [["tap.irq", "tap.frame_timestamp", "uart_tx"]] * 2 == [
        list(node.lines) for node in benches.loads(taps).nodes.values()
    ]
    bare = re.sub(r"\[nodes\.\w+\.lines\]\n([\w.\"]+ = .*\n)*", "", slow)
    assert [{}, {}] == [node.lines for node in benches.loads(bare).nodes.values()]


def test_real_bench_needs_driver_and_serial() -> None:
    """Without a `[virtual]` section the analyzer and the ports must be given."""
    real = DEMO.split("# Clock errors")[0]

    with pytest.raises(BenchError, match=r"analyzers\.la has no `driver`"):
        benches.loads(real)
    with pytest.raises(BenchError, match=r"nodes\.initiator has no `serial`"):
        benches.loads(real.replace("samplerate_hz", 'driver = "fx2lafw"\nsamplerate_hz'))


def test_missing_bench_file(tmp_path: Path) -> None:
    """A file that is not there is named."""
    with pytest.raises(BenchError, match="No such file"):
        benches.load(tmp_path / "none.toml")


def test_experiments_are_valid() -> None:
    """Every experiment file can be run on the bench that its comment names, or else on the demo's."""
    paths = sorted(EXPERIMENTS.glob("*.toml"))
    assert paths

    for path in paths:
        file = re.search(r"[\w/]+_bench\.toml", path.read_text())
        name = re.search(r"the bench `([\w-]+)`", path.read_text())
        bench = EXPERIMENTS.parent / file[0] if file else resources.benches()[name[1] if name else "demo"]
        experiments.load(path, benches.load(bench))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"packets": 0}, "packets is 0"),
        ({"packets": 70_000}, "packets is 70000; use 1 to 65535"),
        ({"responder": "nobody"}, "responder is `nobody`"),
        ({"responder": "initiator"}, "the same node"),
        ({"packets": None}, "neither packets nor duration_s"),
        ({"duration_s": 2_001}, "duration_s is 2001"),
        ({"nodes": {"nobody": experiments.NodeRole()}}, "nodes.nobody is `nobody`"),
        ({"settings": experiments.Settings(peer="nobody")}, "peer of initiator is `nobody`"),
    ],
)
def test_wrong_experiment_is_refused(changes: dict[str, object], message: str) -> None:
    """An experiment the bench cannot do is refused."""
    fields: dict[str, object] = {
        "name": "x",
        "initiator": "initiator",
        "responder": "responder",
        "packets": 1,
    }

    with pytest.raises(BenchError, match=message):
        experiments.check(
            experiments.Experiment(**(fields | changes)),  # type: ignore[arg-type]
            benches.loads(DEMO),
            what="experiment",
        )

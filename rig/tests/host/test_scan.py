"""Bench files for what is connected: which board at which port, on which channels, at which rate."""

from __future__ import annotations

import msgspec
import pytest
from usbtree import UsbTree

from gpiorig.capture.sigrok.analyzer import Analyzer
from gpiorig.rig import resources
from gpiorig.rig.bench import benches, boards, drivers
from gpiorig.rig.bench.boards import SymbolBus
from gpiorig.rig.errors import BenchError
from gpiorig.rig.host import identify, scan, sigrok_usb
from gpiorig.rig.host.identify import Answer
from gpiorig.rig.host.ports import Port
from gpiorig.rig.planning import suggestion

FX2 = Analyzer("fx2lafw", "fx2lafw - Saleae Logic", tuple(f"D{number}" for number in range(8)))


def answers(tree: UsbTree) -> dict[str, Answer]:
    """What the ports of the tree answer."""
    m3 = Answer(500_000, {"board": "iotlab-m3", "uid": "1f", "firmware": "reference"})
    nucleo = Answer(115_200, {"board": "nucleo-l476rg", "uid": "2f", "firmware": "reference"})
    return {str(tree.dev / "ttyUSB1"): m3, str(tree.dev / "ttyACM0"): nucleo}


def scanned(tree: UsbTree, monkeypatch: pytest.MonkeyPatch) -> scan.Scan:
    """A scan of the tree, with an analyzer and boards that answer."""
    monkeypatch.setattr(scan.sigrok, "scan_all", lambda driver: [FX2] if driver == "fx2lafw" else [])
    monkeypatch.setattr(scan.sigrok_usb, "missing", lambda analyzer, places: [])
    monkeypatch.setattr(identify, "identify", lambda device: answers(tree)[device])  # a JTAG interface: KeyError
    return scan.scan(sys=tree.sys, dev=tree.dev)


def test_virtual_boards_are_marked(tree: UsbTree, monkeypatch: pytest.MonkeyPatch) -> None:
    """Boards that answer with the serial number of a virtual one, and no others."""
    assert not benches.loads(suggestion.text(scanned(tree, monkeypatch))).states_virtual
    served = Answer(500_000, {"board": "iotlab-m3", "uid": "13aaffff00" + b"VIRTUAL".hex(), "firmware": "reference"})
    with_served = answers(tree) | {str(tree.dev / "ttyUSB1"): served}
    monkeypatch.setitem(globals(), "answers", lambda tree: with_served)
    assert benches.loads(suggestion.text(scanned(tree, monkeypatch))).states_virtual


def test_the_bench_file_of_a_scan(tree: UsbTree, monkeypatch: pytest.MonkeyPatch) -> None:
    """Boards that answered, by names that stay; debug adapters by serial number, or by path where they have none."""
    bench = benches.loads(suggestion.text(scanned(tree, monkeypatch)))

    nucleo, m3 = bench.nodes["initiator"], bench.nodes["responder"]
    assert ("nucleo-l476rg", str(tree.dev / "ttyACM0"), "usb:1-2.10") == (nucleo.board, nucleo.serial, nucleo.debug)
    assert str(tree.dev / "serial/by-id/usb-M3_FT1ABCD-if01-port0") == m3.serial
    assert ("iotlab-m3", "FT1ABCD") == (m3.board, m3.debug)
    assert (115_200, None) == (nucleo.baudrate, m3.baudrate)
    assert "fx2lafw" == bench.analyzers["la"].driver
    assert ({"strobe", "d0", "tap.irq", "tap.frame_timestamp"}, 1) == (m3.lines.keys(), m3.width)


def test_the_debugger_of_an_nrf52840dk(tree: UsbTree, monkeypatch: pytest.MonkeyPatch) -> None:
    """A J-Link OB has the board's port and one more; `debug` is its serial number, whatever it calls itself."""
    for path, ids, port in (("1-6", "1366:1015", "ttyACM1"), ("1-7", "1366:1051", "ttyACM2")):
        kit = tree.device(path, ids, product="J-Link", serial=f"00068312345{path[-1]}")
        tree.port(kit, 0, port)
    answer = Answer(1_000_000, {"board": "nrf52840dk", "uid": "3f", "firmware": "reference"})
    kits = {str(tree.dev / port): answer for port in ("ttyACM1", "ttyACM2")}
    silent = dict.fromkeys(answers(tree), Answer(reason="no answer"))
    monkeypatch.setitem(globals(), "answers", lambda tree: kits | silent)

    nodes = benches.loads(suggestion.text(scanned(tree, monkeypatch))).nodes.values()

    assert {("nrf52840dk", "000683123456"), ("nrf52840dk", "000683123457")} == {(n.board, n.debug) for n in nodes}


def test_the_rate_of_a_port_that_has_any(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pseudo terminal answers at the first rate asked; the board's own is written down, so that pins decode at it."""
    monkeypatch.setattr(identify, "_ask", lambda device, rate, deadline_s: {"board": "telosb"})
    monkeypatch.setattr(identify.ports, "holders", lambda device: [])

    assert 115_200 == identify.identify("/dev/pts/7").baudrate


def test_adapters_with_equal_serial_numbers_go_by_their_paths(tree: UsbTree, monkeypatch: pytest.MonkeyPatch) -> None:
    """A serial number that two adapters have names neither."""
    tree.device("1-7", "0403:6010", serial="FT1ABCD")

    assert "usb:1-2.3" == benches.loads(suggestion.text(scanned(tree, monkeypatch))).nodes["responder"].debug


def test_an_analyzer_without_firmware(tree: UsbTree, monkeypatch: pytest.MonkeyPatch) -> None:
    """Is named with the package to install."""
    monkeypatch.setattr(scan.sigrok_usb, "folders", lambda: [tree.dev])

    connected = scan.scan(sys=tree.sys, dev=tree.dev)

    expected = "at 1-5 lacks firmware fx2lafw-saleae-logic.fw: apt-get install sigrok-firmware-fx2lafw"
    assert expected in connected.troubles[0]


@pytest.mark.parametrize(
    ("driver", "channels", "kinds", "rate_hz", "lines"),
    [
        ("fx2lafw", 8, ["iotlab-m3", "iotlab-m3"], 24_000_000, [4, 4]),
        ("fx2lafw", 8, ["nrf52840dk", "nrf52840dk"], 24_000_000, [4, 4]),
        ("fx2lafw", 16, ["iotlab-m3", "iotlab-m3"], 24_000_000, [4, 4]),  # D8 is not taken at this rate
        ("fx2lafw", 16, ["telosb", "telosb"], 12_000_000, [7, 7]),  # and two of these need it
        ("saleae-logic16", 16, ["iotlab-m3", "iotlab-m3"], 25_000_000, [5, 5]),
        ("beaglelogic", 14, ["iotlab-m3"], 24_000_000, [4]),  # 100 Mbit/s do not carry five channels
        ("beaglelogic:conn=tcp-raw/127.0.0.1/5555", 14, ["iotlab-m3", "telosb"], 24_000_000, [5, 7]),
        ("fx2lafw", 8, ["iotlab-m3"] * 3, 24_000_000, [4, 4]),
        ("of-somebody", 16, ["iotlab-m3", "iotlab-m3"], 24_000_000, [5, 5]),
    ],
)
def test_wiring(driver: str, channels: int, kinds: list[str], rate_hz: int, lines: list[int]) -> None:
    """That of `bench plan` with these channels; boards that do not fit are not wired, with the reason."""
    described = drivers.known(driver)
    names = described.channels if described else tuple(f"CH{number}" for number in range(16))
    analyzer = Analyzer(driver, "", names[:channels])

    settings, wired, reasons = suggestion.wiring(
        analyzer, {f"n{number}": boards.load(kind) for number, kind in enumerate(kinds)}
    )

    assert (rate_hz, lines) == (settings.samplerate_hz, [len(node.lines) for node in wired.values()])
    assert bool(reasons) == (len(kinds) > len(lines))


def test_a_scan_proposes_the_wiring_of_the_drawing(tree: UsbTree, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two nRF52840-DK on an FX2 board: lines, bus and rate of the recipe, whose drawing was wired by."""
    kit = Answer(1_000_000, {"board": "nrf52840dk", "uid": "3f", "firmware": "reference"})
    kits = {str(tree.dev / port): kit for port in ("ttyUSB1", "ttyACM0")}
    monkeypatch.setitem(globals(), "answers", lambda tree: kits)

    bench = benches.loads(suggestion.text(scanned(tree, monkeypatch)))
    recipe = benches.load(resources.benches()["fx2-two-nrf52840dk"])

    for name, node in recipe.nodes.items():
        assert (node.lines, node.bus_width) == (bench.nodes[name].lines, bench.nodes[name].bus_width)
    assert recipe.analyzers["la"].samplerate_hz == bench.analyzers["la"].samplerate_hz


def test_options_that_an_analyzer_needs() -> None:
    """A DSLogic streams with one, and has a threshold for boards of 3 V, so the file has them."""
    dslogic = Analyzer("dreamsourcelab-dslogic", "DSLogic", tuple(map(str, range(16))))

    text = suggestion.text(
        scan.Scan((dslogic,), ((Port("/dev/ttyUSB1"), Answer(500_000, {"board": "iotlab-m3"})),), (), ())
    )

    assert {"voltage_threshold": "1.4-1.4", "continuous": True} == benches.loads(text).analyzers["la"].config


def test_an_analyzer_that_is_too_slow() -> None:
    """Its board is not wired, and the reason names what the symbols need."""
    board = boards.load("iotlab-m3")
    fast = msgspec.structs.replace(
        board, bus_width=1, buses={"1": SymbolBus(symbol_ns=10, frame_gap_ns=40)}, min_hold_ns=None
    )

    settings, wired, reasons = suggestion.wiring(FX2, {"n1": fast})

    assert (24_000_000, {}) == (settings.samplerate_hz, wired)
    assert "a symbol of the bus may last 10 ns, which takes 200000000 at least" in reasons[0]


def test_nothing_is_connected() -> None:
    """The file is a form with what is to be written, and is refused until then."""
    other = Answer(115_200, {"board": "mine"})
    text = suggestion.text(
        scan.Scan((), ((Port("/dev/ttyS0"), Answer(reason="no answer")), (Port("/dev/ttyS1"), other)), (), ())
    )

    assert "# /dev/ttyS0: no answer\n# /dev/ttyS1: answers as board mine, which no file describes\n" in text
    with pytest.raises(BenchError, match="at least one"):
        benches.loads(text)
    assert benches.loads(
        text.replace("# [nodes", "[nodes")
        .replace("# board", "board")
        .replace("# serial", "serial")
        .replace("# lines", "lines")
    )


def test_where_sigrok_looks_for_firmware() -> None:
    """Its variable first, then the user's folder, then those of the machine."""
    places = sigrok_usb.folders({"HOME": "/home/me", "SIGROK_FIRMWARE_DIR": "/opt/fw"})

    assert ["/opt/fw", "/home/me/.local/share/sigrok-firmware"] == [str(place) for place in places[:2]]
    assert "/usr/share/sigrok-firmware" in map(str, places)

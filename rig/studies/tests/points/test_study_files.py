"""Study files: what is refused, with which words; axes, patterns, repeats and phases; digests."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from gpiorig.rig.errors import BenchError
from gpiorig.studies.points import study, study_paths
from gpiorig.studies.points.axes import combinations
from gpiorig.studies.points.points import Conditions, Point, points, repeats_of
from gpiorig.studies.points.states import Sought
from gpiorig.studies.points.study import Study

HEAD = 'document = "seeds/000"\nfigure = "figure 9"\ntitle = "x"\n'
BENCH = '[bench]\ntemplate = "iotlab-m3"\n'
NODES = 'nodes = ["initiator", "responder", "n1", "n2"]\n'
PLAIN = "[experiment]\npackets = 100\n"
AXIS = '[[vary]]\nname = "payload"\nkey = "settings.payload"\nvalues = [20, 60]\n'


@pytest.fixture
def read(tmp_path: Path):  # type: ignore[no-untyped-def]
    """Write a study file `s.toml` and load it."""

    def load(*parts: str) -> Study:
        path = tmp_path / "s.toml"
        path.write_text("".join((HEAD, *parts)))
        return study.load(path)

    return load


def expanded(one: Study, *, quick: bool = False) -> list[Point]:
    """All points, with the expressions checked, as the command has it."""
    sought = Sought.of(one, Conditions(quick=quick), Path())
    return sought.points(repeats_of(one, quick=quick))


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (("[bench]\n",), "study s: bench.template is missing; name a board: "),
        (('[bench]\ntemplate = "telosc"\n',), "study s: board of node initiator: unknown board `telosc`; boards with"),
        ((BENCH, "[experiment]\npaket = 1\n"), "study s: unknown key `paket`; did you mean `packets`?"),
        ((BENCH, "[experiment]\n"), "study s: neither packets nor duration_s; give one, or both, to define the end"),
        ((BENCH, PLAIN, 'warmup = "2"\n'), 'study s: warmup is \'2\'; write a time or packets, such as "2 s" or "50 p'),
        (
            (BENCH, PLAIN, AXIS.replace("60", "1600")),
            "study s: payload = 1600: settings.payload is 1600; use 8 to 1000.",
        ),
        (
            (BENCH, PLAIN, AXIS.replace(".payload", ".paylod")),
            "study s: payload = 20: unknown key `paylod` in `settings`",
        ),
        (
            ('conclusion = "{rtt.p2p where payload = 7}"\n', BENCH, PLAIN, AXIS),
            "study s: conclusion `{rtt.p2p where payload = 7}`: `payload = 7` is not a value of an axis",
        ),
        ((BENCH, PLAIN, AXIS, AXIS), "study s: axis `payload`: rename it; each axis has a name of its own"),
        ((BENCH, PLAIN, AXIS.replace("[20, 60]", "[]")), "study s: axis `payload`: has no values; give one at least."),
        ((BENCH, PLAIN, AXIS.replace("60", "20")), "study s: axis `payload`: has a value twice; delete one."),
        (
            (BENCH, PLAIN, AXIS, 'set = { "settings.queue" = [1, 2, 3] }\n'),
            "study s: axis `payload`: set `settings.queue` has 3 values, the axis has 2; give one for each.",
        ),
        (
            (BENCH, PLAIN, '[[vary]]\nname = "nothing"\nvalues = [1]\n'),
            "study s: axis `nothing`: changes nothing; give key or [vary.set], or zip it with an axis that does.",
        ),
        (
            (BENCH, PLAIN, AXIS, 'zip = "z"\n[[vary]]\nname = "more"\nzip = "z"\nvalues = [1, 2, 3]\n'),
            "study s: axis `more`: has 3 values and moves with `payload`, which has 2; give both as many.",
        ),
        (
            (BENCH, PLAIN, '[[vary]]\nname = "rate"\nkey = "nodes.m*.interval_us"\nvalues = [20_000]\n'),
            "study s: `nodes.m*.interval_us`: no node is called `m*`; its nodes: initiator, responder.",
        ),
        (
            (BENCH, PLAIN, AXIS, '[[show]]\nkind = "line"\nx = "paylod"\ny = ["rtt.p2p"]\n'),
            "study s: show 1: no axis is called `paylod`; did you mean `payload`?",
        ),
        (
            (BENCH, PLAIN, AXIS, '[[show]]\nkind = "table"\ny = ["rtt.p2p"]\nwhere = { payload = 30 }\n'),
            "study s: show 1: axis `payload` has no value 30; it has 20, 60.",
        ),
        (
            (BENCH, PLAIN, AXIS, '[[show]]\nkind = "line"\ny = ["rtt.p2p"]\nlevels = { payload = [30] }\n'),
            "study s: show 1: axis `payload` has no value 30; it has 20, 60.",
        ),
        (
            (BENCH, PLAIN, AXIS, '[[show]]\nkind = "line"\ny = ["rtt.p2p"]\nlevels = { rate = [1] }\n'),
            "study s: show 1: no axis is called `rate`; its axes: payload.",
        ),
        (
            (BENCH, PLAIN, AXIS, '[[show]]\nkind = "line"\ny = ["rtt.p2p"]\nlabels = { "rtt.p2" = "jitter" }\n'),
            "study s: show 1: labels: `rtt.p2` is not in the figure; did you mean `rtt.p2p`?",
        ),
        (
            (BENCH, PLAIN, AXIS, '[[show]]\nkind = "line"\ny = ["rtt.p2p"]\ny_limits = ["3 parsecs", 1]\n'),
            "study s: show 1: y_limits: value `3 parsecs`: not understood",
        ),
        (
            (BENCH, PLAIN, AXIS, '[[show]]\nkind = "scatter"\ny = ["rtt"]\nx = "payload"\n'),
            "study s: show 1: x is `payload`; of a scatter use `packet` or `time`.",
        ),
        (
            (BENCH, PLAIN, '[[show]]\nkind = "table"\ny = ["rtt"]\n'),
            "study s: show 1: expression `rtt`: `rtt` has no stat",
        ),
        (
            (BENCH, PLAIN, '[quantities]\nx = "span of udp.chk"\n'),
            "study s: quantities.x: expression `span of udp.chk`: ",
        ),
        (
            (BENCH, PLAIN, "[quick]\nkeep = { load = [1] }\n"),
            "study s: quick.keep: no axis is called `load`; its axes: none.",
        ),
        ((BENCH, PLAIN, "[repeat]\nn = 0\n"), "study s: repeat.n is 0; use 1 at least."),
        (
            (BENCH, PLAIN, '[repeat.until]\ny = "rtt.p2p"\nwidth = 0.1\nleast = 2\n'),
            "study s: repeat.until: use a width above",
        ),
        ((BENCH, '[experiment]\nbase = "pingpang"\n'), "study s: experiment.base is `pingpang`: "),
        ((BENCH, 'lines = ["bus", "d0"]\n', PLAIN), "study s: bench.lines: `d0` of node initiator is there twice"),
        (
            (BENCH, 'lines = ["tap.irq"]\n', PLAIN),
            "study s: bench virtual 2 iotlab-m3: node initiator has no symbol bus among its lines",
        ),
    ],
)
def test_what_is_refused(read, parts: tuple[str, ...], message: str) -> None:  # type: ignore[no-untyped-def]
    """The message has the study, the axis with its value where there is one, and the remedy."""
    with pytest.raises(BenchError) as error:
        expanded(read(*parts))

    assert message in str(error.value)


def test_axes_are_multiplied_but_for_those_that_move_together(read) -> None:  # type: ignore[no-untyped-def]
    """The last axis is the fastest; `set` gives several keys their values."""
    rate = (
        '[[vary]]\nname = "method"\nzip = "m"\nkey = "settings.csma"\nvalues = [true, true, false]\n'
        '[[vary]]\nname = "ahead"\nzip = "m"\nvalues = [1, 2, 3]\n[vary.set]\n"settings.queue" = [4, 5, 6]\n'
    )
    chosen = combinations(read(BENCH, PLAIN, AXIS, rate).file)

    assert [(20, "on", 1), (20, "on", 2), (20, "off", 3), (60, "on", 1), (60, "on", 2), (60, "off", 3)] == [
        tuple(one.coordinates.values()) for one in chosen
    ]
    assert {"settings.payload": 60, "settings.csma": False, "settings.queue": 6} == chosen[-1].settings


def test_a_pattern_is_of_all_nodes_that_match(read) -> None:  # type: ignore[no-untyped-def]
    """In `[experiment.nodes]` and in the key of an axis; a name of its own goes before, if it is written later."""
    nodes = '[experiment.nodes]\n"n*" = { app = "broadcast", payload = 40 }\nn2 = { payload = 50 }\n'
    rate = '[[vary]]\nname = "on"\nkey = "nodes.n*.start"\nvalues = [false, true]\n'

    off, on = expanded(read(BENCH, NODES, PLAIN, nodes, rate))

    assert {"n1": 40, "n2": 50} == {name: role.payload for name, role in on.experiment.nodes.items()}
    assert (["initiator"], ["n1", "n2", "initiator"]) == (off.experiment.started, on.experiment.started)


def test_nodes_of_a_pattern_have_values_of_their_own(read) -> None:  # type: ignore[no-untyped-def]
    """An axis sets a key of one of them, and each gets a phase of its own; no point changes another."""
    nodes = '[experiment.nodes."n*"]\nstart = true\n'
    axis = '[[vary]]\nname = "threads"\nvalues = [0, 1]\n[vary.set]\n"nodes.n1.kernel" = ["events", "threads"]\n'
    axis += '"nodes.n2.kernel" = ["events", "events"]\n'
    phases = '[repeat]\nphases = { "nodes.n*.phase_us" = 1_000_000 }\n'

    none, one = expanded(read(BENCH, NODES, PLAIN, nodes, axis, phases))

    assert ["events", "events"] == [none.experiment.nodes[name].kernel for name in ("n1", "n2")]
    assert ["threads", "events"] == [one.experiment.nodes[name].kernel for name in ("n1", "n2")]
    assert one.experiment.nodes["n1"].phase_us != one.experiment.nodes["n2"].phase_us
    assert none.digest != one.digest


def test_the_keys_of_a_base_hold_unless_given(read) -> None:  # type: ignore[no-untyped-def]
    """Tables are merged; the name of the run is the study's."""
    (point,) = expanded(read(BENCH, '[experiment]\nbase = "thesis-m3-riot"\nsettings = { payload = 20 }\n'))

    assert ("s", 1000, "threads", 20, 400_000) == (
        point.experiment.name,
        point.experiment.packets,
        point.experiment.kernel,
        point.experiment.settings.payload,
        point.experiment.settings.interval_us,
    )


def test_repeats_have_their_seeds_and_phases(read) -> None:  # type: ignore[no-untyped-def]
    """The first repeat has the seed 1; phases are the same at all times, for all values of the axes."""
    repeat = '[repeat]\nn = 3\nphases = { "nodes.n*.gap_us" = 20_000 }\n'
    every = expanded(read(BENCH, NODES, PLAIN, AXIS, repeat))

    assert [0, 1, 2, 0, 1, 2] == [point.repeat for point in every]
    assert [1, 2, 3] * 2 == [point.experiment.settings.seed for point in every]
    assert [1, 2, 3] * 2 == [point.bench.virtual["seed"] for point in every if point.bench.virtual is not None]
    phases = [(point.experiment.nodes["n1"].gap_us, point.experiment.nodes["n2"].gap_us) for point in every]
    assert phases[:3] == phases[3:]
    assert [(13279, 2191), (15325, 6242), (17196, 8330)] == phases[:3]


def test_studies_with_one_bench_and_one_experiment_share_their_points(read) -> None:  # type: ignore[no-untyped-def]
    """Phases do not depend on the study's name; a table of settings that an axis sets gets the seed of the repeat."""
    repeat = '[repeat]\nn = 2\nphases = { "nodes.n1.gap_us" = 20_000 }\n'
    tables = '[[vary]]\nname = "row"\nvalues = ["a"]\nset = { settings = [{ payload = 40 }] }\n'
    plain = read(BENCH, NODES, "[experiment]\npackets = 100\nsettings = { payload = 40 }\n", repeat)
    other = dataclasses.replace(read(BENCH, NODES, "[experiment]\npackets = 100\n", tables, repeat), name="other")

    assert [point.digest for point in expanded(plain)] == [point.digest for point in expanded(other)]
    assert [1, 2] == [point.experiment.settings.seed for point in expanded(other)]


def test_an_axis_goes_before_a_seed(read) -> None:  # type: ignore[no-untyped-def]
    """A study may vary what repeats would."""
    seeds = '[[vary]]\nname = "seed"\nkey = "bench.virtual.seed"\nvalues = [7, 9]\n'

    assert [7, 9] == [(point.bench.virtual or {})["seed"] for point in expanded(read(BENCH, PLAIN, seeds))]


def test_quick_cuts(read) -> None:  # type: ignore[no-untyped-def]
    """Packets, repeats and values; a number below the cut stays."""
    quick = "[quick]\npackets = 30\nrepeats = 2\nkeep = { payload = [60] }\n"
    every = expanded(read(BENCH, PLAIN, AXIS, "[repeat]\nn = 10\n", quick), quick=True)
    few = expanded(read(BENCH, "[experiment]\npackets = 5\n", AXIS, quick), quick=True)

    assert [(60, 0, 30), (60, 1, 30)] == [
        (one.coordinates["payload"], one.repeat, one.experiment.packets) for one in every
    ]
    assert 5 == few[0].experiment.packets


def test_the_digest_is_of_what_makes_the_recording(read) -> None:  # type: ignore[no-untyped-def]
    """Names, figures, assertions and quantities do not count; settings, bench, repeat and warm-up do."""
    (plain,) = expanded(read(BENCH, PLAIN))
    show = '[[show]]\nkind = "table"\ny = ["rtt.p2p"]\n'
    same = [expanded(read(BENCH, PLAIN, 'name = "other"\nassert = ["rtt.p99 < 1 s"]\n', show))[0]]
    axis = AXIS.replace("[20, 60]", "[32]")  # the default
    same += expanded(read(BENCH, PLAIN, axis))
    other = [
        *expanded(read(BENCH, PLAIN, 'warmup = "1 s"\n')),
        *expanded(read(BENCH, PLAIN.replace("100", "101"))),
        *expanded(read(BENCH, 'lines = ["bus", "tap.irq"]\n', PLAIN)),
        *expanded(read(BENCH, PLAIN, "[repeat]\nn = 2\n"))[1:],
    ]

    assert {plain.digest} == {one.digest for one in same}
    assert 1 + len(other) == len({plain.digest, *(one.digest for one in other)})


def test_the_digest_has_not_changed(read, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    """A new one makes users record everything again: change it only with a reason, and write so in the changelog."""
    monkeypatch.setattr("gpiorig.studies.points.digests.of_file", lambda path: "0" * 64)

    (plain,) = expanded(read(BENCH, PLAIN))

    assert "8bc39c5e3e8a7f399bb022272c1854d2c8864ca6fc293dc25050823dbd3e9cd0" == plain.digest


def test_an_image_that_is_not_given_refuses_its_points(read, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """The others are recorded; an image that is given is what its node runs, and part of the digest."""
    systems = '[[vary]]\nname = "system"\nkey = "image.*"\nvalues = ["", "riot"]\n'
    one, elf = read(BENCH, PLAIN, systems), tmp_path / "riot.elf"
    elf.write_bytes(b"\x7fELF")

    ours, refused = expanded(one)
    given = points(one, Conditions(images={"riot": elf}), [0])[1]

    assert ("", "no image riot: give --image riot=ELF") == (ours.refusal, refused.refusal)
    assert ("", {"initiator": elf, "responder": elf}) == (given.refusal, given.firmware)
    assert 3 == len({ours.digest, refused.digest, given.digest})


def test_a_setting_that_a_firmware_lacks_refuses_its_points(read) -> None:  # type: ignore[no-untyped-def]
    """The reason lists the settings that it has."""
    shell = '[[vary]]\nname = "system"\nkey = "bench.nodes.*.console"\nvalues = ["", "riot-shell"]\n'
    ours, shell_point = expanded(read(BENCH, PLAIN, "settings = { queue = 8 }\n", shell))

    assert "" == ours.refusal
    assert "has no setting `queue`; it has " in shell_point.refusal


def test_the_quantities_of_a_study(read) -> None:  # type: ignore[no-untyped-def]
    """Those of its figures, aliases, assertions and of the conclusion, each once; what is after `where` is none."""
    parts = [
        'conclusion = "It is {sum.p99 where payload = 20} and {delay.max}."\n',
        BENCH,
        '[experiment]\npackets = 9\nassert = ["goodput > 1 kbit/s"]\n',
        AXIS,
        '[quantities]\nsum = "span of udp.checksum"\n[[show]]\nkind = "ecdf"\ny = ["sum"]\n',
        '[[show]]\nkind = "table"\ny = ["rtt.p99 - rtt.p1", "loss"]\n',
    ]

    assert ("delay", "goodput", "loss", "rtt", "span of udp.checksum") == Sought.of(
        read(*parts), Conditions(), Path()
    ).names


def test_studies_are_found(tmp_path: Path) -> None:
    """By path, folder, name, or name with a dot; a wrong name gets a hint."""
    known = study_paths.files()["000-round-trip"]

    assert [known] == [one.path for one in study.load_all([Path("000.round-trip"), Path("000-round-trip"), known])]
    assert known in [one.path for one in study.load_all([known.parent])]
    with pytest.raises(
        BenchError, match=r"study 000-rund-trip: no file and no study has this name; did you mean `000-round-trip`\?"
    ):
        study.load_all([Path("000-rund-trip")])
    with pytest.raises(BenchError, match=r"has no study files \(\*\.toml\)"):
        study.load_all([tmp_path])


@pytest.mark.parametrize("name", sorted(study_paths.files()))
def test_every_study_that_comes_with_gpiorig_is_possible(name: str) -> None:
    """All its points pass the checks of `gpiorig run`, its expressions are understood, and `--quick` keeps some."""
    (one,) = study.load_all([study_paths.files()[name]])

    assert all(not point.refusal or "--image" in point.refusal for point in expanded(one))
    assert expanded(one, quick=True)


def test_a_truth_value_of_an_axis_has_one_spelling(read) -> None:  # type: ignore[no-untyped-def]
    """`true` is `on` in names of points, in what selects and in what was published; the setting is a truth value."""
    axis = '[[vary]]\nname = "csma"\nkey = "settings.csma"\nvalues = [true, false]\n'
    shown = '[[show]]\nkind = "bars"\ny = ["loss"]\nwhere = { csma = [true] }\n'
    published = '[[published]]\nsource = "x"\ny = "loss"\nvalues = [{ csma = true, value = "1 %" }]\n'
    ordered = '[[published]]\nsource = "x"\ny = "loss"\norder = [{ csma = true }, { csma = false }]\n'
    kept = "[quick.keep]\ncsma = [true]\n"
    one = read('conclusion = "{loss where csma = on}"\n', BENCH, PLAIN, axis, shown, published, ordered, kept)
    made = expanded(one)
    assert [("on", True), ("off", False)] == [
        (point.coordinates["csma"], point.experiment.settings.csma) for point in made
    ]
    assert "csma = on" == combinations(one.file, quick=True)[0].text and 1 == len(expanded(one, quick=True))
    assert {"csma": ("on",)} == one.file.show[0].where
    assert ["on", "on"] == [one.file.published[0].values[0]["csma"], one.file.published[1].order[0]["csma"]]

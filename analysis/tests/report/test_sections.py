"""Sections of the page: what is listed, drawn and told, at counts on either side of each limit."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import evaluations
import numpy as np
import pytest
from reportcases import AIR, PLAIN, WAIT, attributed, data_of, finding, interval, one_way, routes_of, with_evaluation

from gpiorig.analysis.attribution.step_series import TOTAL
from gpiorig.analysis.clocks.stability import Stability
from gpiorig.analysis.events.table import BY_CODE
from gpiorig.analysis.figures import style
from gpiorig.analysis.number_text import DASH, time_text
from gpiorig.analysis.packets.routes import ROUND_TRIP
from gpiorig.analysis.processor.occupancy import LayerTimes, Occupancy
from gpiorig.analysis.quantities.names import parse
from gpiorig.analysis.quantities.series import Series
from gpiorig.analysis.report import (
    blocks,
    causes,
    clocks,
    files,
    health,
    inline_svg,
    packet_columns,
    page,
    pictures,
    processor,
    quantities,
)  # fmt: skip


@pytest.mark.parametrize(("gaps", "named"), [(12, False), (13, True)])
def test_gaps_that_are_listed(gaps, named):
    data = one_way(evaluations.one_way(packets=20), gaps=[(1000 * n, 1000 * n + 24) for n in range(gaps)], **PLAIN)
    (table,) = [
        block for block in health.section(data).blocks if isinstance(block, blocks.Table) and block.caption == "Gaps"
    ]
    assert 12 == len(table.rows) and "1.00 µs" == table.rows[0][1]
    assert ("1 more are in the recording." if named else "") == table.note


@pytest.mark.parametrize(("kinds", "note"), [(24, ""), (25, "1 further kinds are in unattributed.parquet.")])
def test_events_without_a_packet_that_are_listed(kinds, note):
    """Twice as many kinds as packets."""
    codes = np.arange(1, kinds + 1)
    events = SimpleNamespace(nodes=np.zeros(kinds, dtype=np.int64), codes=codes, node_names=("a",))
    unattributed = SimpleNamespace(positions=np.arange(kinds), reasons=np.ones(kinds, dtype=np.uint8))
    if not set(codes.tolist()) <= BY_CODE.keys():
        events.codes = np.array(sorted(BY_CODE)[:kinds])
    table = health._unattributed(SimpleNamespace(unattributed=unattributed, events=events))
    assert (24, note) == (len(table.rows), table.note)


@pytest.mark.parametrize("packets", [12, 13])
def test_packets_without_a_timeline_are_listed(new_bench, packets):
    """By the reason, twelve of each."""
    bench = new_bench()
    for id_ in range(packets + 3):
        bench.round_trip(id_ + 1, lost="reply" if id_ < packets else "")
    section = health.section(data_of(bench))
    at = next(
        n for n, block in enumerate(section.blocks) if isinstance(block, blocks.Heading) and str(packets) in block.text
    )
    listed = section.blocks[at + 1].lines
    assert listed[12:] == (("and 1 more, in packets.parquet",) if packets > 12 else ())
    assert 12 == sum(line.startswith(tuple(f"{n}: " for n in range(1, 20))) for line in listed)
    probes = dict(health.losses(data_of(bench)))["frames of initiator: counted by the firmware; seen on the pins"]
    assert probes.startswith("7; ")


def test_rows_of_quantities():
    """One value of a quantity that is single, none of one without values, else one for each statistic.

    Over 16 steps TDEV needs 48 values.
    """
    series = Series(
        "a > b", parse("mac.tx -> mac.rx"), np.arange(40), Fraction(1), np.arange(40), np.full(40, -1, dtype=np.int32)
    )
    empty = replace(series, values=np.zeros(0, dtype=np.int64))
    single = SimpleNamespace(
        quantity=SimpleNamespace(kind=SimpleNamespace(unit=series.quantity.kind.unit, single=True), name="x"),
        node="a", values=np.arange(3), lacking=0, doubt=0.0, interval=lambda name: interval(7000.0),
    )  # fmt: skip
    (section,) = quantities.sections(replace(routes_of(20), quantities=(series, empty, single)), "")
    full, none, one = section.blocks[0].rows
    assert 10 == len(full) == len(none) == len(one) == len(section.blocks[0].header)
    assert DASH not in full and [DASH] * 6 == list(none[4:]) and [DASH] * 5 == list(one[5:])
    assert 2 == len(blocks.pictures([section]))
    over_intervals = section.blocks[-1].rows
    assert ["a > b: mac.tx -> mac.rx"] * 5 == [row[0] for row in over_intervals]  # octaves of 40 values
    assert [False] * 4 + [True] == [row[3] == DASH == row[4] for row in over_intervals]
    assert DASH not in [row[2] for row in over_intervals]
    assert [] == blocks.pictures(quantities.sections(replace(routes_of(20), quantities=(empty,)), ""))


@pytest.mark.parametrize(("routes", "told"), [(2, False), (page.DRAWN_ROUTES, False), (page.DRAWN_ROUTES + 1, True)])
def test_routes_that_are_drawn(routes, told):
    section = page._other_routes(routes_of(*[20] * routes), "")
    assert min(routes, page.DRAWN_ROUTES) - 1 == sum(isinstance(block, blocks.Details) for block in section.blocks)
    assert told == any(isinstance(block, blocks.Text) for block in section.blocks)
    assert routes == len(section.blocks[0].rows)


def test_items_that_are_listed():
    """In the line of a folded section."""
    rows = [(str(n), "") for n in range(page.LISTED_ITEMS + 1)]
    assert [row[0] for row in rows[:-1]] == page._listed(rows[:-1])
    assert "…" == page._listed(rows)[-1] and len(page._listed(rows)) == page.LISTED_ITEMS + 1


def test_why_there_is_no_packet():
    nothing = one_way(**PLAIN)
    assert "no packet is complete, from its first" in page._no_packet(nothing).blocks[0].lines[0]
    silent = replace(nothing, analysis=replace(nothing.analysis, no_packets="silence"))
    assert "no send call of a packet was seen" in page._no_packet(silent).blocks[0].lines[0]


def test_the_first_bit_on_the_air():
    """One distance of the line where both directions have it, else each of them."""
    for samples, words in (((4608, 4608), "minus 4608"), ((4608, 7), "minus 4608 (request) or 7 (reply)")):
        lines = SimpleNamespace(header_samples=samples, initiator="a", responder="b")
        section = page._provenance(SimpleNamespace(timelines=lines, provenance={}))
        assert section.blocks[0].rows[1][1].endswith(words)


@pytest.mark.parametrize(("packets", "told"), [(300, False), (301, True)])
def test_curves_that_are_thinned(packets, told):
    data = routes_of(packets)
    total, *_ = pictures.distributions(data, data.evaluation.routes[0], "")
    assert told == ("quantiles" in total.caption)


def test_the_delay_over_the_run():
    """Losses whose instant is not known are counted; of a route that is no round trip none has an instant."""
    data = routes_of(20)
    (picture,) = pictures.over_the_run(data, data.evaluation.routes[0], "")
    assert "The instants of 3 lost packets are unknown." in picture.caption
    assert "one point per packet" in picture.caption
    route = replace(data.evaluation.routes[0].route, lost=0)
    (complete,) = pictures.over_the_run(data, replace(data.evaluation.routes[0], route=route), "")
    assert "unknown" not in complete.caption


class Many(SimpleNamespace):
    """A route with a number of packets and nothing of them."""

    def __len__(self):
        return self.packets


def test_points_of_many_packets_are_a_band():
    """From 3 001 on."""
    data = routes_of(20)
    about = data.evaluation.routes[0]
    for packets, told in ((3000, False), (3001, True)):
        starts = np.zeros(1, dtype=np.int64)
        route = Many(packets=packets, name="a > b", lost=0, starts=starts, totals=None, steps=about.route.steps)
        evaluation = SimpleNamespace(route=route, numbers=about.numbers, attributions=())
        (picture,) = pictures.over_the_run(data, evaluation, "")
        assert told == ("as a band" in picture.caption)


def test_the_levels_of_a_sum():
    """15 levels of the total are the sums of 8 and 8; of 14, or of another period, the title explains nothing."""
    wait, air = (attributed(step, finding("lattice", 0.5, period_ns=320e3, levels=8)) for step in (WAIT, AIR))
    for levels, period, sums in ((15, 320e3, ": the sums of 8 and 8"), (14, 320e3, ""), (15, 160e3, "")):
        total = attributed(TOTAL, finding("lattice", 0.9, period_ns=period, levels=levels))
        data = with_evaluation(routes_of(50), attributions=(wait, air, total))
        assert f"on {levels} levels {period / 1e3:.1f} µs apart{sums}" == pictures._levels(data.evaluation.routes[0])


def test_folds_over_periods():
    """Of lattices and beats with a period; at most four; the phase is that at which the step began."""
    wait = attributed(
        WAIT,
        finding("beat", 0.5, period_ns=1e6),
        finding("lattice", 0.4, period_ns=320e3, levels=8),
        finding("lattice", 0.3, period_ns=0.0),
        finding("trend", 0.2, period_ns=5.0),
        finding("beat", 0.1),
    )
    data = with_evaluation(routes_of(50), attributions=(wait,))
    evaluation = data.evaluation.routes[0]
    beat, lattice = causes.folds(data, evaluation, "p-")
    assert ["p-fold-1", "p-fold-2"] == [beat.name, lattice.name]
    assert "without a lattice it would be spread evenly up to 160.0 µs" in lattice.caption and "phase" in beat.caption
    assert [f"{WAIT}, folded over {time}" for time in ("1.000 ms", "320.0 µs")] == [beat.title, lattice.title]
    drawn = beat.draw()
    (ax,) = drawn.axes
    starts = evaluation.route.starts + evaluation.route.steps.samples[:, 0]
    phases = np.sort(np.mod((starts - starts.min()) / 24_000, 1.0))
    assert np.allclose(phases, np.sort(ax.lines[0].get_xdata()[::3]))
    assert (2, 2.3) == (len(lattice.draw().axes), lattice.draw().get_figheight()) and 2.3 == drawn.get_figheight()
    assert "Only the medians" not in beat.caption
    assert [] == causes.folds(
        data, replace(evaluation, attributions=(attributed("another step", finding("beat", 0.5, period_ns=1.0)),)), ""
    )


def test_the_section_of_clocks():
    """Errors of three quantities, thinned beyond 300; why nothing is there; stability only where some is positive."""
    data = one_way(evaluations.one_way(packets=20), **PLAIN | {"audited": True})
    audit = data.evaluation.audit
    first = audit.comparisons[0]

    def shown(**changed):
        changed = replace(audit, **changed)
        return clocks.section(replace(data, evaluation=replace(data.evaluation, audit=changed)), "").blocks

    for quantities_, told in ((3, False), (4, True)):
        compared = tuple(replace(first, quantity=f"q{n}") for n in range(quantities_))
        (errors,) = [one for one in blocks.pictures(shown(comparisons=compared)) if one.name == "clock-errors"]
        assert told == (" quantities 3 are drawn" in errors.caption)
        assert 3 == len(errors.draw().axes)
    for n, thinned in ((300, False), (301, True)):
        captions = [picture.caption for picture in blocks.pictures(shown(comparisons=(replace(first, n=n),)))]
        assert thinned == ("of their quantiles" in captions[0])
    zero = replace(audit.stability[0], adev=np.zeros(6), tdev_ns=np.zeros(6), mtie_ns=np.zeros(6))
    assert "clock-stability" not in [picture.name for picture in blocks.pictures(shown(stability=(zero,)))]
    matched = replace(audit.matchings[0], unmatched={"why": 0})
    assert "0" == clocks._matchings(replace(audit, matchings=(matched,))).rows[0][3]
    assert "4 no event on the pins" == clocks._matchings(audit).rows[0][3]


def test_the_height_of_the_stability_of_clocks():
    """A row of the legend for each two clocks, on a narrow screen for each; there panels are below each other."""
    taus = np.array([1.0, 2.0])
    measures = (("tdev_ns", "TDEV"), ("mtie_ns", "MTIE"))
    for count, wide, narrow in ((3, 2, 3), (8, 4, 8), (9, 5, 9)):
        made = [Stability(str(n), taus, *[np.array([n + 1.0, n + 2.0])] * 3) for n in range(count)]
        assert 2.7 + 0.1 + 0.17 * wide == pytest.approx(
            clocks.draw_stability(made, measures, virtual=False).get_figheight()
        )
        with style.narrow():
            height = clocks.draw_stability(made, measures, virtual=False).get_figheight()
            assert 2.7 + 2.2 + 0.1 + 0.17 * narrow == pytest.approx(height)


def test_columns_of_packets(monkeypatch):
    """As few bytes as the range of a column needs; letters up to the limit are kept."""
    route = evaluations.one_way(packets=300)
    packed = packet_columns.columns_of(route)
    for values, (least, width) in zip(
        [route.ids, *[None], *route.steps.samples.T], packed.header["columns"], strict=True
    ):
        if values is not None:
            assert (int(values.min()), math.ceil(int(np.ptp(values)).bit_length() / 8)) == (least, width)
    assert not packed.header["round_trips"]
    assert packet_columns.columns_of(replace(route, name=ROUND_TRIP)).header["round_trips"]
    for limit, kept in ((len(packed.letters), 300), (len(packed.letters) - 1, 200)):
        monkeypatch.setattr(packet_columns, "MAX_LETTERS", limit)
        assert kept == packet_columns.columns_of(route).packets


def test_an_element_of_a_page():
    """The least width of the wide one, 84 pixels to an inch; the narrow one has another name and none."""

    def draw():
        with style.paper():
            figure = style.new_figure(width=5.0, virtual=False)
            figure.subplots().plot([1, 2])
            return figure

    text = inline_svg.svg(blocks.Picture("one", draw, "t", "c"))
    assert 'class="wide" style="--least: 420px"' in text and 'class="narrow" style="--least: 0px"' in text
    assert 'id="one-title"' in text and 'id="one-narrow-title"' in text


@pytest.mark.parametrize(
    ("count", "platform", "working", "child", "forks"),
    [
        (4, "linux", 1, False, True),
        (3, "linux", 1, False, False),
        (4, "darwin", 1, False, False),
        (4, "linux", 2, False, False),
        (4, "linux", 1, True, False),
    ],
)
def test_when_a_second_process_draws(monkeypatch, count, platform, working, child, forks):
    """From four pictures on, on Linux, without threads that work, and not in a process of a batch."""
    made = [blocks.Picture(str(n), None, "", "") for n in range(count)]
    monkeypatch.setattr(inline_svg, "_drawn_by_two", lambda pictures_, headings: {"0": "two"})
    monkeypatch.setattr(inline_svg, "svg", lambda picture, heading: "one")
    monkeypatch.setattr(inline_svg.sys, "platform", platform)
    monkeypatch.setattr(
        inline_svg.threading, "enumerate", lambda: [SimpleNamespace(daemon=n >= working) for n in range(3)]
    )
    monkeypatch.setattr(inline_svg.multiprocessing, "parent_process", lambda: object() if child else None)
    assert ("two" if forks else "one") == inline_svg.svgs(made, {})["0"]


def test_no_second_process_beside_the_main_thread(monkeypatch):
    monkeypatch.setattr(inline_svg, "_drawn_by_two", lambda pictures_, headings: {"0": "two"})
    monkeypatch.setattr(inline_svg, "svg", lambda picture, heading: "one")
    monkeypatch.setattr(inline_svg.threading, "enumerate", lambda: [SimpleNamespace(daemon=False)])
    monkeypatch.setattr(inline_svg.threading, "current_thread", object)
    made = [blocks.Picture(str(n), None, "", "") for n in range(4)]
    assert "one" == inline_svg.svgs(made, {})["0"]


def test_times_in_layers_and_of_occupants():
    """In ns; of activities those that ran, forty at most."""
    evaluation = evaluations.about(evaluations.one_way(packets=50))
    data = routes_of(50)
    table = processor.layers(data, evaluation, "")[1].blocks[0]
    own = evaluation.layers.self_samples[:, 0]
    period_ns = evaluation.numbers.period_ns
    assert time_text(float(np.median(own)) * period_ns) == table.rows[0][3]
    for count, rest in ((40, ""), (41, "1 shorter ones are in occupancy.parquet.")):
        mean = np.zeros((4, count + 1))
        mean[0, :count] = np.arange(1, count + 1) * 24.0
        names = tuple(f"a: isr {n}" for n in range(count + 1))
        occupancy = Occupancy(names, mean, np.ones((50, 4), dtype=np.int64), np.array([True, True, False, False]))
        made = processor._occupants(replace(evaluation, occupancy=occupancy))
        assert (40, rest) == (len(made.rows), made.note)
        assert (f"a: isr {count - 1}", f"{count}.0 µs") == made.rows[0][1:]
    reason, *_ = processor.layers(data, replace(evaluation, layers=None), "")
    assert "does not distinguish the layers" in reason.lines[0]


def test_the_legend_of_all_packets():
    """Kinds that take time have their share."""
    data = routes_of(50)
    hero, viewer = processor.packets(data, data.evaluation.routes[0], "p-")
    assert {f"kind-{kind.value}" for kind in data.evaluation.routes[0].numbers.by_kind("time")} == {
        look for look, _ in hero.legend
    }
    assert all(text.endswith("%") for _, text in hero.legend)
    assert "p-packets" == hero.name == viewer.name


def test_packets_of_each_status_are_listed():
    """The last statuses, too."""
    lines = SimpleNamespace(status=np.array([5, 0, 4, 1]), ids=np.arange(4), detail=lambda row: f"why {row}")
    listed = [block.lines for block in health._excluded(lines) if isinstance(block, blocks.Text)]
    assert [("3: why 3",), ("2: why 2",), ("0: why 0",)] == listed


def test_a_fold_of_many_packets_has_only_medians():
    """From 3 001 on."""
    data = routes_of(20)
    about = data.evaluation.routes[0]
    for packets, told in ((3000, False), (3001, True)):
        view = SimpleNamespace(route=Many(packets=packets, steps=about.route.steps), numbers=about.numbers)
        beat = finding("beat", 0.5, period_ns=1e6)
        picture = causes._fold(data, view, attributed(WAIT, beat), beat, "fold")
        assert told == ("Only the medians are drawn" in picture.caption)


def test_the_figure_of_a_packet_as_a_file(new_bench, tmp_path):
    """Of the only round trip; none of packets that go one way."""
    bench = new_bench()
    bench.round_trip(1)
    assert [] == files._write_packet(routes_of(20), tmp_path, ("svg",))
    assert [tmp_path / "packet.svg"] == files._write_packet(data_of(bench), tmp_path, ("svg",))


def test_frames_that_a_log_counts(new_bench):
    """Of a node that is on the pins."""
    bench = new_bench()
    bench.round_trip(1)
    data = data_of(bench)
    (log,) = data.analysis.logs.values()
    with_relay = replace(data.analysis, logs={"initiator": log, "relay": log})
    rows = dict(health.losses(replace(data, analysis=with_relay)))
    assert "frames of initiator: counted by the firmware; seen on the pins" in rows
    assert "log of relay: boots; errors; malformed lines" in rows
    assert "frames of relay: counted by the firmware; seen on the pins" not in rows


def test_round_trips_that_are_lost_and_partial(new_bench):
    """Their instants are marked; of a route that is no round trip none are, and its delays are its own."""
    bench = new_bench()
    truth = [bench.round_trip(id_, lost="request" if id_ in (1, 3) else "") for id_ in range(1, 6)]
    data = data_of(bench)
    trip, other = data.evaluation.routes[0], evaluations.about(evaluations.one_way(packets=20))
    assert [truth[place]["request.app.tx"] for place in (0, 2)] == pictures._marks(data, trip).losses.tolist()
    assert [] == pictures._marks(data, other).losses.tolist()
    (run,) = pictures.over_the_run(data, trip, "")
    assert "Ticks at the foot" in run.caption and "unknown" not in run.caption
    (run,) = pictures.over_the_run(data, replace(trip, route=replace(trip.route, lost=3)), "")
    assert "The instants of 1 lost packets are unknown." in run.caption
    for evaluation, delays_ in ((trip, data.timelines.rtt[data.timelines.timelined]), (other, other.route.totals)):
        total, *_ = pictures.distributions(data, evaluation, "")
        assert delays_.tolist() == total.draw.args[0].keywords["delays"].tolist()
    hero, viewer = processor.packets(data, trip, "")
    looks = {f"kind-{kind.value}" for kind in trip.numbers.by_kind("time")} | viewer.looks
    assert looks & set(page.KIND_CLASSES.values()) == {look for look, _ in hero.legend}
    for prefix, tables in (("", 1), ("route-2-", 0)):
        (shapes,) = [part for part in page._route_sections(data, trip, prefix) if part.id == "distributions"]
        assert tables == sum(isinstance(block, blocks.Table) for block in shapes.blocks)


def test_layers_that_are_not_there():
    """Neither a picture nor a table where no layer has times."""
    evaluation = evaluations.about(evaluations.one_way(packets=50))
    nothing = LayerTimes((), np.zeros((50, 0)), np.zeros((50, 0)))
    reason, *_ = processor.layers(routes_of(50), replace(evaluation, layers=nothing), "")
    assert "does not distinguish the layers" in reason.lines[0]

"""The path of a packet: its milestones in their order."""

from __future__ import annotations

from gpiorig.analysis.packets import path


def test_legs_of_a_round_trip_follow_each_other() -> None:
    """Request sent and received, reply sent and received; the decoders are generated from them."""
    legs = {milestone.name: milestone.leg for milestone in path.MILESTONES}
    assert sorted(legs.values()) == list(legs.values())
    assert [0, 1, 2, 3] == [legs[f"{way}.app.{side}"] for way in ("request", "reply") for side in ("tx", "rx")]

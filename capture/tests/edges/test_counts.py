from __future__ import annotations

import pytest
from random_capture import random_capture

from gpiorig.capture.edges.counts import count


@pytest.mark.parametrize("seed", range(20))
def test_a_level_that_differs_after_a_gap_is_not_an_edge(seed: int) -> None:
    """Counts are those of rows whose row before is known up to them, wherever blocks are cut."""
    edges, waveform = random_capture(seed)
    resumed = set(edges.gaps[:, 1].tolist())

    counts = count(waveform)

    assert (len(edges.gaps), int((edges.gaps[:, 1] - edges.gaps[:, 0]).sum())) == (counts.gaps, counts.lost)
    for channel in counts.channels:
        changes = edges.channel(channel.name)[0].tolist()
        certain = [at for at in changes if at not in resumed]
        assert len(certain) == channel.edges
        assert len(changes) - len(certain) == channel.across_gaps
        assert (certain[0], certain[-1]) == (channel.first_edge, channel.last_edge)

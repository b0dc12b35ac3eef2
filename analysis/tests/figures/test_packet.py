"""One packet as a picture: boxes and names are where its spans are, in the window."""

from __future__ import annotations

from matplotlib.figure import Figure
from tripcases import trips

from gpiorig.analysis.figures import packet


def test_names_begin_in_their_boxes(bench):
    """In each of the three intervals of a packet; no box is thinner than a 1500th of the window."""
    paired = trips(bench.events())
    windows = dict(packet.zooms(paired.timelines, 6))
    assert ["sending", "at the responder", "receiving"] == list(windows)
    for window in windows.values():
        ax = Figure().add_subplot()
        packet.draw(ax, paired, 6, window=window)
        left, right = ax.get_xlim()
        # The shade of the air is 1 wide, a share of the axes.
        boxes = [(box.get_x(), box.get_x() + box.get_width()) for box in ax.patches if box.get_width() != 1]
        names = [text.get_position()[0] for text in ax.texts if text.get_text() in ("tx", "rx", "isr")]
        assert len(names) > 3
        for at in names:
            assert left <= at <= right
            assert any(begin <= at <= end for begin, end in boxes)
        assert min(end - begin for begin, end in boxes) >= (right - left) / 1500

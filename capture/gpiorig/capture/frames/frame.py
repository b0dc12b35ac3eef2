"""A frame of IEEE 802.15.4, as a capture has it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """One frame.

    Attributes
    ----------
    ticks, ticks_per_s
        When: exact time since 1970-01-01 UTC, or since whatever the capture's clock began with.
    mpdu
        The frame from frame control to payload, without its FCS.
    fcs
        Its frame check sequence, 2 or 4 bytes; b"" when the capture has none.
    fcs_ok
        Whether the FCS is right, by computation or as the radio reports; None when unknown.
    cut_bytes
        Bytes at the end of the frame (FCS included) that the capture does not have.
    node
        Who received or sent it: the interface, or the device, by name; "" when the capture does not state it.
    sent
        Whether the node sent it (True) or received it; None when the capture does not state it.
    channel, page
        Channel number and page (IEEE 802.15.4-2006, 6.1.2), None when the capture does not state it.
    lqi
        Link quality indication, 0 to 255.
    rss_dbm
        Received signal strength.
    start_ns, end_ns
        First bit on the air and end of the frame by the sniffer's own clock, in ns since that began.
    comment
        What the capture states about it.
    """

    ticks: int
    ticks_per_s: int
    mpdu: bytes
    fcs: bytes = b""
    fcs_ok: bool | None = None
    cut_bytes: int = 0
    node: str = ""
    sent: bool | None = None
    channel: int | None = None
    page: int = 0
    lqi: int | None = None
    rss_dbm: float | None = None
    start_ns: int | None = None
    end_ns: int | None = None
    comment: str = ""

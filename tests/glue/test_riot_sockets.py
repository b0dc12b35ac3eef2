"""The glue at UDP sockets of GNRC and lwIP, on the PC: sock.rx begins with the packet and ends with the call."""

from __future__ import annotations

import ctypes

import pytest
import riotglue

NUMBER = 0x0304  # the end of the payload in foreign/riot/sockets.c
ENTER, EXIT = f"sock.rx.enter {NUMBER:04x}", f"sock.rx.exit {NUMBER:04x}"
FETCH = "queue.fetch 0000"  # of the mailbox, which has no address there


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    modules = ("gnrc_netapi", "gnrc_netapi_mbox", "gnrc_sock_udp", "lwip_sock_udp")
    built = riotglue.build_library(
        tmp_path_factory.mktemp("sockets") / "sockets.so", "sockets.c", ("ids", "sock"), modules
    )
    return ctypes.CDLL(str(built))


@pytest.mark.parametrize(
    ("scenario", "events"),
    [
        ("copied_packet", [FETCH, ENTER, EXIT]),
        ("packet_in_place", [FETCH, ENTER, EXIT]),
        ("empty_packet", [FETCH, ENTER, "sock.rx.exit"]),
        ("refused_packet", [FETCH, ENTER, "sock.rx.exit"]),
        ("mailbox_of_others", [FETCH]),
        ("lwip_packet", [ENTER, EXIT]),
    ],
)
def test_each_packet_that_a_receive_call_takes_is_a_span(
    library: ctypes.CDLL, scenario: str, events: list[str]
) -> None:
    """Whatever comes of it, and no other one: not a call that finds nothing, not the one that lets the packet go."""
    assert events == riotglue.events_of(library, scenario)

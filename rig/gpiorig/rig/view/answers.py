"""Answers to requests, and why there is none."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

HTML, JSON = "text/html; charset=utf-8", "application/json"


@dataclass(frozen=True, slots=True)
class Answer:
    """What is sent for a request.

    Attributes
    ----------
    body
        Its content.
    kind
        Its media type.
    status
        Status of HTTP.
    headers
        Further headers.
    """

    body: bytes
    kind: str = HTML
    status: HTTPStatus = HTTPStatus.OK
    headers: tuple[tuple[str, str], ...] = ()


class NoAnswerError(Exception):
    """A request that has no answer: its status of HTTP, and the reason as a sentence."""

    def __init__(self, status: HTTPStatus, reason: str) -> None:
        super().__init__(reason)
        self.status = status


def no_packets(name: str) -> NoAnswerError:
    """Of a capture whose channels have no meaning: a recording without a bench, or a file."""
    return NoAnswerError(HTTPStatus.NOT_FOUND, f"{name} has no bench: its channels show no packets.")


def no_capture(name: str) -> NoAnswerError:
    """Of what was complete when it was opened."""
    return NoAnswerError(HTTPStatus.NOT_FOUND, f"{name}: no capture runs.")


def as_json(content: Mapping[str, Any], *, status: HTTPStatus = HTTPStatus.OK) -> Answer:
    """An object."""
    return Answer(json.dumps(content, separators=(",", ":"), allow_nan=False).encode(), JSON, status)


def to(address: str) -> Answer:
    """Another address of the same server."""
    return Answer(b"", HTML, HTTPStatus.FOUND, (("Location", address),))

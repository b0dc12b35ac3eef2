"""The server: this machine's loopback only, GET only, nothing for pages of other hosts.

It is the standard library's `http.server`: a reader asks for a page and then for one window after another, each of
which is computed, not waited for. A framework such as tornado (which a cluster of batches brings) would add a
dependency, and nothing that these requests need.
"""

from __future__ import annotations

import errno
import threading
import traceback
from collections.abc import Callable, Mapping
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from gpiorig.capture.errors import Error
from gpiorig.rig.errors import RigError
from gpiorig.rig.verbosity import SHOWN, note
from gpiorig.rig.view.answers import Answer, NoAnswerError, as_json

HOST = "127.0.0.1"
MAX_CONNECTIONS = 512  # each has a thread; a browser opens 6
IDLE_S = 60.0  # until a connection without requests is closed
POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; connect-src 'self'; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)
Answering = Callable[[str, Mapping[str, str]], Answer]


def server(answer: Answering, *, port: int) -> ThreadingHTTPServer:
    """A server that listens; `serve_forever` serves.

    Parameters
    ----------
    answer
        Answers a path and a query, from several threads at once; raises `NoAnswerError`.
    port
        TCP port; 0: any free one.

    Raises
    ------
    RigError
        The port is in use, or not allowed.
    """
    try:
        return _Server((HOST, port), partial(_Handler, answer))
    except OSError as error:
        reason = "is in use" if error.errno == errno.EADDRINUSE else f"cannot be opened ({error.strerror})"
        raise RigError(
            f"port {port} of {HOST} {reason}; end the program that uses it, or give another port."
        ) from error


def address(listening: ThreadingHTTPServer) -> str:
    """Where a server is, as a browser takes it."""
    return f"http://{HOST}:{listening.server_port}/"


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, *arguments: Any) -> None:
        self._room = threading.BoundedSemaphore(MAX_CONNECTIONS)
        super().__init__(*arguments)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer a connection in a thread of its own, or close it where there are too many."""
        if not self._room.acquire(blocking=False):
            self.shutdown_request(request)
            return
        try:
            super().process_request(request, client_address)
        except BaseException:
            self._room.release()
            raise

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """In the thread."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._room.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Nothing: a reader may close its connection early."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "gpiorig", ""
    timeout = IDLE_S

    def __init__(self, answer: Answering, *arguments: Any) -> None:
        self._answer = answer
        super().__init__(*arguments)

    def do_GET(self) -> None:
        """Answer a request."""
        try:
            answer = self._answered()
        except NoAnswerError as error:
            answer = as_json({"error": str(error)}, status=error.status)
        except (Error, OSError) as error:
            answer = as_json({"error": str(error)}, status=HTTPStatus.UNPROCESSABLE_ENTITY)
        except Exception as error:
            traceback.print_exc()
            answer = as_json({"error": f"{type(error).__name__}: {error}"}, status=HTTPStatus.INTERNAL_SERVER_ERROR)
        self._send(answer)

    def _answered(self) -> Answer:
        """The answer, if the address is ours: a page of another host whose name leads here is refused."""
        assert isinstance(self.server, _Server)
        port = self.server.server_port
        if self.headers.get("Host") not in (f"{HOST}:{port}", f"localhost:{port}"):
            raise NoAnswerError(HTTPStatus.MISDIRECTED_REQUEST, f"this server is {HOST}:{port} only.")
        parts = urlsplit(self.path)
        return self._answer(parts.path, dict(parse_qsl(parts.query)))

    def _send(self, answer: Answer) -> None:
        self.send_response(answer.status)
        given = {name for name, _ in answer.headers}
        ours = {
            "Content-Type": answer.kind,
            "Content-Length": str(len(answer.body)),
            "Content-Security-Policy": POLICY,
            "X-Content-Type-Options": "nosniff",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Referrer-Policy": "no-referrer",
            "Cache-Control": "no-store",
        }
        for name, value in (*ours.items(), *answer.headers):
            if name not in given or (name, value) in answer.headers:
                self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer.body)

    def log_message(self, format: str, *arguments: Any) -> None:
        """With `-v` a line per request."""
        if SHOWN.verbose:
            note(format % arguments)

"""
A registry that is none: it says it is ready, and to all else it does its worst.

It uses the standard library alone. Arguments: --config FILE --mode MODE, of

    empty     200 with an empty body to everything
    hang      takes the request and never answers
    close     closes the connection without an answer
    endless   an answer whose body never ends
    bomb      an answer of some kilobytes that unpacks to a gigabyte
    loop      sends every caller on to where he came from
    drip      an answer of which one byte comes a second
"""

from __future__ import annotations

import argparse
import gzip
import socket
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

READY = "TCK-IS-IT-READY"
PART = 16 << 20  # bytes of one member of the bomb
PARTS = 64  # members: a gigabyte
CHUNK = b"x" * 65536
MODES = ("empty", "hang", "close", "endless", "bomb", "loop", "drip")


def bomb() -> bytes:
    """Return a gigabyte of blanks, packed."""
    return gzip.compress(b" " * PART) * PARTS


class Handler(BaseHTTPRequestHandler):
    """Does its worst."""

    protocol_version = "HTTP/1.1"
    mode = "empty"
    packed = b""

    def answer(self) -> None:
        """Answer any verb."""
        with suppress(OSError):
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            if READY in self.path:
                self.reply(404, b"")
            else:
                getattr(self, self.mode)()

    do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = do_OPTIONS = answer  # noqa: N815 - the base asks for these names

    def reply(self, status: int, body: bytes, **headers: str) -> None:
        """Send a whole answer."""
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def empty(self) -> None:
        """Agree with everything."""
        self.reply(200, b"")

    def hang(self) -> None:
        """Never answer."""
        threading.Event().wait(600)

    def close(self) -> None:
        """Be gone, by a reset."""
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def endless(self) -> None:
        """Never end."""
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        while True:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(CHUNK), CHUNK))

    def bomb(self) -> None:
        """Unpack to a gigabyte."""
        self.reply(200, self.packed, Content_Type="application/json", Content_Encoding="gzip")

    def loop(self) -> None:
        """Send him round."""
        self.reply(302, b"", Location=self.path)

    def drip(self) -> None:
        """Keep him waiting, byte by byte."""
        self.send_response(200)
        self.send_header("Content-Length", "600")
        self.end_headers()
        for _ in range(600):
            self.wfile.write(b" ")
            threading.Event().wait(1)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's name
        """Say nothing."""


def main() -> None:
    """Serve until killed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", required=True)
    parser.add_argument("--mode", choices=MODES, required=True)
    options = parser.parse_args()
    lines = Path(options.config).read_text("utf-8").splitlines()
    settings = dict(line.split("=", 1) for line in lines)
    Handler.mode = options.mode
    Handler.packed = bomb() if options.mode == "bomb" else b""
    ThreadingHTTPServer.request_queue_size = 128
    server = ThreadingHTTPServer(
        (settings["server.address"], int(settings["server.port"])), Handler
    )
    server.daemon_threads = True
    server.serve_forever()


if __name__ == "__main__":
    main()

"""
A stand-in for a registry: a process that starts at once and fails as it is told.

It answers 404 to what it does not know and shows a state page; it keeps no leases.
It uses the standard library alone, so that it starts in a tenth of a second.
Arguments: --config FILE --speed N --epoch E, and a mode:
    --die         print a complaint and exit 7
    --deaf        never listen
    --wrong-clock ignore speed and epoch
    --sick        answer 500
    --stubborn    ignore SIGTERM
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

MODES = ("die", "deaf", "wrong-clock", "sick", "stubborn")


def main() -> None:
    """Serve until killed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", required=True)
    parser.add_argument("--speed", type=float, default=1.0)
    parser.add_argument("--epoch", type=float, default=0.0)
    for mode in MODES:
        parser.add_argument(f"--{mode}", action="store_true")
    options = parser.parse_args()
    lines = Path(options.config).read_text("utf-8").splitlines()
    settings = dict(line.split("=", 1) for line in lines)
    if options.die:
        print("stub: cannot open the treasury", flush=True)  # noqa: T201 - its log
        sys.exit(7)
    if options.deaf:
        threading.Event().wait()
    if options.stubborn:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    real = time.time()  # noqa: TID251 - a registry of its own, not the judge
    opened = options.epoch + (real - options.epoch) * options.speed
    address = (settings["server.address"], int(settings["server.port"]))
    serve(address, 0 if options.wrong_clock else opened, sick=options.sick)


def serve(address: tuple[str, int], opened: float, *, sick: bool) -> None:
    """Answer every request."""
    state = {
        "renewsThreshold": 3,
        "renewsLastMinute": 1,
        "leaseExpirationEnabled": False,
        "selfPreservationEnabled": True,
        "emergency": True,
        "openedAtMs": round(opened * 1000) or 1,
    }

    class Handler(BaseHTTPRequestHandler):
        """One answer for the state page, one for all else."""

        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            """Answer."""
            known = self.path == "/registry/state"
            body = json.dumps(state).encode() if known else b""
            self.send_response(500 if sick else 200 if known else 404)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    print(f"stub: open at {address}", flush=True)  # noqa: T201 - its log
    ThreadingHTTPServer(address, Handler).serve_forever()


if __name__ == "__main__":
    main()

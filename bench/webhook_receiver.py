"""A receiver of webhooks in a process of its own: `python -m bench.webhook_receiver PORT LOG …`.

Each request is a line of JSON in LOG: when it came, what it carried and what it was answered.
`/hang/…` answers after so many seconds, `/fail/N/…` answers 500 to about one request in N.
"""

import json
import random
import ssl
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

from standardwebhooks import Webhook, WebhookVerificationError


class Handler(BaseHTTPRequestHandler):
    """One endpoint per path; all of them share a secret."""

    protocol_version = "HTTP/1.1"
    log: ClassVar[Any]
    verifier: ClassVar[Webhook]

    def do_POST(self) -> None:
        """Verify, decide, answer, and write down what was answered."""
        content = self.rfile.read(int(self.headers["Content-Length"]))
        body = json.loads(content)
        status = self._decide()
        line = {
            "at": time.time(),
            "path": self.path,
            "webhook_id": self.headers["webhook-id"],
            "is_verified": self._is_verified(content),
            "type": body["type"],
            "sequence": body.get("sequence"),
            "customer": body["data"].get("customerId"),
            "status": status,
            "request_id": self.headers["X-Request-Id"],
            "traceparent": self.headers["traceparent"],
        }
        self.log.write(json.dumps(line) + "\n")
        self.log.flush()
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _decide(self) -> int:
        _, behaviour, amount, *_ = [*self.path.split("/"), "", ""]
        if behaviour == "hang":
            time.sleep(float(amount))
        if behaviour == "fail" and random.random() < 1 / float(amount):  # noqa: S311 - a bench
            return 500
        return 204

    def _is_verified(self, content: bytes) -> bool:
        try:
            self.verifier.verify(content, dict(self.headers.items()))
        except WebhookVerificationError:
            return False
        return True

    def log_message(self, *_arguments: Any) -> None:
        """Say nothing: LOG has it."""


class Server(ThreadingHTTPServer):
    """A server that takes many connections at once."""

    daemon_threads = True
    request_queue_size = 256


def main(
    port: str, log: str, secret: str, address: str = "127.0.0.1", certificate: str = ""
) -> None:
    """Serve until a signal ends it; with a certificate by TLS."""
    Handler.log = Path(log).open("a")  # noqa: SIM115 - open as long as the process
    Handler.verifier = Webhook(secret)
    server = Server((address, int(port)), Handler)
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(
            server.socket, server_side=True, do_handshake_on_connect=False
        )
    server.serve_forever()


if __name__ == "__main__":
    main(*sys.argv[1:])

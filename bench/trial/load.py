"""Steady load of a partner and an assistant: `python -m bench.trial.load CONFIGURATION LOG`.

It creates, reads and calls a tool through both proxies in turn, at a fixed rate, whatever the
answers are, and repeats nothing. Each request is a line of JSON in the log.
"""

import itertools
import json
import random
import re
import signal
import socket
import ssl
import sys
import threading
import time
from base64 import b64encode
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from http.client import HTTPException, HTTPSConnection
from pathlib import Path
from typing import Any
from uuid import uuid4

HOST = "api.example.com"
API = "/service/api/v1"
RATES = {"create": 1.5, "read": 4.0, "tool": 0.8}  # per second; the limits allow more
TIMEOUT_SECONDS = 30.0
FAILED = re.compile(rb'"error":|"isError":\s*true')  # of a tool
WITH_DOCUMENT = 5  # one create in so many
PDF = b64encode(b"%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF").decode()


class Connection(HTTPSConnection):
    """A connection to the address of a proxy, for the name of the service."""

    def __init__(self, address: str, context: ssl.SSLContext) -> None:
        super().__init__(HOST, timeout=TIMEOUT_SECONDS, context=context)
        self.address, self.context = address, context

    def connect(self) -> None:
        plain = socket.create_connection((self.address, 443), self.timeout)
        self.sock = self.context.wrap_socket(plain, server_hostname=HOST)


@dataclass
class Load:
    """The callers, and the leads that they created."""

    proxies: list[str]
    authority: str
    key: str
    token: str
    log: Any
    customers: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.context = ssl.create_default_context(cafile=self.authority)
        self.turn = itertools.cycle(self.proxies)
        self.numbers = itertools.count(1)

    def call(self, kind: str) -> None:
        """Send one request and write its line."""
        with self.lock:
            proxy, number = next(self.turn), next(self.numbers)
        method, path, headers, body = getattr(self, kind)(number)
        at, status, content = time.time(), 0, b""
        connection = Connection(proxy, self.context)
        try:
            connection.request(method, path, json.dumps(body) if body else None, headers)
            response = connection.getresponse()
            content, status = response.read(), response.status
        except (OSError, HTTPException) as exc:
            content = type(exc).__name__.encode()
        finally:
            connection.close()
        self.write(kind, proxy, at, status, content)

    def write(self, kind: str, proxy: str, at: float, status: int, content: bytes) -> None:
        """Write a line, and keep the customer of a create."""
        line = {"kind": kind, "proxy": proxy, "at": at, "end": time.time(), "status": status}
        if kind == "create" and status == 201:
            line["customer"] = json.loads(content)["customerId"]
            self.customers.append(line["customer"])
        elif not 200 <= status < 300 or (kind == "tool" and FAILED.search(content)):
            line["fault"] = content[:200].decode(errors="replace")
        with self.lock:
            self.log.write(json.dumps(line) + "\n")
            self.log.flush()

    def create(self, number: int) -> tuple[str, str, dict[str, str], Any]:
        """Return the request that registers a lead; some have a document."""
        body: dict[str, Any] = {"email": f"lead{number}-{uuid4().hex[:8]}@bank.example"}
        if number % WITH_DOCUMENT == 0:
            document = {"contentType": "application/pdf", "fileName": "letter.pdf", "content": PDF}
            body["documentDataList"] = [{**document, "llcFileType": "IRS_EIN_LETTER"}]
        headers = {**self.partner(), "Idempotency-Key": uuid4().hex}
        return "PUT", f"{API}/lead", headers, body

    def read(self, _number: int) -> tuple[str, str, dict[str, str], Any]:
        """Return the request that reads a lead."""
        customer = random.choice(self.customers)  # noqa: S311 - a load
        return "GET", f"{API}/lead/{customer}", self.partner(), None

    def tool(self, number: int) -> tuple[str, str, dict[str, str], Any]:
        """Return the request that calls a tool."""
        headers = {
            "Authorization": f"Bearer {self.token}",
            "Content-Type": "application/json",
            "Accept": "application/json",
        }
        called = {"name": "svc_get_account_summary", "arguments": {}}
        body = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": called}
        return "POST", "/mcp", headers, body

    def partner(self) -> dict[str, str]:
        """Return the headers of the partner's program."""
        return {
            "Authorization": f"Vestibule {self.key}",
            "Content-Type": "application/json",
            "Accept": "application/json",
        }


def main(configuration: str, log: str) -> None:
    """Call until SIGTERM."""
    ended = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: ended.set())
    lines = Path(log).open("a")  # noqa: SIM115 - open as long as the process
    load = Load(**json.loads(Path(configuration).read_text()), log=lines)
    while not load.customers:
        load.call("create")
    with ThreadPoolExecutor(200) as pool:
        pacers = [threading.Thread(target=pace, args=[load, pool, ended, kind]) for kind in RATES]
        for pacer in pacers:
            pacer.start()
        for pacer in pacers:
            pacer.join()


def pace(load: Load, pool: ThreadPoolExecutor, ended: threading.Event, kind: str) -> None:
    """Start the calls of one kind at their rate."""
    due = time.monotonic()
    while not ended.wait(max(due - time.monotonic(), 0)):
        pool.submit(load.call, kind)
        due += 1 / RATES[kind]


if __name__ == "__main__":
    main(*sys.argv[1:])

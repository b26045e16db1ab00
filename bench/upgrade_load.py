"""A steady load of creates, reads and tool calls, of which each answer is judged."""

import json
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from itertools import count
from typing import Any

from bench.lead_bodies import LEADS, new

TIMEOUT_SECONDS = 90
CREATE, READ, CALL = "create", "read", "tool call"
ORDER = [CREATE, READ, CALL, READ, CALL]
GOOD = {CREATE: 201, READ: 200, CALL: 200}
TOOL = {"name": "svc_search_transactions", "arguments": {"recordCnt": 10, "page": 1}}


@dataclass
class Load:
    """Requests of some threads to one port, at a rate a second, until `stop`."""

    port: int
    authorization: str
    token: str
    per_second: float
    threads: int = 6
    kinds: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    created: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._numbers, self._over, self._lock = count(1), threading.Event(), threading.Lock()
        self._body = new()

    @contextmanager
    def running(self) -> Any:
        """Send requests as long as the context lasts."""
        threads = [threading.Thread(target=self._send) for _ in range(self.threads)]
        for thread in threads:
            thread.start()
        try:
            yield self
        finally:
            self._over.set()
            for thread in threads:
                thread.join()

    def _send(self) -> None:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT_SECONDS)
        pause = self.threads / self.per_second
        due = time.monotonic()
        while not self._over.is_set():
            self._send_one(connection, next(self._numbers))
            due = max(due + pause, time.monotonic() - 1)
            self._over.wait(max(0.0, due - time.monotonic()))
        connection.close()

    def _send_one(self, connection: HTTPConnection, number: int) -> None:
        kind = ORDER[number % len(ORDER)]
        if kind == READ and not self.created:
            kind = CREATE
        began, stamp = time.monotonic(), time.strftime("%H:%M:%S")
        try:
            connection.request(*self._request(kind, number))
            response = connection.getresponse()
            content = response.read()
        except (OSError, HTTPException) as exc:
            connection.close()
            self._note(kind, began, f"{stamp} {kind}: {exc!r}")
            return
        text = content.decode(errors="replace")
        is_good = response.status == GOOD[kind] and '"isError":true' not in text.replace(" ", "")
        if is_good and kind == CREATE:
            self.created.append(json.loads(content)["customerId"])
        self._note(
            kind, began, "" if is_good else f"{stamp} {kind}: {response.status} {text[:200]}"
        )

    def _note(self, kind: str, began: float, failure: str) -> None:
        with self._lock:
            self.kinds[kind] += 1
            self.seconds.append(time.monotonic() - began)
            if failure:
                self.failures.append(failure)

    def _request(self, kind: str, number: int) -> tuple[str, str, str | None, dict[str, str]]:
        makers: dict[str, Callable[[int], Any]] = {
            CREATE: self._create,
            READ: self._read,
            CALL: self._call,
        }
        result: tuple[str, str, str | None, dict[str, str]] = makers[kind](number)
        return result

    def _create(self, number: int) -> tuple[str, str, str, dict[str, str]]:
        headers = {**self._partner(), "Content-Type": "application/json"}
        return "PUT", LEADS, self._body.replace("{n}", f"{number:09}"), headers

    def _read(self, number: int) -> tuple[str, str, None, dict[str, str]]:
        customer = self.created[number % len(self.created)]
        return "GET", f"{LEADS}/{customer}", None, self._partner()

    def _call(self, number: int) -> tuple[str, str, str, dict[str, str]]:
        body = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": TOOL}
        headers = {
            "Authorization": f"Bearer {self.token}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": "2025-11-25",
        }
        return "POST", "/mcp", json.dumps(body), headers

    def _partner(self) -> dict[str, str]:
        return {"Authorization": self.authorization, "Accept": "application/json"}

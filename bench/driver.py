"""Sends requests over kept connections and times them: a process of its own, beside the server.

`python -m bench.driver`, with httptools and uvloop, until its input ends. Each line of that is an
order `{"port", "connections", "seconds", "first", "requests"}`, each request `{"method", "path",
"head", "body"}`; `{n}` in path, head and body becomes a number of nine digits that counts up from
`first`. Answers a line: `statuses` with their counts, `seconds`, `milliseconds` of each answer, and
one answer that failed, if any did.
"""

import asyncio
import json
import sys
import time
from collections import Counter
from itertools import count, cycle
from typing import Any

import httptools
import uvloop


class Load:
    """What is sent, how long, and what came back."""

    def __init__(self, requests: list[dict[str, str]], seconds: float, first: int) -> None:
        self._requests = cycle(requests)
        self._numbers = count(first)
        self._start = time.perf_counter()
        self._seconds = seconds
        self.statuses: Counter[int] = Counter()
        self.milliseconds: list[float] = []
        self.failure = ""

    def next(self) -> bytes | None:
        """Return the next request; None when the time is over."""
        if self.elapsed >= self._seconds:
            return None
        request, number = next(self._requests), f"{next(self._numbers):09}"
        path = request["path"].replace("{n}", number)
        body = request["body"].replace("{n}", number).encode()
        head = f"{request['method']} {path} HTTP/1.1\r\n{request['head'].replace('{n}', number)}"
        return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body

    def note(self, status: int, seconds: float, body: bytes) -> None:
        """Count an answer."""
        self.statuses[status] += 1
        self.milliseconds.append(round(seconds * 1000, 3))
        if status >= 300 and not self.failure:
            self.failure = body[:500].decode(errors="replace")

    @property
    def elapsed(self) -> float:
        """Return the seconds since the start."""
        return time.perf_counter() - self._start


class Connection(asyncio.Protocol):
    """One connection: the next request goes out when the last one is answered."""

    def __init__(self, load: Load) -> None:
        self.load = load
        self.done = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        self.send()

    def send(self) -> None:
        """Send the next request, or say that it is over."""
        request = self.load.next()
        if request is None:
            self.transport.close()
            self.done.set_result(None)
            return
        self.parser = httptools.HttpResponseParser(self)
        self.body = b""
        self.sent_at = time.perf_counter()
        self.transport.write(request)

    def data_received(self, data: bytes) -> None:
        self.parser.feed_data(data)

    def on_body(self, body: bytes) -> None:
        """Keep a part of the answer."""
        self.body += body

    def on_message_complete(self) -> None:
        """Note the answer."""
        taken = time.perf_counter() - self.sent_at
        self.load.note(self.parser.get_status_code(), taken, self.body)
        asyncio.get_running_loop().call_soon(self.send)

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.done.done():
            self.done.set_exception(exc or ConnectionError("The server closed the connection."))


async def drive(order: dict[str, Any]) -> dict[str, Any]:
    """Send until the time is over; return what came back."""
    load = Load(order["requests"], order["seconds"], order["first"])
    loop = asyncio.get_running_loop()
    opened = [
        await loop.create_connection(lambda: Connection(load), "127.0.0.1", order["port"])
        for _ in range(order["connections"])
    ]
    await asyncio.gather(*(connection.done for _, connection in opened))
    return {
        "statuses": load.statuses,
        "seconds": load.elapsed,
        "milliseconds": load.milliseconds,
        "failure": load.failure,
    }


if __name__ == "__main__":
    uvloop.install()
    for line in sys.stdin:
        sys.stdout.write(f"{json.dumps(asyncio.run(drive(json.loads(line))))}\n")
        sys.stdout.flush()

"""A partner's server: a process of its own that verifies and writes down what it is sent."""

import json
import os
import subprocess
import sys
import time
from functools import partial

from django.conf import settings

from config import processes
from tests.e2e.serving import free_port

TIMEOUT_SECONDS = 120.0


class Receiver:
    """A process that verifies and writes down what it gets; see `bench.webhook_receiver`."""

    def __init__(self, folder):
        self.path, self.port = folder / "received.jsonl", free_port()
        self.process = None

    def register(self, server, behaviour="ok"):
        """Register over the API as a webhook, and start with the secret that this gives."""
        answer = server.call("PUT", "webhooks", {"serverUrl": self.url(behaviour)})
        assert answer.status == 201, answer.content
        self.start(answer.json()["signingSecret"])

    def start(self, secret):
        arguments = [str(self.port), str(self.path), secret]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "bench.webhook_receiver", *arguments],
            cwd=settings.BASE_DIR,
            preexec_fn=partial(processes.end_with, os.getpid()),
        )

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()

    def url(self, behaviour="ok"):
        return f"http://127.0.0.1:{self.port}/{behaviour}"

    def received(self, *, customer=None):
        lines = self.path.read_text().splitlines() if self.path.exists() else []
        found = [json.loads(line) for line in lines]
        return [one for one in found if customer in {None, one["customer"]}]

    def wait_for(self, count, **conditions):
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while len(found := self.received(**conditions)) < count:
            assert time.monotonic() < deadline, found
            time.sleep(0.05)
        return found

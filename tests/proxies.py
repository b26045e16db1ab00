"""The proxies of docs/production as processes, in front of web servers on this machine."""

import os
import re
import shutil
import socket
import subprocess
import time
from contextlib import suppress
from http.client import HTTPConnection, HTTPException

from tests.released_migrations import ROOT

TIMEOUT_SECONDS = 120.0
FILES = ROOT / "docs/production"
PATH = f"{os.environ['PATH']}:/usr/sbin"


def is_installed(name):
    """Return whether the program of a configuration file is installed."""
    return bool(shutil.which(name.partition(".")[0], path=PATH))


class Proxy:
    """A proxy with the documented configuration, but for addresses, TLS and `changes`.

    `changes` are pairs of a regular expression and its replacement.
    """

    def __init__(self, name, folder, web_ports, changes=()):
        self.port = free_port()
        file = folder / name
        text = (FILES / name).read_text()
        first, second = [*web_ports, None][:2]
        all_changes = [
            (r"10\.0\.0\.11:8000", f"127.0.0.1:{first}"),
            (r"10\.0\.0\.12:8000", f"127.0.0.1:{second}") if second else (r".*10\.0\.0\.12.*", ""),
            (r"listen 443 ssl;", f"listen 127.0.0.1:{self.port};"),
            (r"bind :443 ssl .*", f"bind 127.0.0.1:{self.port}"),
            (r".*ssl_certificate.*", ""),
            (r"/var/log/nginx/access.log", str(folder / "access.log")),
            (r"/var/log/nginx/error.log", str(folder / "errors")),
            (r"http \{", f"http {{ client_body_temp_path {folder}; proxy_temp_path {folder};"),
            (r"log /dev/log local0", "log stdout format raw local0"),
            *changes,
        ]
        for pattern, replacement in all_changes:
            text = re.sub(pattern, replacement, text)
        file.write_text(text)
        user = "user root; " if os.geteuid() == 0 else ""
        commands = {
            "nginx.conf": [
                "nginx", "-c", file, "-e", folder / "errors",
                "-g", f"{user}daemon off; pid {folder}/pid;",
            ],
            "haproxy.cfg": ["haproxy", "-db", "-f", file],
        }  # fmt: skip
        self.log = folder / "log"
        is_nginx = name == "nginx.conf"
        self.logs = [folder / "access.log", folder / "errors"] if is_nginx else [self.log]
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                commands[name], stdout=log, stderr=log, env={**os.environ, "PATH": PATH}
            )

    def wait(self):
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while time.monotonic() < deadline and self.process.poll() is None:
            with suppress(OSError, HTTPException):
                if self.status("/healthz") == 200:
                    return self
            time.sleep(0.1)
        raise AssertionError(self.log.read_text())

    def read_logs(self):
        """Return what was logged about requests."""
        return "".join(file.read_text() for file in self.logs)

    def status(self, path, method="GET", **options):
        return self.answer(path, method, **options).status

    def answer(self, path, method="GET", **options):
        connection = HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT_SECONDS)
        try:
            connection.request(method, path, **options)
            response = connection.getresponse()
            response.read()
            return response
        finally:
            connection.close()

    def send(self, data):
        """Return a connection on which the bytes were sent."""
        connection = socket.create_connection(("127.0.0.1", self.port), TIMEOUT_SECONDS)
        connection.sendall(data)
        return connection

    def answers(self, data):
        """Return all that comes until the proxy closes the connection."""
        received = b""
        with self.send(data) as connection, suppress(ConnectionError):
            while piece := connection.recv(65536):
                received += piece
        return received

    def stop(self):
        self.process.terminate()
        self.process.wait()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]

"""A network link that a test cuts and slows: a TCP relay in front of a server."""

import socket
import threading
import time
from contextlib import suppress
from urllib.parse import unquote, urlsplit


class Link:
    """Relays a loopback port to a server, given as (host, port) or the path of a socket.

    `delay` seconds pass before each piece that a client sends goes on.
    """

    def __init__(self, target):
        self.target, self.delay = target, 0.0
        self.port, self._listener, self._ends = 0, None, set()
        self.mend()

    def mend(self):
        """Take connections."""
        self._listener = socket.create_server(("127.0.0.1", self.port))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, args=[self._listener], daemon=True).start()

    def cut(self):
        """End every connection and refuse new ones."""
        _close(self._listener)
        for end in list(self._ends):
            _close(end)

    def _accept(self, listener):
        with suppress(OSError):  # it was cut
            while True:
                client, _ = listener.accept()
                with suppress(OSError):
                    self._relay(client)

    def _relay(self, client):
        is_path = isinstance(self.target, str)
        server = socket.socket(socket.AF_UNIX if is_path else socket.AF_INET)
        server.connect(self.target)
        self._ends |= {client, server}
        for source, target, is_slowed in ((client, server, True), (server, client, False)):
            pump = threading.Thread(
                target=self._pump, args=[source, target, is_slowed], daemon=True
            )
            pump.start()

    def _pump(self, source, target, is_slowed):
        with suppress(OSError):
            while piece := source.recv(65536):
                if is_slowed and self.delay:
                    time.sleep(self.delay)
                target.sendall(piece)
        for end in (source, target):
            _close(end)
            self._ends.discard(end)


def _close(end):
    with suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
    end.close()


def target_of(url):
    """Return where the PostgreSQL of a URL listens."""
    parts = urlsplit(url)
    host = unquote(parts.hostname or "127.0.0.1")
    port = parts.port or 5432
    return f"{host}/.s.PGSQL.{port}" if host.startswith("/") else (host, port)


def through(url, link):
    """Return the URL of a database with the link in the place of its server."""
    parts = urlsplit(url)
    account = parts.netloc.rpartition("@")[0]
    return parts._replace(netloc=f"{account}@127.0.0.1:{link.port}").geturl()

"""A server of a few lines that answers as badly as a test wants."""

import socket
import ssl
import threading
from contextlib import contextmanager, suppress

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


class Server:
    """Answers each connection with `answer(connection)` and remembers what it was sent."""

    def __init__(self, answer, *, address="127.0.0.1", port=0, tls=None, listens=True):
        self._answer = answer
        self._listens = listens
        self._tls = tls
        self._socket = socket.create_server((address, port))
        self.port = self._socket.getsockname()[1]
        self.requests = []
        self.stopped = threading.Event()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/"

    def serve(self):
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:  # it is stopped
                return
            threading.Thread(target=self._serve_one, args=[connection], daemon=True).start()

    def _serve_one(self, connection):
        connection.settimeout(30)
        with suppress(OSError), connection:
            if self._tls:
                connection = self._tls.wrap_socket(connection, server_side=True)
            with connection:
                if self._listens:
                    self.requests.append(read_request(connection))
                self._answer(connection)

    def stop(self):
        self.stopped.set()
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()


@contextmanager
def serving(answer, **values):
    """Run a server in a thread; bytes are an answer, too."""
    server = Server(
        (lambda connection: connection.sendall(answer)) if isinstance(answer, bytes) else answer,
        **values,
    )
    thread = threading.Thread(target=server.serve, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.stop()
        thread.join(timeout=10)


def read_request(connection):
    """Return a request: its first line, its headers by lower-case name, its body."""
    received = b""
    while b"\r\n\r\n" not in received:
        piece = connection.recv(65536)
        if not piece:
            raise ConnectionError
        received += piece
    head, _, body = received.partition(b"\r\n\r\n")
    line, *rows = head.decode("latin-1").split("\r\n")
    pairs = (row.partition(": ") for row in rows)
    headers = {name.lower(): value for name, _, value in pairs}
    while len(body) < int(headers.get("content-length", 0)):
        body += connection.recv(65536)
    return line, headers, body


def tls_context(certificate):
    """Return what a server shows, from a file with a key and a certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context

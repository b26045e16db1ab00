"""An RFC 3161 server for tests: `openssl ts` behind HTTP on loopback."""

import subprocess
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

CONFIGURATION = """
[tsa]
default_tsa = here
[here]
serial = {folder}/serial
signer_cert = {folder}/tsa.pem
signer_key = {folder}/tsa.key
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
ess_cert_id_alg = sha256
"""


class _Handler(BaseHTTPRequestHandler):
    server: "TimestampServer"

    def do_POST(self):
        query = self.rfile.read(int(self.headers["Content-Length"]))
        answer = self.server.answer(query)
        self.send_response(200)
        self.send_header("Content-Type", "application/timestamp-reply")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_arguments):
        pass


class TimestampServer(ThreadingHTTPServer):
    """Listens on loopback and signs with a certificate of its own: `certificate` is its file."""

    daemon_threads = True

    def __init__(self, folder):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.folder = folder
        self.certificate = folder / "tsa.pem"
        self.url = f"http://127.0.0.1:{self.server_address[1]}/"
        (folder / "ts.cnf").write_text(CONFIGURATION.format(folder=folder))
        (folder / "serial").write_text("01")
        self._openssl(
            "req", "-x509", "-newkey", "rsa:2048", "-noenc", "-days", "3650",
            "-keyout", folder / "tsa.key", "-out", self.certificate,
            "-subj", "/CN=Timestamps of the tests",
            "-addext", "extendedKeyUsage=critical,timeStamping",
        )  # fmt: skip

    def answer(self, query):
        asked, answered = self.folder / "query.tsq", self.folder / "reply.tsr"
        asked.write_bytes(query)
        command = ["-config", self.folder / "ts.cnf", "-queryfile", asked, "-out", answered]
        self._openssl("ts", "-reply", *command)
        return answered.read_bytes()

    def _openssl(self, *arguments):
        subprocess.run(["openssl", *arguments], check=True, capture_output=True)


@contextmanager
def serve_timestamps(folder):
    """Serve until the block ends."""
    with TimestampServer(folder) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()

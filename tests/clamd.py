"""A clamd of Debian's package with signatures of our own, in a folder of its own."""

import hashlib
import io
import os
import shutil
import subprocess
import tarfile
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import pytest

from foundation.scanning.clamd import Clamd, ScanFailed

TIMEOUT_SECONDS = 120.0
STREAM_MAX_BYTES = 1024**2
EICAR = b"X5O!P%@AP[4\\PZX54(P^)7CC)7}$" + b"EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*"
EICAR_RULE = ("Test.Eicar", EICAR[3:60])
EICAR_PDF = b"%PDF-1.4\n" + EICAR
NAMED = "Test.Eicar.UNOFFICIAL"  # as clamd names what is found by signatures of one's own


def find_program():
    """Return the path of clamd, or skip the test: `.ci/run` installs it."""
    program = shutil.which("clamd", path=f"{os.environ['PATH']}:/usr/sbin")
    if program is None:
        pytest.skip("clamd is missing; on Debian: apt install clamav-daemon")
    return program


class ClamdServer:
    """A clamd that listens on a Unix socket. It does not run before `start`."""

    def __init__(self, *, port=0):
        self.program = find_program()
        self.folder = Path(tempfile.mkdtemp(prefix="clamd-"))
        self.address = f"127.0.0.1:{port}" if port else str(self.folder / "socket")
        self.process = None
        (self.folder / "signatures").mkdir()
        listen = f"TCPSocket {port}\nTCPAddr 127.0.0.1" if port else f"LocalSocket {self.address}"
        user = "User root" if os.geteuid() == 0 else ""
        self.file = self.folder / "clamd.conf"
        self.file.write_text(
            f"DatabaseDirectory {self.folder}/signatures\n{listen}\n{user}\n"
            f"Foreground yes\nStreamMaxLength {STREAM_MAX_BYTES}\n"
        )
        self.write_signatures(1, EICAR_RULE)

    def write_signatures(self, version, *rules):
        """Write the database: pairs of a name and bytes that a file with the malware contains."""
        lines = "".join(f"{name}:0:*:{found.hex()}\n" for name, found in rules).encode()
        made = f"ClamAV-VDB:23 Nov 2026 08-26 +0000:{version}:{len(rules)}:90"
        listed = f"{made}:x:x:tests:1795000000\ndaily.ndb:{len(lines)}:{_sha256(lines)}\n".encode()
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w:gz", format=tarfile.USTAR_FORMAT) as tar:
            for name, content in (("daily.info", listed), ("daily.ndb", lines)):
                member = tarfile.TarInfo(name)
                member.size = len(content)
                tar.addfile(member, io.BytesIO(content))
        digest = hashlib.md5(packed.getvalue(), usedforsecurity=False).hexdigest()
        head = f"{made}:{digest}:x:tests:1795000000".encode().ljust(512)
        part = self.folder / "part"
        part.write_bytes(head + packed.getvalue())
        part.rename(self.folder / "signatures" / "daily.cud")  # unsigned, with a version

    def start(self):
        """Start the program and wait until it answers."""
        with (self.folder / "log").open("w") as log:
            command = [self.program, f"--config-file={self.file}"]
            self.process = subprocess.Popen(command, stdout=log, stderr=log)
        self._wait(lambda version: True)
        return self

    def load_signatures(self, version, *rules):
        """Let the program, which runs, load another database."""
        self.write_signatures(version, *rules)
        Clamd(self.address)._ask([b"zRELOAD\0"])  # noqa: SLF001 - the product does not need it
        self._wait(lambda answered: f"/{version}/" in answered)

    def stop(self):
        """End the program by its id."""
        if self.process:
            self.process.terminate()
            self.process.wait(timeout=TIMEOUT_SECONDS)
            self.process = None

    def remove(self):
        self.stop()
        shutil.rmtree(self.folder)

    def _wait(self, is_ready):
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while time.monotonic() < deadline and self.process.poll() is None:
            with suppress(ScanFailed):
                if is_ready(Clamd(self.address).ask_version()):
                    return
            time.sleep(0.05)
        raise AssertionError((self.folder / "log").read_text())


def _sha256(content):
    return hashlib.sha256(content).hexdigest()

"""Timestamps of RFC 3161, from a server of openssl."""

import subprocess
import sys

import pytest
from django.conf import settings

from foundation.anchoring import timestamps
from foundation.anchoring.timestamps import TimestampFault
from tests.timestamp_server import serve_timestamps


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with serve_timestamps(tmp_path_factory.mktemp("tsa")) as server:
        yield server


def test_a_token_names_the_server_and_fits_these_bytes_alone(server):
    token = timestamps.request(server.url, b"statement")

    assert "Timestamps of the tests" in timestamps.check(token, b"statement").by
    with pytest.raises(TimestampFault, match="not one of this statement"):
        timestamps.check(token, b"another")


def test_openssl_verifies_a_token_against_the_certificate_of_its_server(server, tmp_path):
    (tmp_path / "statement").write_bytes(b"statement")
    (tmp_path / "token").write_bytes(timestamps.request(server.url, b"statement"))

    done = subprocess.run(
        ["openssl", "ts", "-verify", "-token_in", "-in", tmp_path / "token",
         "-data", tmp_path / "statement", "-CAfile", server.certificate],
        check=False, capture_output=True, text=True,
    )  # fmt: skip

    assert "Verification: OK" in done.stdout + done.stderr


def test_an_altered_token_is_refused(server):
    token = bytearray(timestamps.request(server.url, b"statement"))
    token[-1] ^= 1

    with pytest.raises(TimestampFault):
        timestamps.check(bytes(token), b"statement")
    with pytest.raises(TimestampFault, match="cannot be read"):
        timestamps.check(b"no token", b"statement")


def test_a_server_that_is_away_is_named():
    with pytest.raises(TimestampFault, match=r"http://127\.0\.0\.1:9/"):
        timestamps.request("http://127.0.0.1:9/", b"statement")


def test_no_program_loads_the_library_at_its_start():
    start = "import sys, django; django.setup(); sys.exit('pyhanko' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", start], cwd=settings.BASE_DIR).returncode == 0

"""The client, with a real clamd and with servers that misbehave."""

import pytest

from foundation.scanning.clamd import Clamd, ScanFailed
from tests.clamd import EICAR, NAMED, STREAM_MAX_BYTES, ClamdServer
from tests.proxies import free_port
from tests.servers import serving


def answering(reply):
    """Return a server that reads a whole command and replies.

    A server that closes the connection before it has read all resets it, which loses the reply.
    """

    def answer(connection):
        command = b""
        while not command.endswith((bytes(4), b"zVERSION\0")):
            command += connection.recv(65536)
        connection.sendall(reply)

    return serving(answer, listens=False)


def ask(server, seconds=5):
    return Clamd(f"127.0.0.1:{server.port}", seconds=seconds)


def test_malware_has_a_name_and_clean_files_have_none(clamd):
    scanner = Clamd(clamd.address)

    assert scanner.scan([EICAR]) == NAMED
    assert scanner.scan([b"a letter, then ", EICAR]) == NAMED
    assert scanner.scan([EICAR[:20], b"", EICAR[20:]]) == NAMED
    assert scanner.scan([b"a letter"]) == ""
    assert scanner.scan([]) == ""


def test_the_version_has_the_version_of_the_signatures(clamd):
    assert Clamd(clamd.address).ask_version().startswith("ClamAV 1.")
    assert "/1/" in Clamd(clamd.address).ask_version()


def test_a_file_beyond_the_limit_of_clamd_has_no_verdict(clamd):
    piece = bytes(64 * 1024)

    with pytest.raises(ScanFailed, match="larger than StreamMaxLength"):
        Clamd(clamd.address).scan([piece] * (20 * STREAM_MAX_BYTES // len(piece)))


def test_a_clamd_may_listen_on_a_port():
    server = ClamdServer(port=free_port())
    try:
        assert Clamd(server.start().address).scan([EICAR]) == NAMED
    finally:
        server.remove()


@pytest.mark.parametrize("address", ["/run/no-clamd/socket", "127.0.0.1:1", "[::1]:1"])
def test_a_clamd_that_is_away_gives_no_verdict(address):
    with pytest.raises(ScanFailed, match="clamd is away"):
        Clamd(address).scan([EICAR])


def test_a_clamd_that_says_nothing_is_waited_for_no_longer_than_told():
    def say_nothing(connection):
        while connection.recv(65536):
            pass

    with serving(say_nothing, listens=False) as server, pytest.raises(ScanFailed, match="answer"):
        ask(server, seconds=0.2).scan([EICAR])


@pytest.mark.parametrize(
    ("reply", "fault"),
    [
        (b"", "without a whole reply"),
        (b"stream: OK", "without a whole reply"),
        (b"stream: ERROR\0", "clamd answered 'stream: ERROR'"),
        (b"OK\0", "clamd answered 'OK'"),
        (b"UNKNOWN COMMAND\0", "clamd answered"),
    ],
)
def test_anything_but_a_verdict_is_none(reply, fault):
    with answering(reply) as server, pytest.raises(ScanFailed, match=fault):
        ask(server).scan([b"a letter"])


def test_another_program_at_the_address_is_no_clamd():
    with answering(b"SSH-2.0\0") as server, pytest.raises(ScanFailed, match="to VERSION"):
        ask(server).ask_version()


def test_a_file_that_breaks_off_has_no_verdict(clamd):
    def pieces():
        yield b"half of it"
        raise ConnectionResetError

    with pytest.raises(ConnectionResetError):
        Clamd(clamd.address).scan(pieces())

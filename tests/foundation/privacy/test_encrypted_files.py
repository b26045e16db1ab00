import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foundation.privacy import encrypted_files
from foundation.privacy.encrypted_files import (
    ENCRYPTED_PIECE_BYTES,
    HEADER_BYTES,
    PIECE_BYTES,
    UnreadableFile,
    content_size,
    decrypting_stream,
    encrypting_stream,
    make_header,
    rewrapped_stream,
    wrapped_key_of,
)

KEY = bytes(range(32))
HEADER = make_header("e1.k1.abc")
SIZES = [0, 1, PIECE_BYTES - 1, PIECE_BYTES, PIECE_BYTES + 1, 3 * PIECE_BYTES, 200_000]


def encrypted(content, key=KEY):
    return encrypting_stream(io.BytesIO(content), key=key, header=HEADER).read()


def decrypted(stored, key=KEY):
    with decrypting_stream(io.BytesIO(stored), key=key) as opened:
        return opened.read()


def numbered(size):
    """Return bytes of which no two pieces are equal."""
    return b"".join(number.to_bytes(4, "big") for number in range(size // 4 + 1))[:size]


@pytest.mark.parametrize("size", SIZES)
def test_a_content_of_any_size_is_read_as_it_was_written(size):
    stored = encrypted(numbered(size))

    assert decrypted(stored) == numbered(size)
    assert content_size(len(stored)) == size


@given(st.integers(0, 200_000), st.integers(0, 70_000))
def test_a_part_can_be_read_from_anywhere(start, size):
    content = numbered(200_000)

    with decrypting_stream(io.BytesIO(encrypted(content)), key=KEY) as opened:
        opened.seek(start)
        part = opened.read(size)
        end = opened.seek(0, io.SEEK_END)

    assert part == content[start : start + size]
    assert end == len(content)


def test_no_plain_bytes_are_stored():
    stored = encrypted(b"PASSPORT 123-45-6789 " * 10_000)

    assert b"PASSPORT" not in stored
    assert len({stored[at : at + 16] for at in range(HEADER_BYTES, len(stored), 16)}) > 13_000


def flip(stored, at):
    return stored[:at] + bytes([stored[at] ^ 1]) + stored[at + 1 :]


PIECES = [HEADER_BYTES + number * ENCRYPTED_PIECE_BYTES for number in range(4)]
STORED = encrypted(numbered(3 * PIECE_BYTES + 10))
FORGERIES = {
    "the first byte flipped": flip(STORED, PIECES[0]),
    "a byte in the middle flipped": flip(STORED, PIECES[1] + 777),
    "the last byte flipped": flip(STORED, len(STORED) - 1),
    "the last byte cut": STORED[:-1],
    "the last piece cut": STORED[: PIECES[3]],
    "all pieces cut": STORED[: PIECES[0]],
    "a part of a tag left": STORED[: PIECES[0] + 5],
    "a byte appended": STORED + b"x",
    "the last piece twice": STORED + STORED[PIECES[3] :],
    "two pieces swapped": STORED[: PIECES[0]]
    + STORED[PIECES[1] : PIECES[2]]
    + STORED[PIECES[0] : PIECES[1]]
    + STORED[PIECES[2] :],
    "a piece of another file": STORED[: PIECES[1]]
    + encrypted(numbered(3 * PIECE_BYTES + 10), key=bytes(32))[PIECES[1] : PIECES[2]]
    + STORED[PIECES[2] :],
}


@pytest.mark.parametrize("forged", FORGERIES.values(), ids=FORGERIES.keys())
def test_a_changed_file_is_refused_before_a_byte_is_read(forged):
    with pytest.raises(UnreadableFile):
        decrypting_stream(io.BytesIO(forged), key=KEY)


def test_a_change_after_the_file_was_opened_is_refused():
    stored = io.BytesIO(STORED)
    opened = decrypting_stream(stored, key=KEY)
    stored.getbuffer()[PIECES[2]] ^= 1

    with pytest.raises(UnreadableFile, match="piece 3 of 4 is not as written"):
        opened.read()


def test_a_content_that_comes_in_short_reads_is_the_same():
    class Slow(io.BytesIO):
        def read(self, size=-1):
            return super().read(min(size, 1000))

    content = numbered(200_000)
    stored = encrypting_stream(Slow(content), key=KEY, header=HEADER).read()

    assert decrypted(stored) == content


def test_a_new_header_leaves_the_pieces_as_they_are():
    other = make_header("e1.k2.def")

    rewrapped = rewrapped_stream(io.BytesIO(STORED), header=other).read()

    assert wrapped_key_of(rewrapped[:HEADER_BYTES]) == "e1.k2.def"
    assert rewrapped[HEADER_BYTES:] == STORED[HEADER_BYTES:]


def test_a_file_without_a_header_is_plain():
    assert wrapped_key_of(b"%PDF-1.7") is None
    assert wrapped_key_of(b"") is None


@pytest.mark.parametrize("header", [HEADER[:100], HEADER[:100] + bytes([255]) * 924])
def test_a_damaged_header_is_refused(header):
    with pytest.raises(UnreadableFile, match="header is damaged"):
        wrapped_key_of(header)


def test_a_key_that_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="does not fit"):
        make_header("x" * HEADER_BYTES)


def test_a_large_file_is_read_and_written_in_little_memory():
    class Endless(io.RawIOBase):
        left = 64 * 1024**2
        most_at_once = 0

        def read(self, size=-1):
            self.most_at_once = max(self.most_at_once, size)
            size = min(size, self.left)
            self.left -= size
            return bytes(size)

    content = Endless()
    stream = encrypting_stream(content, key=KEY, header=HEADER)

    size = sum(len(piece) for piece in iter(lambda: stream.read(100_000), b""))

    assert content_size(size) == 64 * 1024**2
    assert content.most_at_once == PIECE_BYTES
    assert encrypted_files.new_key() != encrypted_files.new_key()

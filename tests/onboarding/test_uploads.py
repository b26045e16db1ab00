import base64
import hashlib
import re
from pathlib import Path

import pytest
from django.core.files.storage import FileSystemStorage, InMemoryStorage
from hypothesis import given
from hypothesis import strategies as st

from foundation.inspection.file_types import HEAD_BYTES
from foundation.privacy.encrypted_storage import EncryptedStorage
from onboarding.errors import ErrorCode, InvalidValue
from onboarding.uploads import MEMORY_BYTES, Base64Decoder, Upload, Uploads
from onboarding.uploads import decode_base64 as decode

ALPHABET = "ABCXYZabcxyz0189+/-_="
WELL_FORMED = re.compile(
    r"(?:[\w+/-]{4})*(?:[\w+/-]{2}(?:==)?|[\w+/-]{3}=?)?", re.ASCII
)  # RFC 4648


def content(upload):
    with upload.as_file() as file:
        return b"".join(file.chunks())


def encrypted(folder):
    disk = "django.core.files.storage.FileSystemStorage"
    return EncryptedStorage(store={"BACKEND": disk, "OPTIONS": {"location": folder}}, label="media")


def fault_of(text):
    with pytest.raises(InvalidValue) as caught:
        decode(text)
    return caught.value.code


@given(st.binary(min_size=1, max_size=500), st.sampled_from([b"+/", b"-_"]), st.booleans())
def test_either_alphabet_is_decoded_with_or_without_padding(data, alphabet, is_padded):
    text = base64.b64encode(data, altchars=alphabet).decode()

    upload = decode(text if is_padded else text.rstrip("="))

    assert content(upload) == data
    assert upload.size_bytes == len(data)
    assert upload.sha256 == hashlib.sha256(data).hexdigest()


@given(st.text(ALPHABET, max_size=12))
def test_exactly_what_the_standard_allows_is_accepted(text):
    try:
        decode(text)
    except InvalidValue as exc:
        refused = exc.code is ErrorCode.INVALID_BASE64
    else:
        refused = False

    assert refused == (not WELL_FORMED.fullmatch(text))


@given(st.binary(min_size=1, max_size=300), st.data())
def test_the_pieces_that_a_text_comes_in_make_no_difference(data, draw):
    text = base64.b64encode(data)
    cuts = draw.draw(st.lists(st.integers(0, len(text)), max_size=5).map(sorted))
    upload = Upload()
    decoder = Base64Decoder(upload)

    for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True):
        decoder.write(text[start:end])
    decoder.finish()

    assert content(upload) == data


@given(st.binary(min_size=1, max_size=300), st.sampled_from([b"+/", b"-_"]), st.data())
def test_a_piece_that_is_not_plain_is_left_to_the_other_way(data, alphabet, draw):
    text = base64.b64encode(data, alphabet)
    cuts = draw.draw(st.lists(st.integers(0, len(text)), max_size=5).map(sorted))
    upload = Upload()
    decoder = Base64Decoder(upload)

    for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True):
        if not decoder.write_plain(text[start:end]):
            decoder.write(text[start:end])
    decoder.finish()

    assert content(upload) == data


@pytest.mark.parametrize(
    "text", [b"QUJD\n", b"QUJDQ\n", b"QU-D", b"QQ==QUJD", b"QUJD ", b"QUJDQ\xff"]
)
def test_nothing_is_taken_of_a_piece_that_is_not_plain(text):
    upload = Upload()
    decoder = Base64Decoder(upload)

    assert not decoder.write_plain(text)
    assert decoder.write_plain(b"QUJD")

    assert content(upload) == b"ABC"


def test_line_breaks_of_mime_encoders_are_skipped():
    data = bytes(range(256))
    mime = base64.encodebytes(data)

    assert content(decode(mime)) == data
    assert content(decode(mime.replace(b"\n", b"\r\n").decode())) == data


@pytest.mark.parametrize("text", ["QQ = =", " QQ==", "QQ==QQ==", "Q", "QQ=", "=", "é", "\ud800"])
def test_what_is_not_base64_is_refused(text):
    assert fault_of(text) is ErrorCode.INVALID_BASE64


@pytest.mark.parametrize("text", ["", "\r\n", b""])
def test_an_empty_document_is_refused(text):
    assert fault_of(text) is ErrorCode.DOCUMENT_EMPTY


def test_a_document_may_have_just_as_many_bytes_as_the_limit(settings):
    settings.DOCUMENT_MAX_BYTES = 6

    assert decode(base64.b64encode(b"123456")).size_bytes == 6
    assert fault_of(base64.b64encode(b"1234567")) is ErrorCode.DOCUMENT_TOO_LARGE


def test_the_head_is_kept_for_sniffing():
    upload = Upload()
    upload.write(b"a" * (HEAD_BYTES - 1))
    upload.write(b"bc")

    assert upload.head == b"a" * (HEAD_BYTES - 1) + b"b"


def test_a_small_upload_never_touches_the_disk(spool):
    upload = Uploads().new()
    upload.write(b"x" * MEMORY_BYTES)

    assert not spool.exists()


def test_a_large_upload_waits_on_disk_where_nobody_else_can_read_it(spool):
    uploads = Uploads()
    upload = uploads.new()
    upload.write(b"x" * MEMORY_BYTES)
    upload.write(b"y")

    (waiting,) = spool.iterdir()

    assert waiting.stat().st_mode & 0o777 == 0o600
    assert content(upload) == b"x" * MEMORY_BYTES + b"y"
    assert b"xxxx" not in waiting.read_bytes()
    assert uploads.size_bytes == MEMORY_BYTES + 1
    uploads.close()


def test_closing_removes_every_file_even_if_one_cannot_be_closed(spool, monkeypatch):
    uploads = Uploads()
    for _ in range(3):
        uploads.new().write(b"x" * (MEMORY_BYTES + 1))
    removed = []

    def unlink(path, missing_ok):
        removed.append(path)
        if len(removed) == 2:
            raise PermissionError

    monkeypatch.setattr(Path, "unlink", unlink)
    with pytest.raises(PermissionError):
        uploads.close()
    uploads.close()

    assert sorted(removed) == sorted(spool.iterdir())


def test_a_storage_on_the_same_disk_takes_the_file_by_a_rename(spool, tmp_path):
    upload = Uploads().new()
    upload.write(b"x" * (MEMORY_BYTES + 1))
    (waiting,) = spool.iterdir()
    inode = waiting.stat().st_ino
    storage = encrypted(tmp_path / "media")

    with upload.as_file() as file:
        name = storage.save("leads/1/2", file)

    assert (tmp_path / "media" / name).stat().st_ino == inode
    assert list(spool.iterdir()) == []
    upload.close()
    assert storage.size("leads/1/2") == MEMORY_BYTES + 1


@pytest.mark.parametrize("size", [10, MEMORY_BYTES + 1])
def test_an_upload_can_be_stored_again_after_a_storage_took_it(spool, tmp_path, size):
    upload = Uploads().new()
    upload.write(b"x" * size)
    storages = [
        encrypted(tmp_path / "encrypted"),
        FileSystemStorage(tmp_path / "media"),
        InMemoryStorage(),
    ]

    for storage in [*storages, *storages]:
        with upload.as_file() as file:
            name = storage.save("one", file)
        with storage.open(name) as stored:
            assert stored.read() == b"x" * size
    upload.close()


def test_a_storage_that_closes_what_it_read_does_no_harm(spool):
    upload = Uploads().new()
    upload.write(b"x" * (MEMORY_BYTES + 1))

    upload.as_file().close()

    assert content(upload) == b"x" * (MEMORY_BYTES + 1)
    upload.close()

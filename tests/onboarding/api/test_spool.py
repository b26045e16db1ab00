import base64
import hashlib
import io
import json
import os
import resource
import tracemalloc

import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from onboarding.api.spool import RequestTooLarge, read_large_body
from onboarding.errors import ErrorCode, InvalidValue
from onboarding.uploads import MEMORY_BYTES, Upload

pytestmark = pytest.mark.usefixtures("spool")

MIB = 1024**2
UNLIMITED = 10**9

names = st.sampled_from(["documentDataList", "content", "fileName", 'quo"te', "back\\slash", "é"])
scalars = st.none() | st.booleans() | st.integers() | st.text(max_size=20)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4),
    max_leaves=15,
)
contents = st.binary(max_size=60).map(lambda data: base64.b64encode(data).decode())
documents = st.dictionaries(names, values, max_size=3).flatmap(
    lambda document: (contents | values).map(lambda content: {**document, "content": content})
)
bodies = st.dictionaries(names, values, max_size=3).flatmap(
    lambda body: st.lists(documents | values, max_size=5).map(
        lambda listed: {**body, "documentDataList": listed}
    )
)

thorough = hypothesis_settings(
    max_examples=400,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
FRAGMENTS = [
    *(bytes([code]) for code in b'"\\{}[]:,= \0\xff\xc3'),
    *(b'{"documentDataList":[{"content":"QUJD', b'"}]}', b"QUJD", b'"content"', b"\\u"),
]


class Pieces(io.RawIOBase):
    """A stream that hands out its bytes in pieces of the given lengths, over and over."""

    def __init__(self, raw, lengths):
        self.left, self.lengths, self.turn = raw, lengths, 0

    def read(self, size):
        length = min(size, self.lengths[self.turn % len(self.lengths)])
        self.turn += 1
        piece, self.left = self.left[:length], self.left[length:]
        return piece


def read(raw, *, lengths=(64 * 1024,), limit=UNLIMITED):
    return read_large_body(Pieces(raw, lengths), limit=limit)


def restored(body):
    """Return the document with every upload as its bytes and every fault as its code."""
    data = body.insert_contents(json.loads(body.json))
    found = data.get("documentDataList") if isinstance(data, dict) else None
    for document in found if isinstance(found, list) else []:
        if isinstance(document, dict) and "content" in document:
            document["content"] = plain(document["content"])
    body.uploads.close()
    return data


def plain(content):
    if isinstance(content, InvalidValue):
        return content.code
    if isinstance(content, Upload):
        with content.as_file() as file:
            data = file.read()
        assert content.size_bytes == len(data)
        assert content.sha256 == hashlib.sha256(data).hexdigest()
        return data
    return content


def expected(raw):
    """Do the same the simple way."""
    data = json.loads(raw)
    for document in data["documentDataList"]:
        if isinstance(document, dict) and isinstance(document.get("content"), str):
            document["content"] = decoded(document["content"])
    return data


def decoded(text):
    try:
        data = base64.b64decode(text.encode("ascii"), validate=True)
    except ValueError:
        return ErrorCode.INVALID_BASE64
    return data or ErrorCode.DOCUMENT_EMPTY


def one_document(content, **others):
    return json.dumps({"documentDataList": [{"content": content, **others}]}).encode()


def content_of(body):
    return restored(body)["documentDataList"][0]["content"]


@thorough
@given(
    bodies.filter(lambda body: not _has_loose_base64(body)),
    st.lists(st.integers(1, 40), min_size=1, max_size=6),
    st.booleans(),
    st.sampled_from([None, 2]),
)
def test_any_document_in_any_pieces_is_read_as_if_parsed_whole(body, lengths, is_ascii, indent):
    raw = json.dumps(body, ensure_ascii=is_ascii, indent=indent).encode("utf-8", "surrogatepass")
    raw = raw.replace(b"/", b"\\/")

    result = read(raw, lengths=lengths)

    assert result.size_bytes == len(raw)
    assert result.sha256 == hashlib.sha256(raw).hexdigest()
    assert restored(result) == expected(raw)


def _has_loose_base64(body):
    """Say whether a content is well-formed here and not for the standard library, or vice versa."""
    texts = [
        document["content"]
        for document in body["documentDataList"]
        if isinstance(document, dict) and isinstance(document.get("content"), str)
    ]
    return any(set(text) & set("-_\r\n") or len(text) % 4 for text in texts)


@thorough
@given(
    st.lists(st.sampled_from(FRAGMENTS) | st.binary(max_size=4), max_size=30).map(b"".join),
    st.lists(st.integers(1, 9), min_size=1, max_size=4),
)
@example(b'{"documentDataList":[{"content":"QUJD\\', [1])
@example(b'{"documentDataList":[{"content":"QUJD\\u00', [1])
@example(b'{"documentDataList":[{"content":"QUJD\xff"}]}', [1])
@example(b'{"documentDataList":[{"content":"QUJD\xc3\xa9"}]}', [1])
@example(b"}" * 10 + b'"', [3])
def test_garbage_neither_breaks_the_scanner_nor_becomes_valid(raw, lengths):
    result = read(raw, lengths=lengths)
    result.uploads.close()

    assert is_json(result.json) == is_json(raw)


def is_json(raw):
    try:
        json.loads(raw.decode("utf-8"))
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("cut", range(90))
def test_a_body_that_is_cut_anywhere_is_no_json(cut):
    raw = one_document("QUJD", fileName='a"\\b.pdf', note="é")

    result = read(raw[: min(cut, len(raw) - 1)], lengths=[7])

    assert not is_json(result.json)


@pytest.mark.parametrize("escape", ["\\u0041", "\\/", "\\r\\n", "\\u002b", "\\u003D\\u003d"])
@pytest.mark.parametrize("length", range(1, 9))
def test_escapes_are_understood_wherever_a_piece_ends(escape, length):
    raw = b'{"documentDataList":[{"content":"QUJ%sQQ"}]}' % escape.encode()
    text = json.loads(raw)["documentDataList"][0]["content"].replace("\r\n", "")

    assert content_of(read(raw, lengths=[length])) == decoded(text + "=" * (-len(text) % 4))


def test_keys_may_be_escaped():
    raw = b'{"document\\u0044ataList":[{"c\\u006fntent":"QUJD"}]}'

    assert content_of(read(raw)) == b"ABC"


@pytest.mark.parametrize(
    "text", ["QUJD\n", "QUJDQ\nQQ", "QUJD\\x", "QUJD\\u00g0", "QUJD\0", "QUJDQU\1"]
)
@pytest.mark.parametrize("length", [1, 2, 5, 100])
def test_a_content_that_is_no_json_string_makes_the_body_malformed(text, length):
    raw = b'{"documentDataList":[{"content":"%s"}]}' % text.encode()

    assert not is_json(read(raw, lengths=[length]).json)


@pytest.mark.parametrize(
    "raw",
    [
        b'{"content":"QUJD"}',
        b'{"documentDataList":{"content":"QUJD"}}',
        b'{"documentDataList":[[{"content":"QUJD"}]]}',
        b'{"documentDataList":[{"content":["QUJD"]}]}',
        b'{"documentDataList":[{"content":{"content":"QUJD"}}]}',
        b'{"lead":{"documentDataList":[{"content":"QUJD"}]}}',
        b'[{"documentDataList":[{"content":"QUJD"}]}]',
        b'{"documentDataList":["content","QUJD"]}',
        b'"content"',
    ],
)
def test_only_the_content_of_a_document_is_taken_out(raw):
    result = read(raw)

    assert result.json == raw
    assert result.contents == {}
    assert result.insert_contents(json.loads(result.json)) == json.loads(raw)


def test_every_fault_is_kept_in_its_place(settings, spool):
    settings.DOCUMENT_MAX_BYTES = MEMORY_BYTES + 5
    large = base64.b64encode(bytes(MEMORY_BYTES + 6)).decode()
    sent = ["QUJD", "%%%", "", large, large[:-4], "QQ==QQ==", None, 7]
    raw = json.dumps({"documentDataList": [{"content": content} for content in sent]}).encode()

    found = [document["content"] for document in restored(read(raw))["documentDataList"]]

    assert found == [
        b"ABC", ErrorCode.INVALID_BASE64, ErrorCode.DOCUMENT_EMPTY, ErrorCode.DOCUMENT_TOO_LARGE,
        bytes(MEMORY_BYTES + 5), ErrorCode.INVALID_BASE64, None, 7,
    ]  # fmt: skip
    assert list(spool.iterdir()) == []


def test_a_faulty_content_leaves_the_disk_at_once(settings, spool):
    settings.DOCUMENT_MAX_BYTES = MIB
    raw = one_document(base64.b64encode(bytes(2 * MIB)).decode())

    result = read(raw)

    assert list(spool.iterdir()) == []
    assert content_of(result) is ErrorCode.DOCUMENT_TOO_LARGE


def test_surplus_documents_are_not_stored(settings):
    settings.DOCUMENTS_MAX_PER_REQUEST = 2
    raw = json.dumps({"documentDataList": [{"content": "QUJD"}] * 3}).encode()

    found = [document["content"] for document in restored(read(raw))["documentDataList"]]

    assert found == [b"ABC", b"ABC", ErrorCode.TOO_MANY_DOCUMENTS]


def test_a_placeholder_cannot_be_forged():
    first = read(one_document("QUJD"))
    stolen = next(iter(first.contents))

    second = read(one_document("QUJD", fileName=stolen))

    assert stolen not in second.contents
    assert restored(second)["documentDataList"][0] == {"content": b"ABC", "fileName": stolen}


def test_the_body_its_documents_and_the_rest_have_limits_of_their_own(settings, spool):
    settings.JSON_MAX_BYTES, settings.DOCUMENTS_MAX_BYTES_PER_REQUEST = 1000, MIB
    text = base64.b64encode(bytes(600_000)).decode()
    fits = json.dumps({"documentDataList": [{"content": text}]}).encode()
    two = json.dumps({"documentDataList": [{"content": text}] * 2}).encode()

    read(fits, limit=len(fits)).uploads.close()
    for raw, limit, named in [
        (fits, len(fits) - 1, len(fits) - 1),
        (two, UNLIMITED, MIB),
        (one_document("QUJD", fileName="x" * 1000), UNLIMITED, 1000),
        (b"[" * 2000, UNLIMITED, 1000),
        (b" " * 2000, UNLIMITED, 1000),
    ]:
        with pytest.raises(RequestTooLarge) as caught:
            read(raw, limit=limit)
        assert caught.value.http_status == 413
        assert caught.value.faults[0].params == {"limit": named}
    assert list(spool.iterdir()) == []


def test_a_stream_that_breaks_leaves_nothing_behind(spool):
    raw = one_document(base64.b64encode(bytes(MIB)).decode())

    class Broken(Pieces):
        def read(self, size):
            if len(self.left) < 100_000:
                assert list(spool.iterdir())
                raise OSError
            return super().read(size)

    with pytest.raises(OSError, match=r"^$"):
        read_large_body(Broken(raw, [65536]), limit=UNLIMITED)

    assert list(spool.iterdir()) == []


@pytest.mark.parametrize("escaped", [False, True])
def test_twenty_megabytes_of_documents_need_little_memory(escaped):
    data = os.urandom(5 * MIB)
    text = base64.b64encode(data)
    if escaped:
        text = text.replace(b"/", b"\\/")
    raw = b'{"documentDataList":[%s]}' % b",".join([b'{"content":"%s"}' % text] * 4)
    stream = io.BytesIO(raw)

    tracemalloc.start()
    try:
        result = read_large_body(stream, limit=UNLIMITED)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert result.uploads.size_bytes == 20 * MIB
    assert peak < 3 * MIB
    result.uploads.close()


@pytest.mark.parametrize("pair", [b'\\"', b"\\\\", b"\\u0041"])
def test_nothing_but_escapes_is_read_in_linear_time(pair):
    raw = b'{"documentDataList":[{"content":"%s"}]}' % (pair * 500_000)
    used = resource.getrusage(resource.RUSAGE_SELF).ru_utime

    read(raw).uploads.close()

    assert resource.getrusage(resource.RUSAGE_SELF).ru_utime - used < 5

"""Requests are read whole before Django has them."""

from io import BytesIO

import pytest

from config import whole_bodies
from config.whole_bodies import WholeBodies, whole


class Slow(BytesIO):
    """A body of which each read gives a piece."""

    def read(self, size=-1):
        return super().read(min(size, 1000))


class Page(list):
    """A response as Django gives it."""

    streaming = False
    is_closed = False

    def close(self):
        self.is_closed = True


@pytest.mark.parametrize("size", [0, 1, 5000, whole_bodies.MEMORY_BYTES + 1])
@pytest.mark.parametrize("announced", [True, False])
def test_a_body_comes_whole_however_it_was_sent(size, announced):
    sent = bytes(size)
    told = {"CONTENT_LENGTH": str(size)} if announced else {"HTTP_TRANSFER_ENCODING": "chunked"}

    with whole({**told, "wsgi.input": Slow(sent)}) as body:
        assert body.read() == sent


def test_no_body_is_not_waited_for():
    with whole({"wsgi.input": None}) as body:
        assert body.read() == b""


def test_a_body_that_no_view_accepts_is_cut(monkeypatch):
    monkeypatch.setattr(whole_bodies, "BODY_MAX_BYTES", 10)

    with whole({"CONTENT_LENGTH": "20", "wsgi.input": BytesIO(bytes(20))}) as body:
        assert len(body.read()) == 10


@pytest.mark.parametrize(("kind", "is_read"), [("application/json", 0), ("multipart/form-data", 1)])
def test_only_a_form_that_is_announced_as_too_long_is_read(kind, is_read):
    seen = []

    def view(environ, _start):
        seen.append(len(environ["wsgi.input"].read()))
        return Page()

    application = WholeBodies(view, threads=1, most_bytes=1000)
    told = {"CONTENT_TYPE": kind, "CONTENT_LENGTH": "1001"}

    application({**told, "wsgi.input": BytesIO(bytes(1001))}, None)

    assert seen == [1001 * is_read]


def test_a_response_is_closed_by_the_thread_that_made_it():
    page = Page([b"a", b"b"])
    application = WholeBodies(lambda _environ, _start: page, threads=1, most_bytes=1000)

    assert application({}, None) == [b"a", b"b"]
    assert page.is_closed


def test_a_streamed_response_is_closed_when_it_was_read():
    page = Page([b"a", b"b"])
    page.streaming = True
    application = WholeBodies(lambda _environ, _start: page, threads=1, most_bytes=1000)

    answer = application({}, None)
    assert (list(answer), page.is_closed) == ([b"a", b"b"], False)
    answer.close()

    assert page.is_closed


def test_an_error_reaches_the_server_and_the_thread_goes_on():
    def fail(_environ, _start):
        raise ValueError("broken")

    application = WholeBodies(fail, threads=1, most_bytes=1000)

    for _ in range(2):
        with pytest.raises(ValueError, match="broken"):
            application({}, None)

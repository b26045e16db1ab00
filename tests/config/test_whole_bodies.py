"""Requests are read whole before Django has them."""

from io import BytesIO
from pathlib import Path

import pytest
from django.core.exceptions import RequestDataTooBig
from django.core.files.base import ContentFile
from django.core.handlers.wsgi import WSGIRequest
from django.test.client import encode_multipart
from django.urls import reverse
from django.utils import timezone

from config import whole_bodies
from config.paths import WITH_FILES
from config.whole_bodies import FORM, MEMORY_BYTES, WholeBodies, whole
from onboarding.services.partners import api_keys
from onboarding.uploads import StorageUnavailable

pytestmark = pytest.mark.usefixtures("spool")

LARGE = MEMORY_BYTES + 1
ANY_ID = "01990000-0000-7000-8000-000000000000"


@pytest.fixture(params=["missing", "full"])
def no_disk(request, spool, monkeypatch):
    """Let the disk take nothing; or what comes after it said that it is full."""
    if request.param == "missing":
        spool.touch()
        return

    class Full(BytesIO):
        def write(self, data):
            if self.tell() + len(data) > MEMORY_BYTES:
                raise OSError(28, "No space left on device")
            return super().write(data)

    monkeypatch.setattr(whole_bodies, "SpooledTemporaryFile", lambda *_, **__: Full())


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
    headers = {"CONTENT_LENGTH": str(size)} if announced else {"HTTP_TRANSFER_ENCODING": "chunked"}

    with whole({**headers, "wsgi.input": Slow(sent)}, most_bytes=LARGE) as body:
        assert body.read() == sent


def test_a_long_body_waits_in_the_spool(spool):
    long = {"CONTENT_LENGTH": str(LARGE), "wsgi.input": BytesIO(bytes(LARGE))}

    with whole(long, most_bytes=LARGE) as body:
        folder = Path(f"/proc/self/fd/{body.fileno()}").readlink().parent
        assert folder == spool


def test_no_body_is_not_waited_for():
    with whole({"wsgi.input": None}, most_bytes=LARGE) as body:
        assert body.read() == b""


def test_of_a_body_that_no_view_accepts_a_byte_too_much_is_read():
    with whole({"CONTENT_LENGTH": "20", "wsgi.input": BytesIO(bytes(20))}, most_bytes=10) as body:
        assert len(body.read()) == 11


def test_a_body_that_breaks_off_reaches_no_view():
    seen = []
    environ = {"CONTENT_LENGTH": "20", "wsgi.input": BytesIO(bytes(19))}

    WholeBodies(lambda *_: seen.append("view"), threads=1, most_bytes=1000)(
        environ, lambda status, _headers: seen.append(status)
    )

    assert seen == ["400 Bad Request"]


@pytest.mark.parametrize(
    ("path", "read"), [("/service/api/v1/lead", 3001), ("/mcp", 1001), ("/sign-in", 1001)]
)
def test_only_paths_of_documents_take_long_bodies(settings, path, read):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
    seen = []

    def view(environ, _start):
        seen.append(len(environ["wsgi.input"].read()))
        return Page()

    headers = {"PATH_INFO": path, "HTTP_TRANSFER_ENCODING": "chunked"}

    WholeBodies(view, threads=1, most_bytes=3000)(
        {**headers, "wsgi.input": BytesIO(bytes(9000))}, None
    )

    assert seen == [read]


@pytest.mark.parametrize(
    ("first", "second", "statuses"),
    [
        ("192.0.2.1", "192.0.2.1", ["429 Too Many Requests"]),
        ("192.0.2.1", "192.0.2.2", []),
        ("2001:db8::1", "2001:db8::2", ["429 Too Many Requests"]),
        ("2001:db8::1", "2001:db8:0:1::1", []),
    ],
)
def test_a_network_may_send_so_many_bodies_at_once(settings, first, second, statuses):
    settings.BODIES_PER_NETWORK = 1
    server = WholeBodies(lambda *_: Page(), threads=1, most_bytes=1000)
    seen = []

    class Meanwhile(BytesIO):
        def read(self, size=-1):
            if not self.tell():
                send(second, BytesIO(b"x"))
            return super().read(size)

    def send(address, body, **headers):
        environ = {"CONTENT_LENGTH": "1", "REMOTE_ADDR": address, "wsgi.input": body, **headers}
        server(environ, lambda status, _headers: seen.append(status))

    send(first, Meanwhile(b"x"))

    assert seen == statuses
    assert not server.readers


def test_a_refusal_is_text_that_browsers_do_not_take_for_anything_else(settings):
    settings.BODIES_PER_NETWORK = 0
    environ = {"CONTENT_LENGTH": "1", "REMOTE_ADDR": "192.0.2.1", "wsgi.input": BytesIO(b"x")}
    seen = {}

    WholeBodies(lambda *_: Page(), threads=1, most_bytes=1000)(
        environ, lambda _status, headers: seen.update(headers)
    )

    assert seen["Content-Type"] == "text/plain; charset=utf-8"
    assert seen["X-Content-Type-Options"] == "nosniff"


def test_requests_without_a_body_need_no_reader(settings):
    settings.BODIES_PER_NETWORK = 0

    answer = WholeBodies(lambda *_: Page([b"ok"]), threads=1, most_bytes=1000)({}, None)

    assert [*answer] == [b"ok"]


def test_behind_a_proxy_the_network_is_that_of_its_client(settings):
    settings.TRUSTED_PROXIES, settings.BODIES_PER_NETWORK = 1, 1
    server, seen = WholeBodies(lambda *_: Page(), threads=1, most_bytes=1000), []
    server.readers["2001:db8::"] = 1
    forwarded = ["2001:db8::7", "2001:db8::7, 192.0.2.1"]

    for addresses in forwarded:
        server(
            {
                "CONTENT_LENGTH": "1",
                "REMOTE_ADDR": "127.0.0.1",
                "HTTP_X_FORWARDED_FOR": addresses,
                "wsgi.input": BytesIO(b"x"),
            },
            lambda status, _headers: seen.append(status),
        )

    assert seen == ["429 Too Many Requests"]


def test_the_paths_of_files_are_known():
    for name, kwargs in [
        ("lead_api:leads", {}),
        ("flow:hosted:documents", {"link": "x"}),
        ("flow:embedded:documents", {"customer_id": ANY_ID}),
        ("admin:onboarding_partner_appearance", {"pk": 1}),
    ]:
        assert reverse(name, kwargs=kwargs).startswith(WITH_FILES)


def test_what_the_disk_does_not_take_is_read_to_its_end(no_disk, caplog):
    sent = {"CONTENT_LENGTH": str(LARGE), "wsgi.input": BytesIO(bytes(LARGE))}

    body = whole(sent, most_bytes=LARGE)

    with pytest.raises(StorageUnavailable):
        body.read()
    assert sent["wsgi.input"].read() == b""
    assert [record.message for record in caplog.records] == ["files cannot be stored"]


@pytest.mark.parametrize(("kind", "unread"), [("application/json", 2000), (FORM, 999)])
def test_only_a_form_that_is_announced_as_too_long_is_read(kind, unread):
    application = WholeBodies(lambda _environ, _start: Page(), threads=1, most_bytes=1000)
    headers = {"PATH_INFO": "/apply/x", "CONTENT_TYPE": kind, "CONTENT_LENGTH": "2000"}
    body = BytesIO(bytes(2000))

    application({**headers, "wsgi.input": body}, None)

    assert len(body.read()) == unread


def test_a_form_that_is_cut_is_taken_for_no_whole_form(settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
    form = encode_multipart("b", {"name": "Acme", "logo": ContentFile(bytes(1000), "a.png")})
    headers = {"REQUEST_METHOD": "POST", "CONTENT_TYPE": f"{FORM}; boundary=b"}
    headers |= {"CONTENT_LENGTH": str(len(form)), "wsgi.input": BytesIO(form)}

    def view(environ, _start):
        return Page(WSGIRequest(environ).POST)

    application = WholeBodies(view, threads=1, most_bytes=1000)

    with pytest.raises(RequestDataTooBig):
        application({**headers, "PATH_INFO": "/admin/"}, None)


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


@pytest.mark.django_db(transaction=True)
def test_a_long_body_for_the_feed_is_read_from_a_bank_key_alone(settings):
    settings.FEED_BODY_MAX_BYTES = 5000
    issued = api_keys.issue_bank_key(at=timezone.now(), scopes=["*:write"])
    server, seen = WholeBodies(lambda *_: Page(), threads=1, most_bytes=1000), []
    server.application = lambda environ, _start: seen.append(environ["wsgi.input"].read()) or Page()

    for header in ["", "Vestibule bk_sb_1:sk_sb_1", f"Vestibule {issued.key}:{issued.secret}"]:
        for length in [{"CONTENT_LENGTH": "4000"}, {"HTTP_TRANSFER_ENCODING": "chunked"}]:
            server(
                {
                    "PATH_INFO": "/service/bank/v1/records:batch",
                    "REMOTE_ADDR": "127.0.0.1",
                    "HTTP_AUTHORIZATION": header,
                    "wsgi.input": BytesIO(bytes(4000)),
                    **length,
                },
                None,
            )

    assert [len(body) for body in seen] == [0, 1001, 0, 1001, 4000, 4000]


@pytest.mark.parametrize(("most", "length"), [(5000, "4000"), (3000, "3001")])
def test_a_chunked_body_for_the_feed_gets_the_length_that_was_read(most, length):
    chunked = {"PATH_INFO": "/service/bank/v1/records:batch", "HTTP_TRANSFER_ENCODING": "chunked"}

    environ = chunked | {"wsgi.input": BytesIO(bytes(4000))}
    whole(environ, most_bytes=most).close()

    assert environ["CONTENT_LENGTH"] == length

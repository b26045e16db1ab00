import logging
from io import BytesIO

import pytest
from django.http import Http404

from banking.models import User
from foundation.backoffice import downloads
from foundation.files import CSV, PDF, Stream


@pytest.fixture
def request_of_staff(rf):
    request = rf.get("/")
    request.user = User(email="staff@example.com")
    return request


@pytest.mark.parametrize(
    ("content_type", "is_harmless", "disposition"),
    [(PDF, True, "inline"), (PDF, False, "attachment"), ("text/html", True, "attachment")],
)
def test_only_a_harmless_file_is_shown(request_of_staff, content_type, is_harmless, disposition):
    answer = downloads.serve(
        request_of_staff,
        BytesIO(b"content"),
        document="document 1",
        name="file",
        content_type=content_type,
        is_harmless=is_harmless,
    )

    assert answer["Content-Disposition"].startswith(disposition)
    assert answer["X-Content-Type-Options"] == "nosniff"


def test_a_stream_is_saved_and_logged(request_of_staff, caplog):
    caplog.set_level(logging.INFO, "foundation.backoffice.downloads")
    stream = Stream(CSV, "all.csv", iter([b"a", b"b"]))

    answer = downloads.serve_stream(request_of_staff, stream, document="document 1")

    assert b"".join(answer.streaming_content) == b"ab"
    assert answer["Content-Disposition"] == 'attachment; filename="all.csv"'
    assert caplog.messages == [
        f"user {request_of_staff.user.external_id} took the file of document 1"
    ]


def test_a_head_request_takes_no_file(request_of_staff, caplog):
    caplog.set_level(logging.INFO, "foundation.backoffice.downloads")
    request_of_staff.method = "HEAD"

    downloads.serve_stream(request_of_staff, Stream(CSV, "all.csv", []), document="document 1")

    assert caplog.messages == []


def test_a_file_that_is_gone_is_not_found():
    class Gone:
        def open_file(self):
            raise FileNotFoundError

    with pytest.raises(Http404):
        downloads.open_or_404(Gone())


def test_a_file_that_is_not_shown_has_one_link():
    assert "Open" not in downloads.file_links("/f/", is_shown=False)
    assert "Open" in downloads.file_links("/f/", is_shown=True)

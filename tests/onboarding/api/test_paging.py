"""The query of a list: what it may ask for, and what is refused rather than guessed."""

import base64

import pytest

from onboarding.models import Lead
from tests.onboarding.conftest import codes


@pytest.mark.parametrize(
    "limit", ["0", "101", "1000", "0010000", "0100999", "1" * 5000, "%2B5", ""]
)
def test_a_page_has_1_to_100_leads(api, limit):
    response = api.get(f"lead?limit={limit}")

    assert response.status_code == 400
    assert codes(response) == {"/limit": "VALUE_OUT_OF_RANGE"}


@pytest.mark.parametrize(
    "moment",
    ["9999-12-31T23:59:59-12:00", "0001-01-01T00:00:00%2B14:00", "2026-01-01", "2026-02-30T00:00Z"],
)
def test_a_moment_must_exist_in_utc(api, moment):
    response = api.get(f"lead?updatedSince={moment}")

    assert response.status_code == 400
    assert codes(response) == {"/updatedSince": "INVALID_FORMAT"}


@pytest.mark.parametrize("name", ["status", "email", "uniqueId", "updatedSince"])
def test_an_empty_filter_does_not_list_every_lead(api, name):
    api.create()

    response = api.get(f"lead?{name}=")

    assert response.status_code == 400
    assert list(codes(response)) == [f"/{name}"]


def test_an_empty_cursor_is_the_first_page(api):
    api.create()

    assert len(api.get("lead?cursor=").json()["leads"]) == 1


@pytest.fixture
def cursor(api):
    for number in range(2):
        api.create(email=f"lead{number}@example.com")
    return api.get("lead?limit=1").json()["nextCursor"]


def test_a_cursor_is_sealed(api, cursor):
    again = api.get("lead?limit=1").json()["nextCursor"]

    assert again != cursor
    assert len(api.get(f"lead?cursor={again}").json()["leads"]) == 1
    opened = base64.urlsafe_b64decode(cursor.split(".")[2])
    assert b"lead" not in opened
    assert str(Lead.objects.latest("pk").pk).zfill(20).encode() not in opened


def test_a_cursor_is_of_no_use_to_another_partner(cursor, other_api):
    assert codes(other_api.get(f"lead?cursor={cursor}")) == {"/cursor": "INVALID_FORMAT"}


@pytest.mark.parametrize(
    "forge",
    [
        lambda cursor: cursor[:-4] + ("AAAA" if cursor[-4:] != "AAAA" else "BBBB"),
        lambda cursor: cursor[:-4],
        lambda cursor: cursor.rpartition(".")[0] + ".",
        lambda _: base64.urlsafe_b64encode(b"lead:1").decode(),
        lambda _: "%C3%A9.%C3%A9.%C3%A9",
        lambda _: "1",
    ],
)
def test_a_cursor_cannot_be_made_up(api, cursor, forge):
    response = api.get(f"lead?cursor={forge(cursor)}")

    assert response.status_code == 400
    assert codes(response) == {"/cursor": "INVALID_FORMAT"}

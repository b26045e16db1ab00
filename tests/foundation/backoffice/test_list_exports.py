"""CSV files of lists."""

import csv
import io
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone

from foundation.backoffice import cells, list_exports
from foundation.backoffice.list_exports import plain_text
from onboarding.models import Lead
from tests import factories

LEADS = "/admin/onboarding/lead/export/"


@pytest.fixture
def records(monkeypatch):
    """Return the recorded exports."""
    made = []
    monkeypatch.setattr(list_exports, "recorders", [lambda **facts: made.append(facts)])
    return made


def rows_of(response):
    assert response.status_code == 200
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    return list(csv.reader(io.StringIO(b"".join(response.streaming_content).decode())))


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ('<td class="a"><a href="/x/">Ada &amp; Co</a></td>', "Ada & Co"),
        ('<td><span class="line">A</span><span class="line quiet">b</span></td>', "A; b"),
        ('<td><span class="line">A</span><span class="line quiet"></span></td>', "A"),
        ('<td><img src="/yes.svg" alt="True"></td>', "True"),
        ("<td>1 &lt; 2</td>", "1 < 2"),
    ],
)
def test_a_cell_is_its_text(html, text):
    assert plain_text(html) == text


def test_a_time_is_in_utc_in_a_file_whatever_the_list_shows():
    with timezone.override(ZoneInfo("America/New_York")):
        cell = f"<td>{cells.timestamp(factories.NOON)}</td>"

    assert plain_text(cell) == "2026-03-02T12:00:00Z"


def test_the_filtered_rows_are_exported_as_the_list_shows_them(chief, records):
    factories.make_lead(business_name="Harbor", email="a@example.com", business_type="LLC")
    factories.make_lead(business_name="Elsewhere", email="b@example.com", business_type="C_CORP")

    header, *rows = rows_of(chief.post(f"{LEADS}?business_type__exact=LLC&p=1&q=harbor"))

    assert header[:2] == ["Business", "Partner"]
    assert [row[0] for row in rows] == ["Harbor; a@example.com"]
    [record] = records
    assert (record["label"], record["rows"]) == ("leads", 1)
    assert record["filters"] == {"business_type__exact": "LLC", "q": "not recorded"}


def test_the_list_offers_the_file_with_its_filters(chief):
    factories.make_lead(business_type="LLC")

    page = chief.get("/admin/onboarding/lead/?business_type__exact=LLC").content.decode()

    assert 'formaction="export/?business_type__exact=LLC">Export CSV</button>' in page


def test_formulas_are_escaped(chief, records):
    factories.make_lead(business_name="=1+1")

    assert rows_of(chief.post(LEADS))[1][0].startswith("'=1+1")


def test_personal_numbers_are_masked(chief, records):
    factories.make_owner(ssn="123-45-6789")

    text = b"".join(chief.post("/admin/onboarding/owner/export/").streaming_content)

    assert b"6789" not in text


def test_a_long_list_is_cut(chief, records, monkeypatch):
    monkeypatch.setattr(list_exports, "MAX_ROWS", 2)
    for number in range(3):
        factories.make_lead(email=f"{number}@example.com")

    assert len(rows_of(chief.post(LEADS))) == 3  # with the header


def test_the_rows_of_each_batch_are_in_the_file(chief, records, monkeypatch):
    monkeypatch.setattr(list_exports, "CHUNK_ROWS", 2)
    for number in range(5):
        factories.make_lead(email=f"{number}@example.com")

    assert len(rows_of(chief.post(LEADS))) == 6  # with the header


def test_it_is_for_those_who_see_the_list(client, make_user, records):
    client.force_login(make_user(user_type="STAFF"))

    assert client.post(LEADS).status_code == 403
    assert records == []


def test_nothing_is_exported_by_following_a_link(chief, records):
    assert chief.get(LEADS).status_code == 405


def test_a_filter_that_cannot_be_read_is_refused(chief, records):
    answer = chief.post(f"{LEADS}?created_at__gte=x")

    assert answer.status_code == 400
    assert records == []


def test_a_file_takes_as_many_statements_for_many_rows(
    chief, records, django_assert_max_num_queries
):
    for number in range(30):
        factories.make_application(factories.make_lead(email=f"{number}@example.com"))
    assert Lead.objects.count() == 30

    with django_assert_max_num_queries(14):
        rows_of(chief.post("/admin/onboarding/application/export/"))

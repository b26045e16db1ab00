import re

import pytest
from django.db import connection

from onboarding.admin.people import render_address
from onboarding.choices import Supplier
from onboarding.services.leads.merging import merge_into
from tests import factories

SSN = "912-45-6781"
OWNER_SSN = "923-56-7892"


@pytest.fixture
def lead(db):
    return factories.make_lead(
        ssn=SSN, supplied_by={"city": "APPLICANT", "ssn": "APPLICANT"}, city="Bath"
    )


def test_the_page_marks_what_the_applicant_supplied(lead, chief):
    page = chief.get(f"/admin/onboarding/lead/{lead.pk}/change/").content.decode()

    facts = dict(re.findall(r'fact-(\w+)">\s*<dt>(.*?)</dt>', page))
    assert "Applicant</span>" in facts["home_address"]
    assert "Applicant</span>" in facts["masked_ssn"]
    assert "</span>" not in facts["phone_number"]


def marks(client, path):
    page = client.get(f"/admin/onboarding/{path}/change/").content.decode()
    facts = re.findall(r'fact-(\w+)">\s*<dt>[^<]*<span[^>]*>(.*?)</span>', page)
    return dict(facts)


def test_the_page_marks_what_the_applicant_changed(make_lead, make_owner, chief):
    lead = make_lead(city="Bath", line1="1 Pier Road", metadata={"tier": "gold"})
    merge_into(lead, {"city": "Bristol", "line2": "Flat 2"}, by=Supplier.APPLICANT)
    merge_into(lead, {"metadata": {"tier": "blue"}}, by=Supplier.REVIEWER)
    lead.save()
    owner = make_owner(lead, address={"city": "Bath"})
    merge_into(owner, {"address": {"city": "Bristol"}, "title": "CEO"}, by=Supplier.APPLICANT)
    owner.save()

    assert marks(chief, f"lead/{lead.pk}") == {
        "home_address": "Changed by the applicant",
        "pairs": "Changed by the reviewer",
    }
    assert marks(chief, f"owner/{owner.pk}") == {
        "address_lines": "Changed by the applicant",
        "title": "Applicant",
    }


@pytest.mark.parametrize(
    ("address", "lines"),
    [
        ({}, []),
        ({"line1": "1 Pier Road", "state": "ME"}, ["1 Pier Road", "ME"]),
        (
            {
                "line1": "<b>",
                "city": "Bath",
                "state": "ME",
                "postal_code": "04530",
                "country": "US",
            },
            ["&lt;b&gt;", "Bath, ME 04530", "US"],
        ),
    ],
)
def test_an_address_reads_as_on_an_envelope(address, lines):
    assert re.findall(r'class="line">(.*?)</span>', render_address(address)) == lines


def test_the_share_of_an_owner_is_drawn_and_written(make_lead, make_owner, chief):
    lead = make_lead(ownership_percent="62.5000")
    make_owner(lead, ownership_percent=25)

    page = chief.get(f"/admin/onboarding/lead/{lead.pk}/change/").content.decode()

    assert 'value="62.5"></meter> 62.5%' in page
    assert 'value="25"></meter> 25%' in page


def test_swapped_numbers_of_two_people_are_shown_to_nobody(chief, api, caplog):
    lead, other = (
        factories.make_lead(api.partner, ssn=ssn, email=f"{ssn}@example.com")
        for ssn in (SSN, OWNER_SSN)
    )
    case = factories.make_application(lead)
    swap_by_sql(lead, other)
    chief.raise_request_exception = False

    shown = [
        chief.get(f"/admin/onboarding/application/{case.pk}/change/"),
        chief.get(f"/admin/onboarding/lead/{lead.pk}/change/"),
        api.get(f"lead/{lead.external_id}"),
    ]

    pages = [answer.content.decode() for answer in shown]
    assert [answer.status_code for answer in shown] == [500, 500, 500]
    assert all("A stored number cannot be read" in page for page in pages[:2])
    assert "INTERNAL_ERROR" in pages[2]
    assert f"onboarding.lead.ssn of row {lead.external_id.hex}: this value was" in caplog.text
    for number in (SSN, OWNER_SSN, SSN[-4:], OWNER_SSN[-4:]):
        assert not [page for page in pages if number in page]
        assert number not in caplog.text
    assert chief.get("/admin/onboarding/lead/").status_code == 200  # the others can be worked on


def swap_by_sql(lead, other):
    """Exchange the encrypted SSNs of two leads, as somebody with access to the table may."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT id, ssn FROM onboarding_lead")
        ssn = dict(cursor.fetchall())
        for row, value in ((lead, ssn[other.pk]), (other, ssn[lead.pk])):
            cursor.execute("UPDATE onboarding_lead SET ssn = %s WHERE id = %s", [value, row.pk])

import re

import pytest
from django.contrib.admin.models import LogEntry

from onboarding.admin.people import render_address
from onboarding.choices import Supplier
from onboarding.models import Owner
from onboarding.services.leads.merging import merge_into

SSN, EIN = "912-45-6781", "98-7654320"
PASSPORT, ID_NUMBER = "PA55PORT4711", "NAT10NAL0815"
OWNER_SSN = "923-56-7892"


@pytest.fixture
def lead(make_lead, make_application, make_owner, make_document):
    lead = make_lead(
        ssn=SSN,
        ein=EIN.replace("-", ""),
        passport_number=PASSPORT,
        id_gov_number=ID_NUMBER,
        supplied_by={"city": "APPLICANT", "ssn": "APPLICANT"},
        city="Bath",
    )
    make_application(lead)
    make_owner(lead, ssn=OWNER_SSN, passport_number=PASSPORT, id_gov_number=ID_NUMBER)
    make_document(lead)
    return lead


def test_no_page_shows_a_personal_number(lead, every_page):
    pages = dict(every_page())

    shown = "".join(pages.values())
    assert f"/admin/onboarding/lead/{lead.pk}/change/" in pages
    assert f"/admin/onboarding/owner/{Owner.objects.get().pk}/history/" in pages
    for number in (SSN, EIN, PASSPORT, ID_NUMBER, OWNER_SSN):
        assert number not in shown
        assert number.replace("-", "") not in shown
        assert f"••••{number[-4:]}" in shown


def test_no_page_shows_what_opens_an_application(lead, every_page):
    application = lead.applications.get()

    shown = "".join(page for _, page in every_page())

    assert str(application.external_id) in shown
    assert application.link_digest not in shown
    assert application.token_digest not in shown


def test_every_page_keeps_the_content_security_policy(lead, every_page):
    for path, page in every_page():
        assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)", page), path
        assert not re.search(r'(?:src|href)="(?:https?:)?//', page), path


def test_the_history_of_changes_has_no_personal_number(lead, chief, every_page):
    list(every_page())
    chief.post(f"/admin/onboarding/lead/{lead.pk}/change/", {"ssn": SSN})

    assert not LogEntry.objects.exists()


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

"""Personal numbers: no page of the applicant tells whether a typed one equals the stored one.

A partner can open the pages in its frame, with the token that it was given.
"""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from foundation.privacy.fields import encrypted_names
from onboarding.choices import HolderKind
from onboarding.models import Event, Holder, Lead, Owner
from tests.onboarding.api.test_personal_numbers import STORED, VARYING
from tests.onboarding.flow.test_code_before_signature import Frame
from tests.random_values import without_random_values

NONCES = re.compile(r'nonce="[^"]+"|nonce-[^\']+|value="[\w:.-]{60,}"|data-seconds="\d+"')
PAGES = {  # by column of a lead: the page that asks for it
    "ein": "business",
    "id_gov_number": "you",
    "passport_number": "you",
    "ssn": "you",
}
GRACE = {"first_name": "Grace", "last_name": "Example", "email": "grace@example.com"}
OF_OWNER = sorted(encrypted_names(Owner))


class Hosted:
    """The pages of the bank, entered by the mailed code."""

    def __init__(self, flow):
        self.flow, self.root = flow, flow.root
        flow.come_in()

    def get(self, name):
        return self.flow.get(name)

    def post(self, name, data):
        return self.flow.send(name, data)


@pytest.fixture
def attempt(make_flow, make_lead, make_owner, make_partner):
    """Store a number of the applicant, send one by a page, and return all that can be seen."""

    def attempt(way_in, name, sent, *, is_owners):
        number = {name: STORED[name][0], "supplied_by": {name: "APPLICANT"}}
        names = {"email": "ada@example.com", "business_name": "Analytical Engines LLC"}
        lead = make_lead(make_partner(), **names, country="DE", **({} if is_owners else number))
        page = PAGES.get(name, "you")
        if is_owners:
            owner = make_owner(lead, **GRACE, **number)
            page = f"owners/{owner.external_id}"
        return _send(way_in(make_flow(lead)), lead, page, name, sent)

    return attempt


def _send(browser, lead, page, name, sent):
    """Send a number by a page, and return all that can be seen."""
    form = browser.get(page).context["form"]
    shown = {one: form[one].value() or "" for one in form.fields}
    assert name in shown
    with CaptureQueriesContext(connection) as captured:
        answer = browser.post(page, {**shown, name: sent})
    lead.refresh_from_db()
    events = Event.objects.filter(lead=lead).order_by("number")
    return {
        "answer": (answer.status_code, _plain(answer)),
        "next page": without_random_values(answer.get("Location", "").rpartition("/")[2]),
        "statements": [query["sql"].split()[0] for query in captured],
        "page": _plain(browser.get(page)),
        "is_touched": lead.updated_at > lead.created_at,
        "events": without_random_values(
            str(events.values_list("type", "role", "details", "sequence"))
        ),
    }


def _plain(response):
    """Return a page without what differs between two leads."""
    text = NONCES.sub("*", VARYING.sub("*", without_random_values(response.content.decode())))
    return re.sub(r"/apply/[\w-]+|Partner \d+", "*", text)


def test_every_encrypted_field_is_tried():
    assert {*encrypted_names(Lead)} == {*PAGES}
    assert {*OF_OWNER} <= {*STORED}
    assert encrypted_names(Holder) == ("ein",)


@pytest.mark.parametrize("way_in", [Hosted, Frame])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_of_the_applicant_does_not_tell(attempt, way_in, name):
    right, wrong = (attempt(way_in, name, sent, is_owners=False) for sent in STORED[name])

    assert right == wrong


@pytest.mark.parametrize("way_in", [Hosted, Frame])
@pytest.mark.parametrize("name", OF_OWNER)
def test_a_page_of_an_owner_does_not_tell(attempt, way_in, name):
    right, wrong = (attempt(way_in, name, sent, is_owners=True) for sent in STORED[name])

    assert right == wrong


@pytest.mark.parametrize("way_in", [Hosted, Frame])
def test_a_page_of_a_trust_does_not_tell(way_in, make_flow, make_lead, make_partner):
    def attempt(sent):
        lead = make_lead(make_partner(), email="ada@example.com", ownership_percent=10)
        trust = Holder.objects.create(
            lead=lead,
            kind=HolderKind.TRUST,
            name="Harbor Family Trust",
            ein=STORED["ein"][0],
            share_percent=40,
            is_rest_small=True,
            created_at=lead.created_at,
        )
        browser = way_in(make_flow(lead))
        return _send(browser, lead, f"owners/holders/{trust.external_id}", "ein", sent)

    right, wrong = map(attempt, STORED["ein"])

    assert right == wrong
    assert [one.ein for one in Holder.objects.order_by("pk")] == [*STORED["ein"]]


class TestNumbersOnTheReview:
    """The review shows a number in full, on request, to who typed it in the session."""

    def test_only_what_was_typed_in_the_session_is_shown(self, flow):
        flow.fill_in("you", ssn="223-45-6781")

        shown, asked = (text_of(flow.get(f"review{query}")) for query in ("", "?numbers"))
        flow.come_in()
        later = text_of(flow.get("review?numbers"))

        assert "223-45-6781" not in shown
        assert "?numbers" in shown
        assert "223-45-6781" in asked
        assert "223-45-6781" not in later

    def test_a_partners_number_is_not_shown(self, flow):
        page = text_of(flow.get("review?numbers"))

        assert "123-45-6789" not in page
        assert "ending in 6789" in page

    def test_a_number_that_another_session_replaced_is_not_shown(self, flow):
        flow.fill_in("you", ssn="223-45-6781")
        lead = flow.lead
        lead.ssn = "323456789"
        lead.save()

        assert "323-45-6789" not in text_of(flow.get("review?numbers"))


def text_of(response):
    return response.content.decode()

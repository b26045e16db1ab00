"""Who may open documents: by role, and outside of cases with a reason."""

import pytest
from django.contrib.auth.models import Group

from banking.models import User
from onboarding.event_types import EventType
from onboarding.models import Event
from tests.factories import make_application, make_document, make_lead
from tests.staff import sign_in

DOCUMENTS = "/admin/onboarding/document/"
SAID = {"reason": "EXAMINATION", "note": "Examination of May"}

pytestmark = pytest.mark.django_db


@pytest.fixture
def document():
    lead = make_lead()
    make_application(lead)
    return make_document(lead)


def client_of(role):
    user = User.objects.create_user(f"{role.lower()}@example.com", user_type="STAFF")
    user.groups.set(Group.objects.filter(name=role))
    return sign_in(user)


def open_it(client, document, **sent):
    return client.post(f"{DOCUMENTS}{document.pk}/open/", sent)


@pytest.mark.parametrize("role", ["Reviewer", "Approver"])
def test_who_works_on_cases_opens_without_a_reason(document, role):
    assert open_it(client_of(role), document).status_code == 303
    assert "reason" not in Event.objects.get(type=EventType.DOCUMENT_OPENED).details


@pytest.mark.parametrize("role", ["Viewer", "Auditor"])
def test_others_are_asked_why_and_the_reason_is_recorded(document, role):
    client = client_of(role)

    asked = open_it(client, document, pane="1")
    assert (asked.status_code, "Why do you open" in asked.text) == (200, True)
    assert 'name="pane" value="1"' in asked.text
    assert not Event.objects.exists()
    opened = open_it(client, document, pane="1", **SAID)

    assert opened.status_code == 303
    details = Event.objects.get(type=EventType.DOCUMENT_OPENED).details
    assert (details["reason"], details["note"]) == ("EXAMINATION", "Examination of May")
    assert client.get(opened["Location"]).status_code == 200


@pytest.mark.parametrize(
    "sent",
    [
        {"reason": "", "note": "Examination"},
        {"reason": "NONE", "note": "Examination"},
        {"reason": "EXAMINATION", "note": ""},
        {"reason": "EXAMINATION", "note": "x"},
        {"reason": "EXAMINATION", "note": "SSN 123-45-6789"},
    ],
)
def test_no_reason_opens_nothing(document, sent):
    answer = open_it(client_of("Viewer"), document, **sent)

    assert answer.status_code == 422
    assert not Event.objects.exists()


@pytest.mark.parametrize("role", ["Administrator", "Operations"])
def test_administrators_and_clerks_open_nothing(document, role):
    client = client_of(role)

    assert open_it(client, document, **SAID).status_code == 403
    assert not Event.objects.exists()


def test_an_administrator_sees_no_button(document):
    client = client_of("Administrator")
    case = document.lead.applications.get()

    for page in (f"{DOCUMENTS}{document.pk}", f"/admin/onboarding/application/{case.pk}"):
        assert f"/document/{document.pk}/open/" not in client.get(f"{page}/change/").text


def test_a_token_ends_with_the_permission(document):
    client = client_of("Reviewer")
    opened = open_it(client, document)["Location"]
    User.objects.get(email="reviewer@example.com").groups.set(
        Group.objects.filter(name="Administrator")
    )

    assert client.get(opened).status_code == 403

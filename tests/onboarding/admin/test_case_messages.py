"""Messages on the case page: who may send them, templates, and the answer."""

import pytest

from onboarding.choices import ApplicationStatus as Status
from onboarding.models import MessageTemplate
from onboarding.services.reviews import messages
from tests.factories import NOON, later

VIEW = ("view_application", "view_note", "view_lead")


@pytest.fixture
def case(make_application, make_lead):
    return make_application(make_lead(first_name="Ada"), status=Status.IN_REVIEW)


def path_of(case, step):
    return f"/admin/onboarding/application/{case.pk}/{step}/"


def test_support_writes_without_a_claim_and_sees_the_answer_escaped(case, make_staff):
    support = make_staff(*VIEW, "message_applicant")

    assert "template" not in support.get(path_of(case, "change")).content.decode()
    support.post(path_of(case, "message"), {"text": "Which floor is it?"})
    messages.add_reply(case, "The <b>third</b>", at=later(hours=1))
    page = support.get(path_of(case, "change")).content.decode()

    assert case.notes.get().is_for_applicant
    assert "Which floor is it?" in page
    assert "The &lt;b&gt;third&lt;/b&gt;" in page
    assert "Mark the answer as read" in page
    support.post(path_of(case, "read_answer"))
    assert "Mark the answer as read" not in support.get(path_of(case, "change")).content.decode()


def test_a_template_is_sent_with_the_facts_of_the_case(case, make_staff):
    MessageTemplate.objects.create(name="Hello", text="Dear {first_name}", text_es="Hola")
    template = MessageTemplate.objects.get()
    support = make_staff(*VIEW, "message_applicant")

    page = support.get(path_of(case, "change")).content.decode()
    support.post(path_of(case, "message"), {"template": template.pk, "text": ""})

    assert 'data-text="Dear Ada"' in page
    assert "Empty: the text of the template." in page
    assert case.notes.get().text == "Dear Ada"


def test_an_empty_message_is_refused(case, make_staff):
    support = make_staff(*VIEW, "message_applicant")

    assert support.post(path_of(case, "message"), {"text": " "}).status_code == 422
    assert not case.notes.exists()


def test_who_may_only_look_sends_nothing(case, make_staff):
    viewer = make_staff(*VIEW)

    assert "Send message" not in viewer.get(path_of(case, "change")).content.decode()
    assert viewer.post(path_of(case, "message"), {"text": "Hello"}).status_code == 403


def test_the_queue_of_answers_lists_the_case(case, chief, make_user):
    messages.send_message(case, "Hello", by=make_user(user_type="STAFF"), at=NOON)
    messages.add_reply(case, "Hello!", at=later(hours=1))

    page = chief.get("/admin/onboarding/application/?queue=answered").content.decode()

    assert "Answered" in page
    assert case.lead.email in page


def test_a_note_is_written_from_a_template(case, make_staff):
    MessageTemplate.objects.create(name="Called", text="Called {first_name}.", is_for_notes=True)
    template = MessageTemplate.objects.get()
    staff = make_staff(*VIEW, "review_application", "message_applicant")

    page = staff.get(path_of(case, "change")).content.decode()
    staff.post(path_of(case, "note"), {"template": template.pk, "text": ""})
    empty = staff.post(path_of(case, "note"), {"text": " "})

    assert page.count('data-text="Called Ada."') == 1  # not offered as a message
    note = case.notes.get()
    assert (note.text, note.is_for_applicant) == ("Called Ada.", False)
    assert "Enter a note or choose a template." in empty.content.decode()

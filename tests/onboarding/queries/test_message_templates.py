"""Message templates: placeholders and languages."""

import pytest
from django.core.exceptions import ValidationError

from onboarding.models import MessageTemplate
from onboarding.queries.message_templates import list_messages_of_templates, list_notes_of_templates


def make(**values):
    texts = {"text": "Dear {first_name} of {business_name}", "text_es": "Hola, {first_name}"}
    return MessageTemplate.objects.create(**{"name": "Greeting", **texts, **values})


def test_placeholders_are_replaced_by_the_facts_of_the_case(make_application, make_lead):
    application = make_application(make_lead(first_name="Ada", business_name="{reference}"))
    template = make(text="{first_name}, {partner_name}, {reference}")

    [(found, text)] = list_messages_of_templates(application)

    assert found == template
    assert text == f"Ada, {application.lead.partner.shown_name}, {application.reference}"


def test_without_templates_nothing_is_listed(make_application):
    assert list_messages_of_templates(make_application()) == []


@pytest.mark.parametrize("text", ["{ssn}", "{", "}", "{first_name.__class__}", "{{first_name}}"])
def test_other_placeholders_are_refused(text, db):
    with pytest.raises(ValidationError, match="Only these placeholders"):
        MessageTemplate(name="Bad", text=text, text_es="Bien").full_clean()


def test_notes_and_messages_have_templates_of_their_own(make_application, make_lead):
    application = make_application(make_lead(first_name="Ada"))
    message = make()
    note = make(name="Called", text="Called {first_name}.", text_es="", is_for_notes=True)

    assert [one for one, _ in list_messages_of_templates(application)] == [message]
    assert list_notes_of_templates(application) == [(note, "Called Ada.")]


def test_a_message_needs_a_spanish_text_and_a_note_none(db):
    with pytest.raises(ValidationError, match="Spanish"):
        MessageTemplate(name="Hello", text="Hello").full_clean()
    MessageTemplate(name="Called", text="Called.", is_for_notes=True).full_clean()

"""Message templates: placeholders and languages."""

import pytest
from django.core.exceptions import ValidationError

from onboarding.models import MessageTemplate
from onboarding.queries.message_templates import list_messages_of_templates


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

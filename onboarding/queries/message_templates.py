"""Message templates with the facts of an application in the place of their placeholders."""

from django.utils.translation import gettext, override

from onboarding.models import Application, MessageTemplate
from onboarding.queries.applications import ENGLISH, get_reading_language
from onboarding.queries.staff_texts import translated
from onboarding.validators import PLACEHOLDERS


def list_messages_of_templates(application: Application) -> list[tuple[MessageTemplate, str]]:
    """Return each template with its text for the applicant, in the applicant's language."""
    templates = _list_templates(application, is_for_notes=False)
    if not templates:
        return []
    language = get_reading_language(application)
    facts = _facts(application, language)
    return [(one, fill_in(one, facts, language=language)) for one in templates]


def list_notes_of_templates(application: Application) -> list[tuple[MessageTemplate, str]]:
    """Return each template of a note with its text about the application, in English."""
    templates = _list_templates(application, is_for_notes=True)
    facts = _facts(application, ENGLISH) if templates else {}
    return [(one, fill_in(one, facts, language=ENGLISH)) for one in templates]


def _list_templates(application: Application, *, is_for_notes: bool) -> list[MessageTemplate]:
    """Return the templates of messages or of notes. All are read once for an application object."""
    kept = vars(application)
    if "read_templates" not in kept:
        kept["read_templates"] = list(MessageTemplate.objects.all())
    return [one for one in kept["read_templates"] if one.is_for_notes == is_for_notes]


def fill_in(template: MessageTemplate, facts: dict[str, str], *, language: str) -> str:
    """Return the text of a template with facts instead of its placeholders."""
    text = translated(template, "text", language=language)
    for name in PLACEHOLDERS:
        text = text.replace(f"{{{name}}}", facts[name])
    return text


def _facts(application: Application, language: str) -> dict[str, str]:
    lead = application.lead
    with override(language):
        return {
            "first_name": lead.first_name,
            "business_name": lead.business_name or gettext("your business"),
            "partner_name": lead.partner.shown_name,
            "reference": application.reference,
        }

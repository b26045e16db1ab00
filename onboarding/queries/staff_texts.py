"""Texts for applicants that staff wrote in English and Spanish, in any language of the pages."""

from django.utils import translation

from onboarding.models import DocumentRule, MessageTemplate


def translated(row: DocumentRule | MessageTemplate, name: str, *, language: str) -> str:
    """Return a text of a row in a language: `name` is the field of the English text.

    Spanish has a field of its own. The catalogue of another language may have the English text;
    without it, the text is English.
    """
    english: str = getattr(row, name)
    if own := getattr(row, f"{name}_{language.partition('-')[0]}", ""):
        return str(own)
    with translation.override(language):
        # browsers send other line ends than catalogues have; an empty text finds their head
        return translation.gettext(english.replace("\r\n", "\n")) if english else ""

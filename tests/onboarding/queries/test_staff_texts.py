"""Texts that staff wrote: their own Spanish, the catalogue of another language, else English."""

import pytest
from django.utils.translation import trans_real

from onboarding.models import DocumentRule, MessageTemplate
from onboarding.queries.staff_texts import translated

TEMPLATE = MessageTemplate(text="Hello, {first_name}.\r\nBye.", text_es="Hola.")


@pytest.fixture
def _portuguese(settings):
    """Let there be a language whose catalogue has texts that staff wrote in English."""
    settings.LANGUAGES = [*settings.LANGUAGES, ("pt-br", "Português")]
    made = trans_real.DjangoTranslation("pt-br")
    texts = {"Hello, {first_name}.\nBye.": "Olá, {first_name}.", "": "Head"}
    made._catalog = texts  # noqa: SLF001 - Django has no other way in
    trans_real._translations["pt-br"] = made  # noqa: SLF001 - as above
    yield
    del trans_real._translations["pt-br"]  # noqa: SLF001 - as above


@pytest.mark.usefixtures("_portuguese")
@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "Hello, {first_name}.\nBye."),
        ("es", "Hola."),
        ("es-mx", "Hola."),
        ("pt-br", "Olá, {first_name}."),
    ],
)
def test_each_language_has_its_text(language, text):
    assert translated(TEMPLATE, "text", language=language) == text


@pytest.mark.usefixtures("_portuguese")
@pytest.mark.parametrize("language", ["en", "es", "pt-br"])
def test_english_stands_in_for_a_missing_text(language):
    rule = DocumentRule(message="A letter of the landlord.")

    assert translated(rule, "message", language=language) == "A letter of the landlord."
    assert translated(DocumentRule(), "message", language=language) == ""

"""Legal texts: which version is current, and that each is whole in each language."""

import pytest
from django.conf import settings

from onboarding import legal_texts
from onboarding.choices import LegalText
from onboarding.legal_texts import Paragraph

PATHS = sorted(legal_texts.FOLDER.glob("*/*.md"))
SOURCE = """> Not the real one.

# A title

First paragraph
over two lines.

## A heading

Second paragraph.
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Keep legal texts in a folder of the test's own."""
    monkeypatch.setattr(legal_texts, "FOLDER", tmp_path)
    forget()
    yield tmp_path
    forget()


def forget():
    legal_texts.current.cache_clear()
    legal_texts.read.cache_clear()


def write(folder, version, name, source=SOURCE):
    path = folder / version / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(source)


def test_a_file_is_read_by_paragraphs(folder):
    write(folder, "2026-11", "PRIVACY_NOTICE.en.md")

    document = legal_texts.current(LegalText.PRIVACY_NOTICE, "en")

    assert (document.text, document.version) == (LegalText.PRIVACY_NOTICE, "2026-11")
    assert (document.title, document.notice) == ("A title", "Not the real one.")
    assert document.paragraphs == (
        Paragraph("First paragraph over two lines."),
        Paragraph("A heading", is_heading=True),
        Paragraph("Second paragraph."),
    )


def test_the_newest_version_of_each_text_is_current_and_older_ones_stay(folder):
    for version in ("2026-11", "2027-02"):
        write(folder, version, "PRIVACY_NOTICE.en.md", f"# Of {version}\n\nWords.")
    write(folder, "2026-11", "ACCOUNT_AGREEMENT.en.md")

    newest = legal_texts.current(LegalText.PRIVACY_NOTICE, "en")
    older = legal_texts.read(LegalText.PRIVACY_NOTICE, "2026-11", "en")

    assert (newest.version, older.title) == ("2027-02", "Of 2026-11")
    assert legal_texts.current(LegalText.ACCOUNT_AGREEMENT, "en").version == "2026-11"


def test_a_text_without_a_translation_is_shown_and_recorded_in_english(folder):
    write(folder, "2026-11", "PRIVACY_NOTICE.en.md")

    assert legal_texts.current(LegalText.PRIVACY_NOTICE, "es").language == "en"


def test_a_version_that_never_was_is_refused(folder):
    with pytest.raises(legal_texts.NoSuchText):
        legal_texts.read(LegalText.PRIVACY_NOTICE, "1999-01", "en")


@pytest.mark.parametrize("text", LegalText)
@pytest.mark.parametrize("language", [code for code, _ in settings.LANGUAGES])
def test_every_text_is_there_in_every_language(text, language):
    document = legal_texts.current(text, language)

    assert document.language == language
    assert document.title
    assert len(document.paragraphs) > 3


@pytest.mark.parametrize("path", PATHS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_file_says_at_its_top_that_it_is_a_placeholder(path):
    name, language, _suffix = path.name.split(".")

    document = legal_texts.read(LegalText(name), path.parent.name, language)

    assert path.read_text().startswith("> ")
    assert {"en": "placeholder", "es": "provisional"}[language] in document.notice

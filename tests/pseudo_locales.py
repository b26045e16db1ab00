"""Languages made of the English texts, with marks that show where a page has none or is too narrow.

Esperanto stands for a language with long words and other letters, Arabic for one that is read from
right to left. A page in one of them has no plain letter but those of names and numbers.
"""

import re

import pytest
from django.utils.translation import trans_real
from lxml import html

LONG, MIRRORED = "eo", "ar"
LANGUAGES = [("en", "English"), ("es", "Español"), (LONG, "Esperanto"), (MIRRORED, "العربيّة")]
MARKS = re.compile(r"%\(\w+\)[a-z]|%[sd%]|\{\w*\}|<[^>]*>|&\w+;|https?://\S+|\n")
PLAIN, FOREIGN = "abcdefghijklmnopqrstuvwxyz", "áƀćđéƒǥĥíĵķłḿńóṕɋŕśťúṽẃẋýž"
LETTERS = str.maketrans(PLAIN + PLAIN.upper(), FOREIGN + FOREIGN.upper())
LONGER = 0.35  # German and Spanish need that much more room than English
WORD = re.compile(r"[A-Za-z]{3,}")
SPOKEN = ["title", "alt", "aria-label", "placeholder", "aria-description"]


class PseudoCatalog:
    """A catalogue that has a translation of everything."""

    def get(self, message, default=None):
        """Return the translation of a text; a context is left out."""
        return translate(message) if isinstance(message, str) and message else default

    def plural(self, message, _number):
        """Return the translation for any number."""
        return translate(message)


def translate(text):
    """Return a text in other letters and longer, with its placeholders and tags as they are."""
    text = text.rpartition("\4")[2]
    words, last = [], 0
    for mark in MARKS.finditer(text):
        words += [text[last : mark.start()].translate(LETTERS), mark[0]]
        last = mark.end()
    words.append(text[last:].translate(LETTERS))
    more = int(len(text) * LONGER)
    return "".join([*words, "·" * (more % 8), " ········" * (more // 8)])


@pytest.fixture
def pseudo_locales(settings):
    """Let pages be read in both of the languages."""
    settings.LANGUAGES = LANGUAGES
    for language in (LONG, MIRRORED):
        made = trans_real.DjangoTranslation(language)
        made._catalog = PseudoCatalog()  # noqa: SLF001 - Django has no other way in
        trans_real._translations[language] = made  # noqa: SLF001 - as above
    _forget()
    yield
    for language in (LONG, MIRRORED):
        del trans_real._translations[language]  # noqa: SLF001 - as above
    _forget()


def _forget():
    trans_real.get_languages.cache_clear()
    trans_real._get_supported_language_variant.cache_clear()  # noqa: SLF001 - as above


def left_over(page, data):
    """Return the words of a page that no catalogue has translated, but for those of `data`."""
    tree = html.document_fromstring(page)
    for element in tree.xpath("//script | //style | //option | //time | //code"):
        element.drop_tree()
    spoken = [value for name in SPOKEN for value in tree.xpath(f"//@{name}")]
    names = {word for text in data for word in WORD.findall(text)}
    found = {word for text in [*tree.itertext(), *spoken] for word in WORD.findall(text)}
    return sorted(found - names)

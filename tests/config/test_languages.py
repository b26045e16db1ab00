"""The language of an answer, and the Spanish for all that pages say."""

import ast
import gettext
import re
import shutil
import subprocess

import pytest
from django.conf import settings
from django.test import Client
from django.utils import translation
from django.utils.translation.template import templatize

PO = settings.BASE_DIR / "locale/es/LC_MESSAGES/django.po"
MO = PO.with_suffix(".mo")
SPANISH = {"accept-language": "es-MX,es;q=0.9,en;q=0.5"}
HOW = "Mend locale/es/LC_MESSAGES/django.po, each text on one line; then run: make texts"
PLACEHOLDERS = re.compile(r"%\(\w+\)\w")
CALLS = {"_", "gettext", "gettext_lazy", "gettext_noop", "ngettext", "ngettext_lazy"}
IN_TEMPLATES = re.compile(r"""\bn?gettext\(\s*u?("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')""")
IN_TAGS = re.compile(r"""\b_\(\s*u?("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')""")

pytestmark = pytest.mark.django_db


def strings_in_python():
    for folder in ("foundation", "mcp_server", "config", "banking", "onboarding"):
        for path in (settings.BASE_DIR / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Call) and getattr(node.func, "id", "") in CALLS:
                    yield ast.literal_eval(node.args[0]), path


def strings_in_templates():
    for folder in ("banking", "mcp_server", "oauth2_provider", "onboarding"):
        for path in (settings.BASE_DIR / "templates" / folder).rglob("*.*"):
            code = templatize(path.read_text())
            for found in [*IN_TEMPLATES.findall(code), *IN_TAGS.findall(code)]:
                yield ast.literal_eval(found), path


def written():
    """Return what the .po says: each string with its translations."""
    entries = {}
    for block in PO.read_text().split("\n\n")[1:]:
        pairs = re.findall(r'^(msgid|msgid_plural|msgstr(?:\[\d\])?) (".*")$', block, re.M)
        values = [(key, ast.literal_eval(text)) for key, text in pairs]
        entries[dict(values)["msgid"]] = [text for key, text in values if key.startswith("msgstr")]
    return entries


def compiled():
    with MO.open("rb") as file:
        return gettext.GNUTranslations(file)


def test_no_spanish_is_missing():
    known = written()
    missing = {
        text: path.name
        for text, path in [*strings_in_python(), *strings_in_templates()]
        if not all(known.get(text, [""]))
    }

    assert not missing, HOW


def test_no_spanish_is_left_over_or_doubtful():
    used = {text for text, _ in [*strings_in_python(), *strings_in_templates()]}
    left_over = written().keys() - used

    assert not left_over, f"No code uses {left_over}. {HOW}"
    assert "fuzzy" not in PO.read_text()


def test_the_compiled_file_is_current():
    catalogue = compiled()

    for text, spanish in written().items():
        if len(spanish) == 1:
            assert catalogue.gettext(text) == spanish[0], HOW


def test_the_compiled_file_is_what_gettext_makes(tmp_path):
    msgfmt = shutil.which("msgfmt")
    if msgfmt is None:
        pytest.skip("there is no msgfmt to ask")
    made = tmp_path / "django.mo"

    subprocess.run([msgfmt, "--check-format", "-o", made, PO], check=True)

    with made.open("rb") as file:
        assert vars(gettext.GNUTranslations(file))["_catalog"] == vars(compiled())["_catalog"], HOW


def test_placeholders_survive_the_translation():
    for text, spanish in written().items():
        wanted = {name for one in spanish for name in PLACEHOLDERS.findall(one)}
        assert wanted >= {*PLACEHOLDERS.findall(text)}


def test_the_spanish_says_usted_and_one_word_for_one_thing():
    """The IRS calls a sole proprietor "propietario único"; quotation marks are «these»."""
    doubtful = re.compile(
        r"\b(tú|ti|contigo|vos|puedes|tienes|debes|quieres|empresario|caduc\w+|pulse)\b|[“”]",
        re.IGNORECASE,
    )

    assert not [one for texts in written().values() for one in texts if doubtful.search(one)]


@pytest.mark.parametrize(
    "path", ["/sign-in", "/password-reset", "/connect", "/reminders/of-nobody"]
)
def test_pages_follow_the_browser(path):
    answer = Client(headers=SPANISH).get(path)

    assert '<html lang="es">' in answer.content.decode()
    assert answer["Content-Language"] == "es"
    assert "Accept-Language" in answer["Vary"]


@pytest.mark.parametrize("wanted", ["fr", "", "xx-zz;q=abc"])
def test_english_is_for_everybody_else(wanted):
    answer = Client(headers={"accept-language": wanted}).get("/sign-in")

    assert '<html lang="en">' in answer.content.decode()


def test_the_switch_outweighs_the_browser():
    client = Client(headers=SPANISH)

    answer = client.post("/language", {"language": "en", "next": "/sign-in?next=/connect"})

    assert answer["Location"] == "/sign-in?next=/connect"
    cookie = answer.cookies["language"]
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"
    assert '<html lang="en">' in client.get("/sign-in").content.decode()


def test_the_switch_leads_nobody_elsewhere():
    answer = Client().post("/language", {"language": "es", "next": "https://evil.example.com/"})

    assert answer["Location"] == "/"


@pytest.mark.parametrize("path", ["/admin/login/", "/service/api/v1/nowhere", "/mcp", "/nowhere"])
def test_all_else_stays_english(path):
    spanish = Client(headers=SPANISH)
    spanish.cookies["language"] = "es"

    answer = spanish.get(path)

    assert "Content-Language" not in answer
    assert 'lang="es"' not in answer.content.decode()


def test_the_language_ends_with_the_answer():
    Client(headers=SPANISH).get("/sign-in")

    assert translation.get_language() == "en"

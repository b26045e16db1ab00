"""Scripts of PDF forms."""

import pytest

from foundation.pdf.scripts import is_harmless_script

HARMLESS = [
    "",
    'AFNumber_Format(2, 0, 0, 0, "", true);',
    "AFDate_KeystrokeEx('mm/dd/yyyy');",
    "AFSimple_Calculate('SUM', new Array('a', 'b'));",
    "event.value = event.value.toUpperCase();",
    "var maxLength = 8; // no eval()\rif (event.value.length != maxLength) event.rc = false",
    'app.alert("Please call (555) 555-0100. \\"eval\\"");',
]
ACTIVE = [
    "app.launchURL('http://example.com')",
    "eval(x)",
    "this['ev' + 'al'](1)",
    "event.value = `${x}`",
    '/"/; evil(); /"/',
    "// a comment\u2028evil()",
    "ev\\u0061l(1)",
    '<!-- "\nevil() // "',
    '"\nevil() // "',
    "/* open ' evil() '",
    "event.target",
]


@pytest.mark.parametrize("text", HARMLESS)
def test_formats_and_arithmetic_of_fields_are_harmless(text):
    assert is_harmless_script(text)


@pytest.mark.parametrize("text", ACTIVE)
def test_whatever_else_is_not(text):
    assert not is_harmless_script(text)

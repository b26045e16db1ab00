"""The audits of pages find a field without a label, and colors without contrast in each scheme."""

import pytest

from tests.e2e import axe

PAGE = """<!doctype html><html lang="en"><title>A page</title>
<style>:root { color-scheme: light dark; background: light-dark(#fff, #000) }</style>
<main><h1 style="color: %s">A heading</h1><input></main>"""

pytestmark = pytest.mark.one_database


@pytest.mark.parametrize(
    ("color", "found"),
    [
        ("#222", [("light", "label"), ("dark", "color-contrast")]),
        ("#ddd", [("light", "color-contrast"), ("light", "label")]),
        ("light-dark(#222, #ddd)", [("light", "label")]),
        (
            "light-dark(#ddd, #222)",
            [("light", "color-contrast"), ("light", "label"), ("dark", "color-contrast")],
        ),
    ],
)
def test_an_audit_finds_the_faults_of_each_scheme(chromium, script, color, found):
    page = chromium.new_context().new_page()
    page.set_content(PAGE % color)
    rules = []

    for scheme, judged in axe.SCHEMES.items():
        page.emulate_media(color_scheme=scheme)
        rules += [(scheme, rule) for rule, _ in axe.findings(page, script, judged)]
    page.context.close()

    assert rules == found

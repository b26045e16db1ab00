"""The facts that all mails share."""

from onboarding.services.mails.facts import facts_of_partner, in_one_line
from tests.factories import make_partner


def test_a_name_has_no_line_breaks():
    assert in_one_line("Ben & Co\r\nBcc: eve@example.com ") == "Ben & Co Bcc: eve@example.com"


def test_a_partner_without_a_color_has_the_banks(db):
    assert facts_of_partner(make_partner())["color"] == "#0f5b6e"
    assert facts_of_partner(make_partner(brand_color="#7a1f5c"))["color"] == "#7a1f5c"

"""Legibility: what is refused, what is doubted, and what is taken."""

import pytest

from onboarding.choices import DocumentDoubt
from onboarding.legibility import GOOD, Fault, Verdict, judge
from tests.id_pictures import card, pages, surface

JPEG, PNG, PDF = "image/jpeg", "image/png", "application/pdf"


@pytest.mark.parametrize(
    ("content", "mime"),
    [(card(), PNG), (card(form="JPEG"), JPEG), (pages("ADA BYRON"), PDF), (pages("", "ADA"), PDF)],
)
def test_what_can_be_read_is_taken(content, mime):
    assert judge(content, mime) == GOOD


@pytest.mark.parametrize(
    ("content", "mime", "fault"),
    [
        (b"ftypheic", "image/heic", Fault.FORMAT),
        (card(form="JPEG")[:-5000], JPEG, Fault.DAMAGED),
        (card(size=(200, 140)), PNG, Fault.SMALL),
        (surface(), PNG, Fault.BLANK),
        (surface("black"), PNG, Fault.BLANK),
        (b"%PDF-1.7\nnothing", PDF, Fault.DAMAGED),
        (pages("", ""), PDF, Fault.BLANK_PAGES),
    ],
)
def test_what_nobody_can_read_is_refused(content, mime, fault):
    assert judge(content, mime) == Verdict(fault)


@pytest.mark.parametrize(
    ("content", "doubt"),
    [
        (card(blur=14), DocumentDoubt.BLURRED),
        (card(light=0.12), DocumentDoubt.DARK),
        (card(size=(500, 350)), DocumentDoubt.SMALL),
        (card(size=(1400, 350)), DocumentDoubt.NARROW),
    ],
)
def test_what_may_not_be_legible_is_doubted(content, doubt):
    assert judge(content, PNG) == Verdict(doubt=doubt)

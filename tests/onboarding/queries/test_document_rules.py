"""The rules of the checklist, as the migrations wrote them and staff may change them."""

import pytest

from banking.choices import BusinessType
from onboarding.choices import LlcFileType
from onboarding.models import DocumentRule
from onboarding.queries.document_rules import list_document_rules

pytestmark = pytest.mark.django_db
EIN_PROOF = ("EIN_PROOF", ["IRS_EIN_LETTER", "SS4_DOCUMENT"])
ORGANIZATION = ("ARTICLES_OF_ORGANIZATION", ["ARTICLES_OF_ORGANIZATION"])
INCORPORATION = ("ARTICLES_OF_INCORPORATION", ["ARTICLES_OF_INCORPORATION"])
PARTNERSHIP = ("SIGNED_PARTNERSHIP_AGREEMENT", ["SIGNED_PARTNERSHIP_AGREEMENT"])
IDENTIFICATION = ("GOVERNMENT_IDENTIFICATION", ["GOVERNMENT_IDENTIFICATION"])


@pytest.mark.parametrize(
    ("business_type", "slots"),
    [
        ("LLC", [ORGANIZATION, EIN_PROOF]),
        ("MMLLC", [ORGANIZATION, EIN_PROOF, ("OPERATING_AGREEMENT", ["OPERATING_AGREEMENT"])]),
        ("S_CORP", [INCORPORATION, EIN_PROOF]),
        ("C_CORP", [INCORPORATION, EIN_PROOF]),
        ("GENERAL_PARTNERSHIP", [PARTNERSHIP, EIN_PROOF]),
        ("LLP", [PARTNERSHIP, EIN_PROOF]),
        ("DBA", [IDENTIFICATION]),
        ("SSN", [IDENTIFICATION]),
    ],
)
def test_each_business_type_has_its_slots(business_type, slots):
    rules = list_document_rules(business_type)

    assert [(rule.code, rule.accepted_types) for rule in rules] == slots


def test_all_rules_come_by_business_type():
    types = [rule.business_type for rule in list_document_rules()]

    assert types == sorted(types)
    assert set(types) == set(BusinessType.values)


def test_every_accepted_kind_is_one_that_can_be_sent():
    accepted = {kind for rule in list_document_rules() for kind in rule.accepted_types}

    assert accepted <= set(LlcFileType.values)


def test_a_slot_that_staff_add_comes_last():
    DocumentRule.objects.create(
        business_type="DBA", code="UTILITY_BILL", accepted_types=["UTILITY_BILL"], message="A bill."
    )

    assert [rule.code for rule in list_document_rules("DBA")] == [
        "GOVERNMENT_IDENTIFICATION",
        "UTILITY_BILL",
    ]


def test_an_unknown_business_type_has_none():
    assert not list_document_rules("GMBH")

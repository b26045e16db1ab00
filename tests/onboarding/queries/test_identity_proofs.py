"""Proofs of identity: both sides of a card, or one page of a passport."""

import pytest

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import DocumentStatus, IdentityStatus
from onboarding.models import Document, Lead
from onboarding.queries.identity_proofs import (
    CARD,
    IDENTITY_PROOFS,
    is_proven,
    list_kinds_for,
    list_lacking_sides,
)
from onboarding.queries.leads import open_lead_file
from tests.factories import NOON, later, make_application, make_document, make_lead, make_owner

PASSPORT = "PASSPORT"


def card(side=""):
    return Document(llc_file_type=CARD, side=side)


@pytest.mark.parametrize(
    ("sides", "lacking"),
    [
        ([], ["FRONT", "BACK"]),
        (["FRONT"], ["BACK"]),
        (["BACK"], ["FRONT"]),
        (["FRONT", "BACK"], []),
        ([""], []),
    ],
)
def test_a_card_is_shown_by_both_sides_or_whole(sides, lacking):
    documents = [card(side) for side in sides]

    assert list_lacking_sides(documents) == lacking
    assert is_proven(IDENTITY_PROOFS, documents) == (not lacking)


def test_a_passport_has_one_page():
    documents = [card("FRONT"), Document(llc_file_type=PASSPORT)]

    assert is_proven(IDENTITY_PROOFS, documents)
    assert not is_proven({CARD}, documents)


def test_a_side_that_is_asked_for_again_is_enough():
    assert is_proven({CARD}, [card("BACK")], side="BACK")
    assert not is_proven({CARD}, [card("FRONT")], side="BACK")
    assert is_proven({CARD}, [card()], side="BACK")


@pytest.mark.parametrize(
    ("answers", "first"),
    [
        ({}, CARD),
        ({"passport_number": "P1"}, PASSPORT),
        ({"id_gov_number": "I1", "passport_number": "P1"}, CARD),
    ],
)
def test_the_kind_that_the_person_answered_comes_first(answers, first):
    assert list_kinds_for(Lead(**answers), IDENTITY_PROOFS)[0] == first


# In the requirements of an application


@pytest.fixture
def sole(db):
    return make_application(make_lead(business_type="SSN"), status=Status.IN_PROGRESS)


def asked(application):
    """Return the requirements of documents, each with what is said and the missing sides."""
    found = open_lead_file(application).requirements
    return [(one.code, str(one.message), [*one.sides]) for one in found if one.accepted_types]


def test_a_side_of_a_card_leaves_the_other_one_missing(sole):
    make_document(sole.lead, llc_file_type=CARD, side="FRONT")

    code, back = "GOVERNMENT_IDENTIFICATION_MISSING", "The back of the government identification."
    assert asked(sole) == [(code, back, ["BACK"])]

    make_document(sole.lead, llc_file_type=CARD, side="BACK")
    assert asked(sole) == []


def test_a_partner_says_no_side_and_nothing_is_missing(sole):
    make_document(sole.lead, llc_file_type=CARD)

    assert asked(sole) == []


def test_the_card_of_an_owner_proves_nothing_about_the_applicant(sole):
    make_document(sole.lead, llc_file_type=CARD, owner=make_owner(sole.lead))

    [(code, _message, sides)] = asked(sole)
    assert (code, sides) == ("GOVERNMENT_IDENTIFICATION_MISSING", ["FRONT", "BACK"])


def test_a_proof_that_is_asked_for_later_needs_both_sides_since(make_application):
    application = make_application(status=Status.ID_VERIFICATION, status_changed_at=NOON)
    application.lead.identity_status = IdentityStatus.REQUESTED
    make_document(application.lead, llc_file_type=CARD, side="FRONT", uploaded_at=later(days=-1))
    make_document(application.lead, llc_file_type=CARD, side="BACK", uploaded_at=later(days=1))

    [(code, message, sides)] = asked(application)
    assert (code, sides) == ("IDENTITY_PROOF_MISSING", ["FRONT"])
    assert message == "The front of the government identification."

    make_document(application.lead, llc_file_type=PASSPORT, uploaded_at=later(days=1))
    assert asked(application) == []


def test_of_a_rejected_side_only_this_side_is_asked_for(sole):
    make_document(sole.lead, llc_file_type=CARD, side="FRONT")
    make_document(sole.lead, llc_file_type=CARD, side="BACK", status=DocumentStatus.REJECTED)
    request = {"llc_file_type": CARD.value, "reason": "Too dark.", "side": "BACK"}
    sole.document_requests = [request | {"requested_at": NOON.isoformat()}]

    assert asked(sole) == [("GOVERNMENT_IDENTIFICATION_REQUESTED", "Too dark.", ["BACK"])]

    make_document(sole.lead, llc_file_type=CARD, side="BACK", uploaded_at=later(days=1))
    assert asked(sole) == []

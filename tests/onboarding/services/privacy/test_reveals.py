"""Reveals: who wants to see a personal number says what for, and it is written down."""

import pytest

from onboarding.models import Application, Event, Owner
from onboarding.queries import audit
from onboarding.services.privacy import reveals
from onboarding.services.privacy.reveals import NothingToReveal
from onboarding.services.reviews.cases import Incomplete
from tests.factories import NOON
from tests.onboarding.cases import load, make_case, make_reviewer
from tests.onboarding.services.leads.test_submissions import make_complete_owner

REASON = "Compared with the passport."


@pytest.fixture
def ada(db):
    return make_reviewer("reveal_number")


@pytest.fixture
def case(db):
    return make_case(passport_number="C01X00T47")


@pytest.mark.parametrize("field", ["ssn", "ein", "passport_number"])
def test_a_number_of_the_applicant_is_shown_and_written_down(case, ada, field):
    number = reveals.reveal(case, case.lead, field, reason=f" {REASON} ", by=ada, at=NOON)

    assert number == getattr(case.lead, field)
    event = Event.objects.get()
    assert (event.type, event.who) == ("number.revealed", str(ada.external_id))
    assert event.details == {"field": field, "reason": REASON}
    assert list(audit.find_faults()) == []


def test_a_number_of_an_owner_names_the_owner(case, ada):
    owner = make_complete_owner(case.lead, ssn="323456789")

    number = reveals.reveal(case, owner, "ssn", reason=REASON, by=ada, at=NOON)

    assert number == "323456789"
    assert Event.objects.get().details["ubo_id"] == str(owner.external_id)


@pytest.mark.parametrize("reason", ["", "    ", "work", " a  b "])
def test_without_a_reason_nothing_is_shown(case, ada, reason):
    with pytest.raises(Incomplete):
        reveals.reveal(case, case.lead, "ssn", reason=reason, by=ada, at=NOON)

    assert not Event.objects.exists()


@pytest.mark.parametrize("reason", ["It is 123-45-6789.", "The last are 6789", "Call 5551234."])
def test_nobody_types_a_number_into_the_log(case, ada, reason):
    with pytest.raises(Incomplete, match="without a number"):
        reveals.reveal(case, case.lead, "ssn", reason=reason, by=ada, at=NOON)

    assert not Event.objects.exists()


def test_an_owner_who_was_removed_meanwhile_has_no_number(case, ada):
    owner = make_complete_owner(case.lead, ssn="323456789")
    Owner.objects.filter(pk=owner.pk).delete()

    with pytest.raises(NothingToReveal):
        reveals.reveal(case, owner, "ssn", reason=REASON, by=ada, at=NOON)

    assert not Event.objects.exists()


@pytest.mark.parametrize("field", ["email", "birth_date", "pk", "id_gov_number", "delete"])
def test_nothing_else_is_shown(case, ada, field):
    with pytest.raises(NothingToReveal):
        reveals.reveal(case, case.lead, field, reason=REASON, by=ada, at=NOON)

    assert not Event.objects.exists()


def test_owners_have_no_ein(case, ada):
    owner = make_complete_owner(case.lead)

    with pytest.raises(NothingToReveal):
        reveals.reveal(case, owner, "ein", reason=REASON, by=ada, at=NOON)


def test_nobody_of_another_case_is_shown(case, ada, make_owner):
    for stranger in (make_owner(ssn="323456789"), make_case().lead):
        with pytest.raises(NothingToReveal):
            reveals.reveal(case, stranger, "ssn", reason=REASON, by=ada, at=NOON)


def test_an_older_attempt_shows_the_same_numbers(case, ada, make_application):
    Application.objects.update(is_current=False)
    make_application(case.lead, attempt=2)

    reveals.reveal(load(case), case.lead, "ssn", reason=REASON, by=ada, at=NOON)

    assert Event.objects.get().application == case
    assert list(audit.find_faults()) == []

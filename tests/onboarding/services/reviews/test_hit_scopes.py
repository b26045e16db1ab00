"""Scopes of hits: what is judged together, and where it is written down."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from banking.models import StaffEvent
from onboarding.choices import HitStatus, PartyKind
from onboarding.models import HitJudgement, ScreeningHit
from onboarding.queries import fixed_rows
from onboarding.services.checks import record_hits
from onboarding.services.reviews import hit_judgements
from onboarding.services.reviews.hit_scopes import CaseHits, RecordHits
from tests.factories import NOON, later, make_supplier
from tests.onboarding.cases import make_reviewer
from tests.onboarding.hits import REASON, make_case_with_hits, seen
from tests.onboarding.sanctions_files import load

pytestmark = pytest.mark.django_db


@pytest.fixture
def hit(tmp_path):
    load(tmp_path)
    supplier = make_supplier(name="Quillon Trading")
    record_hits.screen(PartyKind.SUPPLIER, supplier.pk, at=NOON)
    return ScreeningHit.objects.get()


def test_hits_of_a_case_and_of_a_record_are_apart(hit):
    case = make_case_with_hits(1)

    of_record = RecordHits(PartyKind.SUPPLIER, hit.party_row)

    assert list(of_record.hits()) == [hit]
    assert [one.entry_number for one in CaseHits(case).hits()] == [1]
    assert hit.party_digest in of_record.digests_of([hit])[0]


def test_judgements_of_records_are_in_the_staff_history_without_names(hit):
    ada = make_reviewer()
    scope = RecordHits(PartyKind.SUPPLIER, hit.party_row)

    hit_judgements.judge(
        scope, HitStatus.INCONCLUSIVE, hits=seen(hit), reason=REASON, by=ada, at=later()
    )

    event = StaffEvent.objects.get()
    assert (event.type, event.who) == ("HIT_JUDGED", str(ada.external_id))
    assert event.details["verdict"] == "INCONCLUSIVE"
    assert event.details["rows_digest"]
    assert "Quillon" not in str(event.details)


@pytest.mark.parametrize("values", [{"reason": "Another."}, {"settled_note": "Another."}])
def test_changed_judgements_of_records_are_found_by_the_audit(hit, values):
    scope = RecordHits(PartyKind.SUPPLIER, hit.party_row)
    made = hit_judgements.judge(
        scope,
        HitStatus.FALSE_POSITIVE,
        hits=seen(hit),
        reason=REASON,
        by=make_reviewer(),
        at=later(),
    )
    ids = [one.external_id for one in made]
    hit_judgements.refuse(
        scope, clearings=ids, reason="Not the same.", by=make_reviewer(), at=later()
    )
    before = list(fixed_rows.find_changed_of_records())

    HitJudgement.objects.update(**values)

    faults = list(fixed_rows.find_changed_of_records())
    assert before == []
    assert faults[-1] == "staff event 2 is about judgements of hits that were changed"
    with pytest.raises(CommandError, match="faults among"):
        call_command("verify_audit", stdout=StringIO())


def test_a_page_of_another_party_judges_nothing(hit):
    other = RecordHits(PartyKind.SUPPLIER, hit.party_row + 1)

    with pytest.raises(hit_judgements.HitsChanged):
        hit_judgements.judge(
            other,
            HitStatus.CONFIRMED,
            hits=seen(hit),
            reason=REASON,
            by=make_reviewer(),
            at=later(),
        )

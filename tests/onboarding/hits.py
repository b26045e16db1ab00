"""Screening hits for tests of several modules: customers and cases with similar names."""

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import HitStatus
from onboarding.event_types import EventType
from onboarding.models import Application, ScreeningHit
from onboarding.queries.screening_hits import digest_evidence
from onboarding.services.reviews import hit_judgements
from tests.factories import NOON, later, make_check, make_check_run
from tests.onboarding.cases import load, make_case

REASON = "Born in 1952, the customer in 1979."


def make_hit(application, number=4001, **values):
    """Return a screening hit of the applicant, which no list has."""
    values = {"entry_name": "PÉREZ-ÑAKAR, Ana", "matched": "PÉREZ-ÑAKAR, Ana", **values}
    values = {"subject": "PERSON", "score": 92.0, "found_at": NOON, **values}
    values = {"party_id": application.lead.external_id, **values}
    return ScreeningHit.objects.create(lead=application.lead, entry_number=number, **values)


def make_case_with_hits(*numbers, by=None, status=Status.IN_REVIEW, checked_at=NOON):
    """Return a checked case with a hit for each number of an entry."""
    case = make_case(status, by=by)
    make_check(make_check_run(case, at=checked_at))
    for number in numbers:
        make_hit(case, number)
    return load(case)


def seen(*hits):
    """Return the digests that a page has shown of hits."""
    return {hit.external_id: digest_evidence(hit) for hit in hits}


def propose_clearing(application, *hits, by, at=NOON):
    verdict = HitStatus.FALSE_POSITIVE
    return hit_judgements.judge(application, verdict, hits=seen(*hits), reason=REASON, by=by, at=at)


def clear(application, *hits, by, second, at=NOON):
    """Clear hits by two people."""
    made = propose_clearing(application, *hits, by=by, at=at)
    ids = [one.external_id for one in made]
    hit_judgements.confirm(application, clearings=ids, by=second, at=later(hours=1))


def types(application):
    """Return the types of the events about hits."""
    about = [one for one in EventType if one.value.startswith("hits.")]
    found = application.lead.events.filter(type__in=about).order_by("number")
    return list(found.values_list("type", flat=True))


def statuses(application):
    """Return the status of each hit, by the number of its entry."""
    return dict(
        ScreeningHit.objects.filter(lead=application.lead_id).values_list("entry_number", "status")
    )


def reload(application):
    return Application.objects.select_related("lead").get(pk=application.pk)

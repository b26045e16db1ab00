"""Decisions that wait for a second judgement: who could make it sees no author before."""

import pytest
from django.contrib.auth.models import Permission
from django.utils import timezone

from banking.models import User
from onboarding.choices import ApplicationStatus, Role
from onboarding.event_types import EventType
from onboarding.models import QualityCheck
from onboarding.services.events.history import Actor
from tests.factories import make_event, make_user
from tests.staff import text_of

VIEW = ["view_application", "view_lead", "view_owner", "view_document", "view_event"]
MAY_JUDGE = [*VIEW, "view_qualitycheck", "judge_qualitycheck"]
REASON = "The articles name another address than the bill."


@pytest.fixture
def row(make_lead, make_application):
    """An approval of Dana Reyes's that was chosen, in a case that is assigned to her."""
    dana = make_user(user_type="STAFF", first_name="Dana", last_name="Reyes")
    case = make_application(
        make_lead(business_name="Harbor Coffee LLC"),
        status=ApplicationStatus.APPROVED,
        assignee=dana,
    )
    event = make_event(case, EventType.APPROVED, by=Actor(Role.REVIEWER, str(dana.external_id)))
    return QualityCheck.objects.create(
        application=case, event=event, decided_by=dana, decided_at=timezone.now()
    )


@pytest.fixture
def judge(make_staff):
    return make_staff(*MAY_JUDGE, "view_staffevent", "view_logentry", "view_user")


def user_of(client):
    return User.objects.get(pk=client.session["_auth_user_id"])


def case_of(row, step="change"):
    return f"/admin/onboarding/application/{row.application_id}/{step}/"


def pages_of(row):
    """Return the pages that name the author of the approval."""
    lead, event = row.application.lead_id, row.event_id
    return [
        case_of(row),
        f"/admin/onboarding/lead/{lead}/change/",
        "/admin/onboarding/event/",
        f"/admin/onboarding/event/?person={row.decided_by_id}",
        f"/admin/onboarding/event/{event}/change/",
        "/admin/onboarding/application/",
    ]


def list_naming(client, row):
    """Return the pages that name the author, apart from the people that a list can filter by."""
    found = {path: text_of(client.get(path, follow=True)) for path in pages_of(row)}
    return [path for path, page in found.items() if "Dana Reyes" in page.partition("Filter")[0]]


def test_who_could_judge_sees_the_author_on_no_page(row, judge):
    assert list_naming(judge, row) == []
    assert "This case waits for a second judgement" in text_of(judge.get(case_of(row)))


def test_who_may_not_judge_sees_the_author(row, make_staff):
    assert list_naming(make_staff(*VIEW), row) == pages_of(row)


def test_lists_do_not_name_the_author_by_a_filter_or_an_export(row, judge):
    person, export = row.decided_by_id, "/admin/onboarding/event/export/"

    assigned = text_of(judge.get(f"/admin/onboarding/application/?assignee={person}"))
    actions = text_of(judge.get(f"/admin/onboarding/event/by/{person}/"))
    exported = b"".join(judge.post(export, {"reason": REASON}))

    assert "Harbor Coffee" not in assigned
    assert "Harbor Coffee" not in actions
    assert str(row.decided_by.external_id).encode() not in exported
    assert b"Dana" not in exported


def test_a_refused_step_does_not_show_the_case(row, judge):
    user = user_of(judge)
    user.user_permissions.add(*Permission.objects.filter(codename="review_application"))

    answer = judge.post(case_of(row, "claim"), {})

    assert "waits for a second judgement" in text_of(answer)
    assert "Dana" not in text_of(answer)


def test_who_opens_the_case_cannot_judge_it_any_more(row, judge):
    opened = judge.post(case_of(row, "read_decision"), follow=True)
    judged = judge.post(
        f"/admin/onboarding/qualitycheck/{row.pk}/judge/", {"verdict": "AGREE", "reason": REASON}
    )

    assert "Dana Reyes" in text_of(opened)
    assert judged.status_code == 409
    assert "saw its decision" in text_of(judged)
    assert "A colleague must judge it" in text_of(judged)
    assert row.readers.get() == user_of(judge)


def test_after_the_judgement_everybody_sees_the_case(row, judge):
    form = {"verdict": "AGREE", "reason": REASON}
    judge.post(f"/admin/onboarding/qualitycheck/{row.pk}/judge/", form)

    assert case_of(row) in list_naming(judge, row)
    assert not row.readers.exists()


def test_the_author_and_who_took_a_step_before_see_the_case(row, judge, make_staff):
    colleague = make_staff(*MAY_JUDGE)
    by = Actor(Role.REVIEWER, str(user_of(colleague).external_id))
    make_event(row.application, EventType.NOTED, by=by)
    later = make_event(row.application, EventType.APPROVED, by=by)
    QualityCheck.objects.update(event=later, decided_by=user_of(judge))

    for client in (judge, colleague):
        assert "waits for a second judgement" not in text_of(client.get(case_of(row)))


def test_only_who_could_judge_is_recorded_as_a_reader(row, judge, make_staff):
    assert make_staff(*VIEW).post(case_of(row, "read_decision")).status_code == 403
    assert judge.get(case_of(row, "read_decision")).status_code == 405
    assert not row.readers.exists()

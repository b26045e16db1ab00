"""Quality checks in the back office: judged without the first decision, which is shown later."""

import html
from datetime import timedelta

import pytest
from django.utils import timezone

from banking.models import User
from onboarding.choices import ApplicationStatus, CheckCode, CheckSource
from onboarding.event_types import EventType
from onboarding.models import QualityCheck
from tests.factories import make_check, make_check_run, make_document, make_event, make_user
from tests.staff import require_a_strict_page, text_of

LIST = "/admin/onboarding/qualitycheck/"
VIEW = ["view_qualitycheck", "view_application", "view_lead", "view_owner", "view_document"]
REASON = "The articles name another address than the bill."


@pytest.fixture
def row(make_lead, make_application):
    """An approval of Dana Reyes's that was chosen."""
    at = timezone.now() - timedelta(hours=1)
    dana = make_user(user_type="STAFF", first_name="Dana", last_name="Reyes")
    lead = make_lead(business_name="Harbor Coffee LLC", first_name="Ada", last_name="Byron")
    case = make_application(lead, status=ApplicationStatus.APPROVED)
    run = make_check_run(case, at=at)
    item = {"source": CheckSource.MANUAL, "code": CheckCode.ADDRESS_CONFIRMED}
    make_check(run, **item, by=dana, note="Called the owner.", at=at)
    make_document(lead, file_name="articles.pdf", uploaded_at=at)
    make_document(lead, file_name="later.pdf", uploaded_at=timezone.now(), sha256="1" * 64)
    event = make_event(case, EventType.APPROVED, rule=70, policy_version=1)
    return QualityCheck.objects.create(
        application=case, event=event, decided_by=dana, decided_at=at
    )


@pytest.fixture
def judge(make_staff):
    return make_staff(*VIEW, "judge_qualitycheck")


def path_of(row, step="change"):
    return f"{LIST}{row.pk}/{step}/"


def words(answer):
    return html.unescape(text_of(answer))


def test_the_case_is_shown_without_the_decision_and_its_author(row, judge):
    answer = judge.get(path_of(row))

    page = words(answer)
    require_a_strict_page(path_of(row), answer.content.decode())
    for shown in ("Harbor Coffee LLC", "Ada Byron", "Called the owner.", "articles.pdf"):
        assert shown in page
    for hidden in ("Dana", "Reyes", row.decided_by.email, "Rule 70", "rule 70", "later.pdf"):
        assert hidden not in page
    assert "Approved" not in page


def test_the_list_names_no_author_before_the_judgement(row, judge):
    before = words(judge.get(LIST))
    QualityCheck.objects.update(verdict="DENY", judged_by=make_user(), judged_at=timezone.now())

    assert "Dana Reyes" not in before
    assert "Dana Reyes" in words(judge.get(LIST))


def test_a_judgement_shows_the_first_one(row, judge):
    answer = judge.post(path_of(row, "judge"), {"verdict": "DENY", "reason": REASON}, follow=True)

    page = words(answer)
    row.refresh_from_db()
    assert (row.verdict, row.reason) == ("DENY", REASON)
    for shown in ("Dana Reyes", "rule 70", "I would have denied it", REASON):
        assert shown in page
    assert row.application.status == ApplicationStatus.APPROVED


@pytest.mark.parametrize("form", [{}, {"verdict": "WIN", "reason": REASON}, {"verdict": "DENY"}])
def test_a_judgement_without_verdict_or_reason_is_refused(row, judge, form):
    answer = judge.post(path_of(row, "judge"), form)

    assert answer.status_code == 422
    row.refresh_from_db()
    assert row.verdict == ""


def test_a_short_reason_is_refused_and_kept(row, judge):
    answer = judge.post(path_of(row, "judge"), {"verdict": "ASK", "reason": "No."})

    assert answer.status_code == 409
    assert "20 characters or more" in words(answer)
    assert ">\nNo.</textarea>" in answer.content.decode()


def test_the_author_is_offered_no_form(row, judge):
    QualityCheck.objects.update(decided_by=User.objects.get(pk=judge.session["_auth_user_id"]))

    page = words(judge.get(path_of(row)))
    refused = judge.post(path_of(row, "judge"), {"verdict": "AGREE", "reason": REASON})

    assert "A colleague must judge it." in page
    assert refused.status_code == 409


def test_who_may_not_judge_reads_and_sends_nothing(row, make_staff):
    reader = make_staff(*VIEW)

    assert "An approver must judge it." in words(reader.get(path_of(row)))
    form = {"verdict": "AGREE", "reason": REASON}
    assert reader.post(path_of(row, "judge"), form).status_code == 403
    assert make_staff("judge_qualitycheck").get(path_of(row)).status_code == 403


def test_the_home_page_counts_those_of_others(row, judge, make_staff):
    assert "1 Quality checks" in words(judge.get("/admin/"))
    assert "1 Quality checks" not in words(make_staff(*VIEW).get("/admin/"))
    assert words(judge.get(f"{LIST}?state=open")).count("Harbor Coffee LLC") == 1
    QualityCheck.objects.update(decided_by=User.objects.get(pk=judge.session["_auth_user_id"]))

    assert "0 Quality checks" in words(judge.get("/admin/"))
    assert "Harbor Coffee LLC" not in words(judge.get(f"{LIST}?state=open"))


def test_the_report_has_rates_and_overturned_cases(row, chief):
    second = make_user(user_type="STAFF", first_name="Bo")
    values = {"verdict": "ASK", "reason": REASON, "judged_at": timezone.now()}
    QualityCheck.objects.update(judged_by=second, **values)

    page = words(chief.get("/admin/onboarding/application/report/"))

    for shown in ("Dana Reyes", "100%", "Harbor Coffee LLC", REASON, "I would have asked for more"):
        assert shown in page
    assert "Export “Quality checks by person, in the last 90 days” as CSV" in page
    table = chief.post("/admin/onboarding/application/workload/quality-people/")
    assert b"Dana Reyes,1,0,1,100%" in b"".join(table.streaming_content)


def test_a_list_takes_as_many_statements_for_many_rows(row, make_application, count_queries):
    few = count_queries(LIST)
    for _ in range(9):
        case = make_application()
        QualityCheck.objects.create(
            application=case,
            event=make_event(case, EventType.APPROVED),
            decided_by=row.decided_by,
            decided_at=row.decided_at,
        )

    assert count_queries(LIST) == few

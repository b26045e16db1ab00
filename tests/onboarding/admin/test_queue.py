"""The list of applications: queues, filters, searches, claims, and what is kept as links."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from banking.models import User
from onboarding.admin.numbers import looks_like_a_number
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import Risk
from onboarding.event_types import EventType
from onboarding.models import Application, Event, SavedQueue
from tests.staff import sign_in

LIST = "/admin/onboarding/application/"
SSN, EIN = "123-45-6789", "12-3456789"


@pytest.fixture
def make_case(make_application, make_lead):
    """Make an application in review whose promise ends so many hours from now."""

    def make(name="Harbor Coffee", *, hours=1, lead=None, **values):
        now = timezone.now()
        values = {
            "status": Status.IN_REVIEW,
            "submitted_at": now - timedelta(days=1),
            "review_began_at": now - timedelta(days=1),
            "due_at": now + timedelta(hours=hours),
            **values,
        }
        lead = {"business_name": name, "business_type": "LLC", **(lead or {})}
        return make_application(make_lead(**lead), at=now - timedelta(days=2), **values)

    return make


@pytest.fixture
def dana(db):
    return User.objects.create_superuser("dana@example.com", first_name="Dana", last_name="Reyes")


@pytest.fixture
def iris(db):
    return User.objects.create_superuser("iris@example.com", first_name="Iris", last_name="Berg")


def names(client, query=""):
    """Return the businesses that the list shows, from its top."""
    page = client.get(f"{LIST}?{query}", follow=True).content.decode()
    return re.findall(r'field-label"><a [^>]*><span class="line">([^<]*)', page)


def held(user, minutes=20):
    return {"claimed_by": user, "claimed_until": timezone.now() + timedelta(minutes=minutes)}


def test_the_most_urgent_case_is_first_and_what_is_not_due_last(make_case, chief):
    make_case("Later", hours=30)
    make_case("Approved", status=Status.APPROVED, due_at=None)
    make_case("Overdue", hours=-3)
    make_case("Soon", hours=1)

    assert names(chief) == ["Overdue", "Soon", "Later", "Approved"]


def test_each_queue_has_what_belongs_there(make_case, make_proposal, dana, iris):
    make_case("Free", hours=5)
    make_case("Late", hours=-1)
    make_case("Mine", **held(dana))
    make_case("Theirs", **held(iris))
    make_case("Asked", status=Status.DOCUMENTS_REQUIRED, due_at=None)
    make_proposal(make_case("Proposed", **held(iris)), proposed_by=iris)
    client = sign_in(dana)

    found = {
        queue: set(names(client, f"queue={queue}"))
        for queue in ["unassigned", "mine", "second-approval", "awaiting-applicant", "overdue"]
    }

    assert found == {
        "unassigned": {"Free", "Late"},
        "mine": {"Mine"},
        "second-approval": {"Proposed"},
        "awaiting-applicant": {"Asked"},
        "overdue": {"Late"},
    }


def test_my_queue_begins_with_the_cases_that_were_answered(make_case, dana, iris):
    make_case("Due", assignee=dana, hours=1)
    make_case("Asked", assignee=dana, status=Status.DOCUMENTS_REQUIRED, due_at=None)
    make_case("Answered", assignee=dana, returned_at=timezone.now(), hours=9)
    make_case("Theirs", assignee=iris)
    make_case("Over", assignee=dana, status=Status.DENIED, due_at=None)

    assert names(sign_in(dana), "queue=mine") == ["Answered", "Due", "Asked"]
    assert names(sign_in(dana), "queue=unassigned") == []


def test_cases_are_filtered_by_their_assignee(make_case, dana, iris):
    make_case("Mine", assignee=dana, hours=1)
    make_case("Theirs", assignee=iris, hours=2)
    make_case("Nobody's", hours=3)
    client = sign_in(dana)

    assert names(client, "assignee=me") == ["Mine"]
    assert names(client, f"assignee={iris.pk}") == ["Theirs"]
    assert names(client, "assignee=nobody") == ["Nobody&#x27;s"]
    assert len(names(client, "assignee=x")) == 3


def test_selected_cases_are_handed_over_with_a_note(make_case, dana, iris):
    first, second = make_case("A"), make_case("B", status=Status.APPROVED, due_at=None)
    client = sign_in(dana)
    sent = {"action": "hand_over_selected", "_selected_action": [first.pk, second.pk]}

    asked = client.post(LIST, sent).content.decode()
    answer = client.post(LIST, {**sent, "to": iris.pk, "note": "From Monday on."}, follow=True)

    assert "2 cases" in asked
    first.refresh_from_db()
    second.refresh_from_db()
    assert (first.assignee, second.assignee) == (iris, None)
    assert first.notes.get().text == "From Monday on."
    page = answer.content.decode()
    assert "1 case is assigned to Iris Berg." in page
    assert "B: There is nothing to review in this application now." in page


def test_the_badges_tell_what_is_late_and_what_is_due(make_case, make_proposal, iris, chief):
    now = timezone.now()
    make_case("A", hours=-1)
    make_case("B", hours=-1, touched_at=now)
    make_case("C", hours=0.7, risk=Risk.HIGH)
    make_proposal(make_case("D", **held(iris)), kind="DENY")

    page = chief.get(LIST).content.decode()

    for text in ["First touch late", "Decision late", "Due in 4", "Iris Berg", "Deny?"]:
        assert text in page
    assert 'badge-risk_high" title="">High<' in page


def test_a_claim_that_ran_out_holds_nobody(make_case, iris, chief):
    make_case(**held(iris, minutes=-1))

    assert "claimed by Iris Berg" not in chief.get(LIST).content.decode()


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("risk__exact=HIGH", ["Old"]),
        ("waiting=3", ["Old"]),
        ("lead__business_type__exact=C_CORP", ["Old"]),
        ("status=IN_REVIEW", ["New", "Old"]),
        ("queue=nonsense&waiting=nonsense", ["New", "Old"]),
    ],
)
def test_filters_keep_what_they_say(query, expected, make_case, chief):
    began = timezone.now() - timedelta(days=4)
    make_case("Old", hours=9, risk=Risk.HIGH, lead={"business_type": "C_CORP"})
    Application.objects.update(review_began_at=began)
    make_case("New", hours=1, risk=Risk.LOW)

    assert names(chief, query) == expected


@pytest.mark.parametrize("text", ["harbor coff", "ADA@example.com", "ada@ex", "crm-7", "crm"])
def test_search_finds_by_name_email_and_the_partners_id(text, make_case, chief):
    make_case(lead={"email": "ada@example.com", "unique_id": "crm-7"})
    make_case("Elsewhere")

    assert names(chief, f"q={text}") == ["Harbor Coffee"]


def test_search_finds_by_customer_and_application_id(make_case, chief):
    case = make_case()
    make_case("Elsewhere")

    assert names(chief, f"q={case.external_id}") == ["Harbor Coffee"]
    assert names(chief, f"q={case.lead.external_id}") == ["Harbor Coffee"]


@pytest.mark.parametrize("model", ["application", "lead"])
@pytest.mark.parametrize(
    "typed", [SSN, "123456789", EIN, f"harbor {SSN}", f"{SSN},", f"ssn:{SSN}", "123 45 6789"]
)
def test_a_search_that_looks_like_a_number_is_refused(model, typed, chief):
    answer = chief.get(f"/admin/onboarding/{model}/", {"q": typed, "status": "IN_REVIEW"})

    assert answer.status_code == 302
    assert answer.url == f"/admin/onboarding/{model}/?status=IN_REVIEW"
    assert "use the search box" in chief.get(answer.url).content.decode()


def test_selected_cases_are_claimed_each_or_it_is_said_why_not(make_case, dana, iris):
    free, taken = make_case("Free"), make_case("Taken", **held(iris))
    done = make_case("Done", status=Status.EXPIRED, due_at=None)
    chosen = {"_selected_action": [free.pk, taken.pk, done.pk], "action": "claim_selected"}

    page = sign_in(dana).post(LIST, chosen, follow=True).content.decode()

    assert "You have claimed 1 case." in page
    assert "Taken: Someone else has claimed this case" in page
    assert "Done: There is nothing to review" in page
    assert Application.objects.get(claimed_by=dana) == free


def test_the_next_case_is_the_most_urgent_that_nobody_has(make_case, dana, iris):
    make_case("Taken", hours=-9, **held(iris))
    make_case("Soon", hours=2)
    late = make_case("Late", hours=-1)

    answer = sign_in(dana).post(f"{LIST}next/")

    assert answer.url == f"{LIST}{late.pk}/change/"
    late.refresh_from_db()
    assert late.claimed_by == dana
    assert Event.objects.get(application=late).type == EventType.CLAIMED


def test_where_nothing_waits_nothing_is_claimed(chief):
    page = chief.post(f"{LIST}next/", follow=True).content.decode()

    assert "There are no cases to claim" in page


def test_who_may_not_review_claims_nothing(make_case, make_staff):
    case = make_case()
    viewer = make_staff("view_application", "view_lead", "view_partner")

    assert viewer.post(f"{LIST}next/").status_code == 403
    viewer.post(LIST, {"_selected_action": [case.pk], "action": "claim_selected"})
    page = viewer.get(LIST).content.decode()

    assert "Claim next" not in page
    assert "Claim the selected" not in page
    case.refresh_from_db()
    assert case.claimed_by is None


def test_a_search_is_kept_as_a_link_and_forgotten(make_case, dana):
    client = sign_in(dana)
    kept = {"name": "Risky", "query": "risk__exact=HIGH&p=2&q=123-45-6789"}

    client.post(f"{LIST}saved/", kept)

    saved = SavedQueue.objects.get()
    assert (saved.user, saved.name, saved.query) == (dana, "Risky", "risk__exact=HIGH")
    assert f'<a href="{LIST}?risk__exact=HIGH">Risky</a>' in client.get(LIST).content.decode()
    assert "Risky" in client.get("/admin/").content.decode()

    client.post(f"{LIST}saved/{saved.pk}/delete/")

    assert not SavedQueue.objects.exists()


def test_a_saved_search_of_the_same_name_gives_way(dana):
    client = sign_in(dana)

    for query in ["queue=mine", "queue=overdue"]:
        client.post(f"{LIST}saved/", {"name": "Mine", "query": query})
    client.post(f"{LIST}saved/", {"name": " ", "query": "queue=mine"})

    assert SavedQueue.objects.get().query == "queue=overdue"


def test_nobody_forgets_the_searches_of_others(dana, iris):
    saved = SavedQueue.objects.create(user=iris, name="Hers", query="queue=mine")
    client = sign_in(dana)

    assert client.post(f"{LIST}saved/{saved.pk}/delete/").status_code == 404
    assert "Hers" not in client.get(LIST).content.decode()


@pytest.mark.parametrize(
    "text", ["01a20234-1234-7123-8123-123456789012", "01a2abcdef123456789abc0123456789", "crm 45"]
)
def test_digits_of_an_id_are_no_number(text):
    assert not looks_like_a_number(text)


def test_a_shared_search_is_offered_to_colleagues_and_deleted_by_its_user(dana, iris):
    hers, mine = sign_in(iris), sign_in(dana)
    hers.post(f"{LIST}saved/", {"name": "Risky", "query": "risk__exact=HIGH", "is_shared": "on"})
    hers.post(f"{LIST}saved/", {"name": "Own", "query": "queue=mine"})
    saved = SavedQueue.objects.get(name="Risky")

    for path in (LIST, "/admin/"):
        page = mine.get(path).content.decode()
        assert "Risky" in page
        assert ">Own<" not in page
    delete = f"{LIST}saved/{saved.pk}/delete/"
    assert delete not in mine.get(LIST).content.decode()
    assert delete in hers.get(LIST).content.decode()
    assert mine.post(delete).status_code == 404


@pytest.mark.parametrize("path", ["next/", "saved/", "saved/1/delete/"])
def test_nothing_changes_by_get(path, make_case, chief):
    make_case()

    assert chief.get(LIST + path).status_code == 405
    assert not Event.objects.exists()


@pytest.mark.parametrize("path", ["saved/", "report/", ""])
def test_who_may_not_view_applications_gets_nowhere(path, make_staff):
    staff = make_staff("view_partner")
    ask = staff.post if path == "saved/" else staff.get

    assert ask(LIST + path, {"number": SSN, "name": "x"}).status_code == 403


def test_the_list_takes_few_statements(make_case, make_proposal, iris, count_queries):
    for number in range(60):
        case = make_case(f"Business {number}", hours=number - 5, **held(iris))
        make_proposal(case)

    assert count_queries(LIST) < 20
    assert count_queries(f"{LIST}?p=2") < 20
    # on PostgreSQL a search sets how similar words must be
    assert count_queries(f"{LIST}?q=business&queue=second-approval") < 24


def test_the_second_page_goes_on_where_the_first_ended(make_case, chief):
    for number in range(55):
        make_case(f"B{number:02}", hours=number)

    assert names(chief)[-1] == "B49"
    assert names(chief, "p=2") == ["B50", "B51", "B52", "B53", "B54"]
    page = chief.get(f"{LIST}?p=2").content.decode()
    assert '<span aria-current="page">2</span>' in page


def test_the_report_shows_how_often_promises_held(make_case, make_event, dana, count_queries):
    now = timezone.now()
    case = make_case(
        status=Status.APPROVED, due_at=None, touched_at=now, decided_at=now, review_began_at=now
    )
    make_event(case, EventType.APPROVED, at=now)

    page = sign_in(dana).get(f"{LIST}report/").content.decode()

    assert "100%" in page
    assert page.count("</tr>") >= 9
    assert count_queries(f"{LIST}report/") < 22

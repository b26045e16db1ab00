"""The page of the workload, its links and its tables as CSV."""

import pytest

from banking.models import StaffEvent
from onboarding.choices import ReviewCause
from onboarding.models import Application
from tests.onboarding.cases import make_case, make_reviewer
from tests.onboarding.customers import make_review
from tests.staff import text_of

LIST = "/admin/onboarding/application/"


@pytest.fixture
def ada(db):
    ada = make_reviewer(first_name="Ada", last_name="Byron")
    make_case(business_name="Harbor Coffee")
    Application.objects.update(assignee=ada)
    make_review(by=ada, cause=ReviewCause.STAFF)  # due after ten business days
    return ada


def test_it_shows_people_partners_and_missed_deadlines_with_links(ada, chief):
    page = chief.get(f"{LIST}workload/")

    assert f'href="{LIST}?assignee={ada.pk}">Ada Byron</a>' in page.content.decode()
    text = text_of(page)
    titles = ["By assignee", "By partner", "Overdue now", "Decided late"]
    titles += ["Customer cases by assignee", "Customer cases by partner"]
    titles += ["Customer cases overdue now", "Customer cases closed late"]
    for title in [*titles, "First touch in time", "Decision in time"]:
        assert title in text
    assert "Harbor Coffee" in text
    assert chief.get(f"{LIST}?assignee={ada.pk}").status_code == 200
    cases = f"/admin/onboarding/customercase/?assignee={ada.pk}&amp;queue=open"
    assert f'href="{cases}">Ada Byron</a>' in page.content.decode()


@pytest.mark.parametrize(
    ("table", "first"),
    [
        ("people", "Ada Byron,1,1,0"),
        ("overdue", "Harbor Coffee,"),
        ("weeks", ""),
        ("reviewers", ""),
        ("quality-people", ""),
        ("quality-partners", ""),
        ("overturned", ""),
        ("customer-people", "Ada Byron,1,1,0"),
        ("customer-partners", ""),
        ("customer-overdue", "Analytical Engines LLC,Triggered"),
        ("customer-late", ""),
    ],
)
def test_each_table_is_exported_and_recorded(table, first, ada, chief):
    answer = chief.post(f"{LIST}workload/{table}/")

    lines = b"".join(answer.streaming_content).decode().splitlines()
    assert any(line.startswith(first) for line in lines[1:]) or not first
    assert StaffEvent.objects.get().type == "LIST_EXPORTED"


def test_tables_of_quality_checks_are_for_those_who_may_view_them(ada, make_staff):
    client = make_staff("view_application")

    assert client.post(f"{LIST}workload/weeks/").status_code == 200
    assert client.post(f"{LIST}workload/quality-people/").status_code == 404


def test_tables_of_customer_cases_are_for_those_who_may_view_them(ada, make_staff):
    client = make_staff("view_application")

    assert "Customer cases by" not in text_of(client.get(f"{LIST}workload/"))
    assert client.post(f"{LIST}workload/customer-people/").status_code == 404


def test_other_tables_are_not_there(ada, chief):
    assert chief.post(f"{LIST}workload/secrets/").status_code == 404

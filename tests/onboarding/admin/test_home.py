import re
from datetime import timedelta

from django.utils import timezone

from banking.models import User
from onboarding.choices import ApplicationStatus as Status
from tests.staff import sign_in

LIST = "/admin/onboarding/application/"


def figures(client):
    page = client.get("/admin/").content.decode()
    found = r'class="card figure" href="([^"]*)"><strong>(\d+)</strong> <span>([^<]*)<'
    return {label: (int(count), url) for url, count, label in re.findall(found, page)}


def test_the_home_page_counts_leads_by_whose_turn_it_is(make_application, chief):
    first = make_application(status=Status.EXPIRED, is_current=False)
    make_application(first.lead, status=Status.IN_REVIEW, attempt=2)
    make_application(status=Status.SUBMITTED)

    count, url = figures(chief)["The bank is checking"]

    assert count == 2
    assert figures(chief)["Closed"][0] == 0
    assert chief.get(url).content.decode().count('class="action-select"') == 0
    assert "2 leads" in chief.get(url).content.decode()


def test_the_figures_are_for_those_who_may_view_leads(make_application, make_staff):
    make_application()

    assert figures(make_staff("view_lead"))
    assert not figures(make_staff("view_partner", "view_owner"))


def test_the_review_section_shows_queues_chart_times_and_cases(make_application, make_lead, chief):
    now = timezone.now()
    lead = make_lead(business_name="Harbor Coffee")
    values = {"status": Status.IN_REVIEW, "review_began_at": now, "submitted_at": now}
    make_application(lead, at=now, due_at=now - timedelta(hours=1), **values)
    decided = {"status": Status.APPROVED, "decided_at": now, "review_began_at": now}
    make_application(at=now, touched_at=now, **decided)

    page = chief.get("/admin/").content.decode()

    assert f'<a class="card figure" href="{LIST}?queue=unassigned"><strong>1</strong>' in page
    assert f'<a class="card figure late" href="{LIST}?queue=overdue"><strong>1</strong>' in page
    assert "Harbor Coffee" in page
    assert "First touch late" in page
    assert "<dt>Median first touch</dt><dd>0 min</dd>" in page
    assert "1 arrived" in page
    assert "1 decided" in page
    assert page.index("Review</h2>") < page.index("who must act next")


def test_nothing_overdue_is_no_alarm(chief):
    assert "figure late" not in chief.get("/admin/").content.decode()


def test_my_cases_are_on_my_home_page(make_application, make_lead, make_user):
    dana = User.objects.create_superuser("dana@example.com")
    until = timezone.now() + timedelta(minutes=9)
    for name, holder in [("Mine", dana), ("Theirs", make_user(user_type="STAFF"))]:
        lead = make_lead(business_name=name)
        make_application(lead, claimed_by=holder, claimed_until=until, status=Status.IN_REVIEW)

    mine = sign_in(dana).get("/admin/").content.decode().partition("Your cases")[2]

    assert "Mine" in mine
    assert "Theirs" not in mine


def test_the_review_section_is_for_those_who_may_view_applications(make_staff):
    assert 'id="review"' in make_staff("view_application").get("/admin/").content.decode()
    assert 'id="review"' not in make_staff("view_lead").get("/admin/").content.decode()


def test_the_home_page_takes_as_many_statements_for_many_cases(make_application, count_queries):
    def add(times):
        for _ in range(times):
            due = timezone.now()
            make_application(status=Status.IN_REVIEW, review_began_at=due, due_at=due)

    add(1)
    few = count_queries("/admin/")

    add(20)

    assert count_queries("/admin/") == few
    assert few <= 26


def test_the_review_report_has_one_name(chief):
    link = re.compile(rf'href="({LIST}report/)"[^>]*>([^<]*)<')
    [(page, on_home)] = link.findall(chief.get("/admin/").content.decode())
    [(_, above_the_list)] = link.findall(chief.get(LIST).content.decode())

    assert on_home == above_the_list == "Review report"
    assert f"<h1>{on_home}</h1>" in chief.get(page).content.decode()

import re

from onboarding.choices import ApplicationStatus as Status


def figures(client):
    page = client.get("/admin/").content.decode()
    found = r'class="card figure" href="([^"]*)"><strong>(\d+)</strong> <span>([^<]*)<'
    return {label: (int(count), url) for url, count, label in re.findall(found, page)}


def test_the_home_page_counts_leads_by_whose_turn_it_is(make_application, chief):
    first = make_application(status=Status.EXPIRED, is_current=False)
    make_application(first.lead, status=Status.IN_REVIEW, attempt=2)
    make_application(status=Status.SUBMITTED)

    count, url = figures(chief)["Being checked"]

    assert count == 2
    assert figures(chief)["Closed"][0] == 0
    assert chief.get(url).content.decode().count('class="action-select"') == 0
    assert "2 leads" in chief.get(url).content.decode()


def test_the_figures_are_for_those_who_may_view_leads(make_application, make_staff):
    make_application()

    assert figures(make_staff("view_lead"))
    assert not figures(make_staff("view_partner", "view_owner"))

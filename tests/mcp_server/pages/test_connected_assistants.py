"""The page of connected assistants: what it shows, and what it does."""

import csv
import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from mcp_server.models import OUTCOMES, AccessLogEntry
from mcp_server.pages import activity, connected_assistants
from tests.factories import make_access
from tests.mcp_server.conftest import connect

PAGE = "/connected-assistants"
LINK_OPENED = "Download statement: link opened"


def log(connection, count=1, **values):
    """Write calls down, a minute apart, the newest now."""
    now = timezone.now()
    return AccessLogEntry.objects.bulk_create(
        AccessLogEntry(
            **{
                "at": now - timedelta(minutes=number),
                "connection": connection,
                "tool": "svc_list_bills",
                "outcome": "OK",
                "duration_ms": 4,
                "request_id": "r",
                **values,
            }
        )
        for number in range(count)
    )


@pytest.fixture
def look():
    """Return the page's text as somebody sees it."""

    def see(user, path=PAGE, **headers):
        client = Client(headers=headers)
        client.force_login(user, "django.contrib.auth.backends.ModelBackend")
        return client.get(path).content.decode()

    return see


@pytest.fixture
def browser(owner):
    client = Client()
    client.force_login(owner, "django.contrib.auth.backends.ModelBackend")
    return client


def test_it_needs_a_sign_in(db):
    assert Client().get(PAGE)["Location"] == f"/sign-in?next={PAGE}"


def test_it_is_empty_at_first(owner, look):
    text = look(owner)

    assert "You have no connected assistants" in text
    assert "No activity yet." in text


def test_it_shows_what_each_may_read_and_how_it_was_used(owner, look):
    assistant = connect(owner, scopes=["bills:read"])
    log(assistant.connection, 3)

    text = look(owner)

    assert "See your bills, their attachments" in text
    assert "See your cards" not in text
    assert "3 requests in the last 30 days" in text
    assert text.count('<rect class="bar-of-day"') in {1, 2}
    assert 'href="/connected-assistants/' in text


def test_it_shows_nothing_of_others(owner, look, make_user):
    log(connect(make_user()).connection)

    assert "You have no connected assistants" in look(owner)


def test_the_log_tells_time_tool_business_and_outcome(owner, business, look):
    (entry,) = log(connect(owner).connection, business=business, outcome="ACCESS_DENIED")

    text = look(owner)

    assert f"{entry.at:%Y-%m-%d %H:%M}" in text
    assert business.legal_name in text
    assert ">Not allowed<" in text


def test_an_accountants_assistant_is_named_with_its_accountant(
    owner, business, accountants_assistant, look
):
    log(accountants_assistant.connection, business=business)

    text = look(owner)

    assert f"used by {accountants_assistant.connection.user.get_full_name()}" in text


def test_the_log_says_that_older_months_are_in_the_archive_of_the_bank(owner, look, settings):
    said = "This list reaches back 12 months. Older entries may be in the bank's archive"

    whole = look(owner)
    settings.ACCESS_LOG_MONTHS = 12

    assert said not in whole
    assert said in look(owner)


def test_the_log_is_paged(owner, look):
    log(connect(owner).connection, 60)

    first, last = look(owner), look(owner, f"{PAGE}?page=2")

    assert "Page 1 of 3" in first
    assert "?page=1#log" in first
    assert "Newer" not in first
    assert "Page 3 of 3" in last
    assert "Older" not in last


def test_the_log_is_filtered_by_assistant(owner, look):
    quiet, busy = connect(owner), connect(owner)
    log(quiet.connection)
    log(busy.connection, 60)

    assert "1 request. We do not record" in look(owner, f"{PAGE}?assistant={quiet.connection.pk}")
    filtered = look(owner, f"{PAGE}?assistant={busy.connection.pk}")
    assert f"?assistant={busy.connection.pk}&amp;page=1#log" in filtered


@pytest.mark.parametrize("query", ["page=-1", "page=x", "page=99999999999999999999", "page=1e1"])
def test_nonsense_in_the_address_shows_the_first_page(owner, look, query):
    log(connect(owner).connection, 30)

    assert "Page 1 of 2" in look(owner, f"{PAGE}?{query}&assistant=zzz")


def test_the_log_is_filtered_by_person_request_business_and_day(
    owner, business, look, accountants_assistant
):
    log(connect(owner).connection, 2, business=business)
    log(accountants_assistant.connection, business=business, tool="svc_list_cards")
    log(accountants_assistant.connection, business=business, tool="link:svc_download_statement")
    log(accountants_assistant.connection, business=business, at=timezone.now() - timedelta(days=9))
    person = accountants_assistant.connection.user.pk
    day = timezone.now().date() - timedelta(days=9)

    for query, count in [
        ("", 5),
        (f"person={person}", 3),
        (f"person={owner.pk}", 2),
        ("request=svc_list_cards", 1),
        ("request=svc_download_statement", 1),
        (f"person={person}&request=svc_list_bills", 1),
        (f"first={day}&last={day}", 1),
        (f"last={day - timedelta(days=1)}", 0),
        ("person=zzz&request=nonsense&business=7", 5),
    ]:
        text = look(owner, f"{PAGE}?{query}")
        seen = re.search(r"(\d+) requests?(?:, newest first)?\. We do not record", text)
        assert int(seen[1] if seen else 0) == count, query
    assert "No activity matches." in look(owner, f"{PAGE}?last={day - timedelta(days=1)}")


def test_an_accountant_filters_by_client(accountant, business, look, accountants_assistant):
    other = make_access(accountant).business
    log(accountants_assistant.connection, business=business)
    log(accountants_assistant.connection, 2, business=other)

    text = look(accountant.user, f"{PAGE}?business={business.pk}")

    assert "1 request. We do not record" in text
    assert f'<option value="{other.pk}">{other.legal_name}</option>' in text


def test_a_filter_that_has_nothing_to_choose_is_left_out(owner, look):
    log(connect(owner).connection)

    text = look(owner)

    assert 'name="request"' in text
    assert 'name="person"' not in text
    assert 'name="business"' not in text


def test_pages_keep_the_filters(owner, business, look):
    log(connect(owner).connection, 60, business=business)

    text = look(owner, f"{PAGE}?request=svc_list_bills&page=1")

    assert "?request=svc_list_bills&amp;page=2#log" in text
    assert "/activity.csv?request=svc_list_bills" in text


def test_the_activity_is_downloaded_as_csv(owner, business, browser, accountants_assistant):
    log(connect(owner).connection, business=business, outcome="ACCESS_DENIED")
    log(accountants_assistant.connection, business=business, tool="link:svc_download_statement")
    log(connect(owner).connection, tool="open_statement")

    response = browser.get(f"{PAGE}/activity.csv")
    rows = list(csv.reader(response.getvalue().decode().splitlines()))
    chosen = browser.get(f"{PAGE}/activity.csv?request=svc_list_bills").getvalue().decode()

    assert response["Content-Disposition"].startswith("attachment; filename=")
    assert rows[0] == [
        *("Time (UTC)", "Assistant", "Used by", "Request", "Business", "Result"),
        *("Request ID", "Limits"),
    ]
    reader = accountants_assistant.connection.user.get_full_name()
    assert sorted(row[1:6] for row in rows[1:]) == sorted(
        [
            ["Assistant", "You", "List bills", business.legal_name, "Not allowed"],
            [
                "Assistant",
                reader,
                LINK_OPENED,
                business.legal_name,
                "Answered",
            ],
            ["This website", "You", "Statement", "", "Answered"],
        ]
    )
    assert len(chosen.splitlines()) == 2


@pytest.mark.parametrize(("most", "is_cut_off"), [(2, True), (3, False)])
def test_a_file_that_is_cut_off_says_so_in_its_last_row(
    owner, browser, monkeypatch, most, is_cut_off
):
    monkeypatch.setattr(activity, "EXPORT_MAX_ROWS", most)
    log(connect(owner).connection, 3)

    header, *rows = browser.get(f"{PAGE}/activity.csv").getvalue().decode().splitlines()

    assert len(rows) == 3
    assert (rows[-1] == "Only the newest 2 rows are in this file.,,,,,,,") is is_cut_off
    assert {row.count(",") for row in rows} == {header.count(",")}


def test_nobody_downloads_the_activity_of_others(browser, make_user):
    log(connect(make_user()).connection)

    assert len(browser.get(f"{PAGE}/activity.csv").getvalue().splitlines()) == 1


def test_many_assistants_are_folded_paged_and_found(owner, look):
    for number in range(12):
        connect(owner, client_name=f"Helper {number:02d}")

    first, last = look(owner), look(owner, f"{PAGE}?cards=1")
    found = look(owner, f"{PAGE}?search=helper 07")

    assert first.count('<details class="card fold">') == 10
    assert last.count('<details class="card fold">') == 2
    assert "Page 1 of 2" in first
    assert found.count('<details class="card fold">') == 1
    assert "Helper 07" in found
    assert "No assistant has this name." in look(owner, f"{PAGE}?search=nobody")
    assert look(owner, f"{PAGE}?cards=99").count('<details class="card fold">') == 2


def test_few_assistants_are_open(owner, look):
    connect(owner)

    assert '<details class="card fold" open>' in look(owner)


def test_the_chart_has_axes(owner, look):
    log(connect(owner).connection, 3)

    text = look(owner)

    first = timezone.now().date() - timedelta(days=29)
    assert f"<span>{first:%B} {first.day}</span>" in text
    assert "<span>Today</span>" in text
    assert "<span>0</span>" in text


def test_somebody_elses_assistant_filters_nothing(owner, look, make_user):
    log(connect(owner).connection)
    stranger = connect(make_user()).connection

    assert "1 request. We do not record" in look(owner, f"{PAGE}?assistant={stranger.pk}")


def test_pausing_stops_it_and_resuming_lets_it_go_on(assistant, browser):
    path = f"{PAGE}/{assistant.connection.pk}"

    paused = browser.post(f"{path}/pause", follow=True).content.decode()
    assistant.connection.refresh_from_db()
    assert assistant.connection.paused_at
    resumed = browser.post(f"{path}/resume", follow=True).content.decode()

    assistant.connection.refresh_from_db()
    assert assistant.connection.paused_at is None
    assert "is paused. It cannot read anything" in paused
    assert f'formaction="{path}/resume"' in paused
    assert "can read your data again" in resumed


def test_ending_is_confirmed_first(assistant, browser):
    path = f"{PAGE}/{assistant.connection.pk}/end"

    question = browser.get(path).content.decode()
    assistant.connection.refresh_from_db()
    assert "Remove access for <bdi>Assistant</bdi>?" in question
    assert assistant.connection.ended_at is None

    browser.post(path)

    assistant.connection.refresh_from_db()
    assert assistant.connection.ended_at
    assert assistant.post({"jsonrpc": "2.0", "id": 1, "method": "ping"}).status_code == 401


def test_an_ended_one_is_listed_apart(assistant, browser):
    browser.post(f"{PAGE}/{assistant.connection.pk}/end")

    text = browser.get(PAGE).content.decode()

    assert "1 assistant that no longer has access" in text
    assert "You have no connected assistants" in text


def test_all_end_at_once_after_a_question(owner, browser):
    connections = [connect(owner).connection for _ in range(2)]

    assert "Remove access for all assistants?" in browser.get(f"{PAGE}/end").content.decode()
    text = browser.post(f"{PAGE}/end", follow=True).content.decode()

    assert "You have removed access for all assistants." in text
    for connection in connections:
        connection.refresh_from_db()
        assert connection.ended_at


@pytest.mark.parametrize("step", ["pause", "resume", "end"])
def test_somebody_elses_and_no_ones_assistant_is_not_found(browser, make_user, step):
    stranger = connect(make_user()).connection

    assert browser.post(f"{PAGE}/{stranger.pk}/{step}").status_code == 404
    assert browser.post(f"{PAGE}/999999/{step}").status_code == 404
    stranger.refresh_from_db()
    assert stranger.paused_at is stranger.ended_at is None


def test_somebody_elses_is_not_asked_about_either(browser, make_user):
    stranger = connect(make_user()).connection

    assert browser.get(f"{PAGE}/{stranger.pk}/end").status_code == 404


@pytest.mark.parametrize("step", ["pause", "resume"])
def test_a_link_changes_nothing(assistant, browser, step):
    assert browser.get(f"{PAGE}/{assistant.connection.pk}/{step}").status_code == 405


def test_a_form_of_another_site_changes_nothing(assistant, owner):
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(owner, "django.contrib.auth.backends.ModelBackend")

    assert browser.post(f"{PAGE}/{assistant.connection.pk}/end").status_code == 403
    assert browser.post(f"{PAGE}/end").status_code == 403


@pytest.mark.parametrize("path", [PAGE, f"{PAGE}/end", f"{PAGE}/1/end"])
def test_staff_are_told_that_it_is_not_for_them(path, make_user):
    client = Client()
    client.force_login(make_user(user_type="STAFF"), "django.contrib.auth.backends.ModelBackend")

    answer = client.get(path)

    assert answer.status_code == 403
    assert "This page is for customers" in answer.content.decode()


def test_names_of_clients_are_shown_as_text(owner, look):
    assistant = connect(owner)
    assistant.connection.client_name = "<script>alert(1)</script>"
    assistant.connection.save()
    log(assistant.connection)

    assert "<script>alert" not in look(owner)


def test_it_costs_as_many_statements_for_many_as_for_one(
    owner, business, browser, django_assert_max_num_queries
):
    log(connect(owner).connection, 2, business=business)
    browser.get(PAGE)
    with django_assert_max_num_queries(30) as one:
        browser.get(PAGE)
    for _ in range(4):
        log(connect(owner).connection, 5, business=business)

    with django_assert_max_num_queries(len(one)):
        browser.get(PAGE)


def test_the_tool_is_named_by_its_title(owner, look):
    connection = connect(owner).connection
    log(connection, tool="svc_list_bills")
    log(connection, tool="svc_gone")

    text = look(owner)

    assert '<span lang="en">List bills</span>' in text
    assert '<span lang="en">svc_gone</span>' in text


def test_it_is_shown_in_spanish(owner, look):
    log(connect(owner, scopes=["cards:read"]).connection)

    text = look(owner, **{"accept-language": "es-MX,es;q=0.9"})

    assert '<html lang="es">' in text
    assert "Asistentes conectados" in text
    assert "Ver sus tarjetas" in text
    assert ">Respondida<" in text


def test_each_outcome_of_a_call_has_a_text():
    assert connected_assistants.OUTCOMES.keys() == {value for value, _ in OUTCOMES}

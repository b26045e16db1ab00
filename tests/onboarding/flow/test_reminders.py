"""The page that stops reminders: by a button or a mail program, without a session."""

import pytest
from django.test import Client

from onboarding.models import Application, Event, OwnerInvitation
from onboarding.services.access import reminder_links
from onboarding.services.leads import owner_invitations
from tests.factories import NOON


@pytest.fixture
def application(make_application):
    return make_application(status="IN_PROGRESS")


@pytest.fixture
def page(application):
    return reminder_links.location(application).removeprefix("http://testserver")


@pytest.fixture
def browser():
    return Client(enforce_csrf_checks=True)


def is_stopped():
    return Application.objects.get(is_current=True).nudges_stopped_at is not None


def test_a_scanner_that_opens_the_link_stops_nothing(browser, page):
    response = browser.get(page)

    assert "Stop the reminders" in response.content.decode()
    assert response.headers["Cache-Control"].startswith("max-age=0")
    assert not is_stopped()


def test_a_mail_program_stops_the_reminders_with_one_post(browser, page):
    response = browser.post(page, {"List-Unsubscribe": "One-Click"})

    assert (response.status_code, response.content) == (200, b"")
    assert is_stopped()


def test_the_buttons_stop_and_resume_the_reminders(browser, page):
    stopped = browser.post(page, {"button": "1"}, follow=True)
    assert "You will get no more reminders" in stopped.content.decode()
    assert is_stopped()

    browser.post(page, {"button": "1", "resume": "1"})

    assert not is_stopped()


def test_an_old_mail_stops_the_reminders_about_the_newest_attempt(browser, page, application):
    Application.objects.update(is_current=False)
    newest = Application.objects.get()
    newest.pk, newest.attempt, newest.is_current = None, 2, True
    newest.external_id, newest.link_digest, newest.token_digest = NEWEST, "2", "2"
    newest.save()

    browser.post(page, {"List-Unsubscribe": "One-Click"})

    assert is_stopped()
    assert Event.objects.get().application == newest


@pytest.mark.parametrize("token", ["x", "0" * 32, f"{'0' * 32}.abc", "é.é", "." * 500])
def test_a_forged_link_leads_nowhere(browser, application, token):
    assert browser.get(f"/reminders/{token}").status_code == 404
    assert browser.post(f"/reminders/{token}").status_code == 404
    assert not is_stopped()


NEWEST = "01a213c4-af77-750a-9ea1-1ddfe2333226"


@pytest.fixture
def owner_page(application, make_owner):
    owner = make_owner(application.lead, email="grace@example.com")
    owner_invitations.invite(application, str(owner.external_id), language="en", at=NOON)
    invitation = OwnerInvitation.objects.select_related("owner").get()
    return reminder_links.owner_location(invitation).removeprefix("http://testserver")


def test_an_owner_stops_and_resumes_the_reminders(browser, owner_page):
    def is_stopped():
        return OwnerInvitation.objects.get().reminders_stopped_at is not None

    browser.get(owner_page)
    assert not is_stopped()
    stopped = browser.post(owner_page, {"button": "1"}, follow=True)
    assert "You will get no more reminders" in stopped.content.decode()
    assert is_stopped()
    browser.post(owner_page, {"button": "1", "resume": "1"})
    assert not is_stopped()


def test_a_link_of_one_kind_is_none_of_the_other(browser, page, owner_page):
    token, of_owner = page.rpartition("/")[2], owner_page.rpartition("/")[2]

    assert browser.get(f"/reminders/owner/{token}").status_code == 404
    assert browser.get(f"/reminders/{of_owner}").status_code == 404

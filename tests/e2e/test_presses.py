"""Clicks in a real browser at the moment when a part of the page is replaced: none is lost."""

import pytest
from django.utils import timezone

from onboarding.choices import ApplicationStatus as Status
from onboarding.models import Application
from onboarding.services.applications.lifecycle import move
from onboarding.services.events.history import CHECKS
from tests import factories
from tests.e2e.test_embedded import (
    CHOOSE,
    PICTURE,
    application,
    bank,
    browse,
    embedded,
    host,
    partner,
    send,
)

__all__ = ["bank", "browse", "embedded", "host", "partner"]

MESSAGE = "Is the lease enough?"

pytestmark = [pytest.mark.one_database, pytest.mark.django_db(transaction=True)]


class Held:
    """Pages of a path that are held back until they are let go."""

    def __init__(self, page, path, method="GET"):
        self._page, self._path, self._method, self._routes = page, path, method, []
        page.route(path, self._hold)

    def _hold(self, route):
        request = route.request
        if request.method != self._method or "hx-request" not in request.headers:
            route.continue_()
        else:
            self._routes.append((route, route.fetch()))

    def wait(self):
        while not self._routes:
            self._page.wait_for_timeout(20)

    def let_go(self):
        for route, answer in self._routes:
            route.fulfill(response=answer)
        self._page.unroute(self._path)
        self._page.wait_for_timeout(300)  # htmx replaces the page after 20 ms


def press(page, button, *, meanwhile):
    button.hover()
    page.mouse.down()
    meanwhile()
    page.mouse.up()


def test_a_click_counts_during_which_its_page_is_replaced(embedded):
    page, frame = embedded.page, embedded.frame
    held = Held(page, "**/documents")
    frame.get_by_role("link", name="Documents", exact=True).click()
    held.wait()

    business = frame.get_by_role("link", name="Business", exact=True)
    press(page, business, meanwhile=held.let_go)

    embedded.wait_for("step_changed", step="business")
    assert frame.locator("#flow").get_attribute("data-step") == "business"


@pytest.mark.parametrize("first", ["documents", "business"])
def test_the_last_of_two_clicks_counts(embedded, first):
    page, frame = embedded.page, embedded.frame
    answers = {step: Held(page, f"**/{step}") for step in ("documents", "business")}
    for name in ("Documents", "Business"):
        frame.get_by_role("link", name=name, exact=True).click()
        answers[name.lower()].wait()

    answers.pop(first).let_go()
    for held in answers.values():
        held.let_go()

    embedded.wait_for("step_changed", step="business")
    assert frame.locator("#flow").get_attribute("data-step") == "business"


def test_the_way_out_counts_while_the_status_changes_by_itself(embedded):
    page, frame = embedded.page, embedded.frame
    Application.objects.update(status=Status.SUBMITTED)
    frame.get_by_role("link", name="Documents", exact=True).click()
    embedded.wait_for("step_changed", step="status")
    held = Held(page, "**/status")
    move(application(), Status.DOCUMENTS_REQUIRED, by=CHECKS, at=timezone.now())
    held.wait()

    press(page, frame.locator("[data-exit]"), meanwhile=held.let_go)

    page.locator("iframe").wait_for(state="detached")


def test_a_message_that_is_typed_while_the_status_changes_by_itself_is_kept(embedded):
    page, frame = embedded.page, embedded.frame
    Application.objects.update(status=Status.SUBMITTED)
    factories.make_note(application(), is_for_applicant=True)
    frame.get_by_role("link", name="Documents", exact=True).click()
    embedded.wait_for("step_changed", step="status")
    held = Held(page, "**/status")
    Application.objects.update(status=Status.IN_REVIEW)
    held.wait()

    frame.locator("textarea").fill(MESSAGE)
    held.let_go()

    assert frame.locator("textarea").input_value() == MESSAGE


def test_a_link_counts_while_a_file_is_sent_and_the_next_file_is_sent_too(embedded):
    page, frame = embedded.page, embedded.frame
    frame.get_by_role("link", name="Documents", exact=True).click()
    file = {"name": "a.png", "mimeType": "image/png", "buffer": PICTURE}
    upload, business = Held(page, "**/documents", "POST"), Held(page, "**/business")
    frame.locator(CHOOSE).last.set_input_files(file)
    upload.wait()
    frame.get_by_role("link", name="Business", exact=True).click()
    business.wait()

    upload.let_go()
    business.let_go()

    embedded.wait_for("step_changed", step="business")
    frame.get_by_role("link", name="Documents", exact=True).click()
    frame.get_by_role("link", name="a.png").wait_for()
    send(frame.locator(CHOOSE).last, "b.pdf", "application/pdf", factories.PDF)
    assert embedded.errors == []

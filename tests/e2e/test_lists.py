"""The lists of the back office at 1280 by 800: rows in view, and no column cut off."""

from datetime import timedelta

import pytest
from django.contrib import admin
from django.urls import reverse
from django.utils import timezone

from banking.models import User
from onboarding.choices import ApplicationStatus
from tests import factories
from tests.e2e.focus import list_obscured_controls

PASSWORD = "copper-otter-9-lamp"
QUEUE = "/admin/onboarding/application/"
ROWS = 12
CUT_OFF = """() => [...document.querySelectorAll('#result_list')].filter(
    (table) => table.getBoundingClientRect().right > document.documentElement.clientWidth + 1
      || table.parentElement.scrollWidth > table.parentElement.clientWidth + 1).length"""
VISIBLE = """() => { const bar = document.querySelector('#changelist .actions');
  const end = Math.min(innerHeight, bar ? bar.getBoundingClientRect().top : innerHeight);
  return [...document.querySelectorAll('#result_list tbody tr')].filter(
    (row) => row.getBoundingClientRect().bottom <= end + 0.5).length }"""
BADGE_HEIGHTS = """() => [...document.querySelectorAll('.field-state .badge')].map(
    (badge) => Math.round(badge.getBoundingClientRect().height))"""

pytestmark = [pytest.mark.one_database, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def page(chromium, live_server, settings):
    """A signed-in window, with cases in the queue."""
    settings.CSRF_TRUSTED_ORIGINS = [live_server.url]
    User.objects.create_superuser("dana@example.com", PASSWORD, first_name="Dana")
    now = timezone.now()
    statuses = [ApplicationStatus.IN_REVIEW, ApplicationStatus.APPROVED_TEMPORARY]
    partner = factories.make_partner(name="Northstar Commerce")
    for number in range(30):
        factories.make_application(
            factories.make_lead(partner, business_name=f"Harbor Coffee Roasters {number} LLC"),
            at=now,
            status=[*statuses, ApplicationStatus.DOCUMENTS_REQUIRED][number % 3],
            review_began_at=now,
            status_changed_at=now - timedelta(days=number % 4),
            due_at=now + timedelta(hours=number),
            risk=["HIGH", "LOW"][number % 2],
        )
    context = chromium.new_context(
        base_url=live_server.url, viewport={"width": 1280, "height": 800}
    )
    page = context.new_page()
    page.goto(f"/admin/login/?next={QUEUE}")
    page.fill("#id_username", "dana@example.com")
    page.fill("#id_password", PASSWORD)
    page.click("[type=submit]")
    page.wait_for_selector("#result_list")
    yield page
    context.close()


def test_the_queue_shows_twelve_cases_and_statuses_on_one_line(page):
    assert page.evaluate(VISIBLE) >= ROWS
    assert max(page.evaluate(BADGE_HEIGHTS)) < 28


def test_no_case_is_behind_the_bar_of_actions_when_the_keyboard_reaches_it(page):
    page.locator("#action-toggle").focus()

    assert list_obscured_controls(page, "#result_list tbody :is(a, input)") == []


def test_no_list_cuts_off_a_column(page):
    cut = []
    for model in admin.site._registry:  # noqa: SLF001 - Django's only way to know
        path = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
        page.goto(path)
        if page.evaluate(CUT_OFF):
            cut.append(path)

    assert cut == []

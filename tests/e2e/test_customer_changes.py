"""The pages on which owners ask for changes, in a real browser: with and without scripts."""

import pytest

from onboarding.models import CustomerCase
from onboarding.services.customers import owner_changes
from tests.e2e.test_pages import LANGUAGES, PASSWORD, browse, check, origin, sign_in
from tests.factories import NOON
from tests.onboarding.customers import cases_of, make_customer, owner_of

__all__ = ["browse", "origin"]
pytestmark = [pytest.mark.one_database, pytest.mark.django_db(transaction=True)]
PAGE = "/account/changes"
SEND = "#step button:not([name])"
GRACE = {"email": "grace@example.com", "first_name": "Grace", "ownership_percent": 20}
NEW_OWNER = {
    "first_name": "Albert",
    "last_name": "Example",
    "email": "albert@example.com",
    "phone_number": "202-555-0155",
    "ownership_percent": "10",
    "own_share": "50",
    "address_line1": "5 Engine Road",
    "address_city": "New York",
    "address_state": "New York",
    "address_postal_code": "10001",
    "ssn": "323-45-6789",
}


@pytest.fixture
def customer(origin):
    customer = make_customer(owners=[GRACE], ownership_percent=60)
    user = owner_of(customer).user
    user.set_password(PASSWORD)
    user.save()
    return customer


def fill(page, values):
    for name, value in values.items():
        page.fill(f"[name={name}]", value)
    parts = page.locator("[name=birth_date]").all()
    for field, part in zip(parts, ["3", "14", "1980"], strict=True):
        field.fill(part)


@pytest.mark.parametrize("locale", LANGUAGES)
def test_anybody_can_use_the_pages(browse, script, customer, locale):
    owner = owner_of(customer)
    for details in ({"title": "CEO"}, {"phone_number": "+12025550188"}):
        owner_changes.request_change(owner, details, language="en", at=NOON)
    denied = {"status": "CLOSED", "outcome": "CHANGE_DENIED", "denial_reason": "NOT_PROVEN"}
    CustomerCase.objects.filter(changed=["title"]).update(**denied, closed_at=NOON)
    page = browse(locale=locale)
    sign_in(page, owner.user.email)
    grace = f"{PAGE}/owners/{customer.lead.owners.get().external_id}"
    forms = [f"{PAGE}/address", f"{PAGE}/owners/add", f"{PAGE}/owners/applicant", grace]

    faults = [fault for path in ["/account", PAGE, *forms] for fault in check(page, path, script)]
    titles = []
    for path in forms:  # nothing changed or filled in
        faults += check(page, path, script, steps=[SEND])
        titles.append(page.title())

    assert faults == []
    assert [title for title in titles if not title.startswith("Error: ")] == []


def test_an_owner_is_added_without_scripts(browse, customer):
    page = browse(java_script_enabled=False)
    sign_in(page, owner_of(customer).user.email)
    page.goto("/account")
    page.click(f"a[href='{PAGE}']")
    page.click("a[href$='/owners/add']")
    fill(page, {**NEW_OWNER, "own_share": "90"})

    page.click(SEND)
    assert "add up to more than 100%" in page.inner_text("#summary")
    page.fill("[name=own_share]", "50")
    page.click(SEND)

    assert "We have received your request" in page.inner_text("main")
    assert "323456789" in cases_of(customer)[0].content
    page.click("#requests ~ ul button")
    assert "Withdrawn" in page.inner_text("main")


def test_what_was_typed_outlasts_the_session(browse, customer):
    page = browse()
    email = owner_of(customer).user.email
    sign_in(page, email)
    page.goto(f"{PAGE}/owners/add")
    fill(page, NEW_OWNER)

    page.context.clear_cookies(name="sessionid")
    page.click(SEND)
    page.fill("#id_username", email)
    page.fill("#id_password", PASSWORD)
    page.click("main form .button")

    assert "We kept what you typed here." in page.inner_text("main")
    page.click(SEND)
    assert "We have received your request" in page.inner_text("main")

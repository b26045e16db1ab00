"""The pages on which owners of a customer ask for changes: what they send, show and keep."""

import json
import re

import pytest
from django.test import Client
from django.utils import timezone

from onboarding.models import Customer, CustomerCase, FormDraft
from onboarding.queries.customer_changes import list_subjects
from onboarding.services.customers import case_claims, case_steps, owner_changes
from onboarding.services.leads import form_drafts
from tests.factories import NOON, make_business_owner, make_user
from tests.mcp_server.pages.test_account import browse
from tests.onboarding.cases import ada
from tests.onboarding.customers import cases_of, make_customer, owner_of
from tests.onboarding.services.leads.test_submissions import ADDRESS, PERSON

__all__ = ["ada"]
pytestmark = pytest.mark.django_db
PAGE = "/account/changes"
ADDRESS_PAGE, NEW, APPLICANT = f"{PAGE}/address", f"{PAGE}/owners/add", f"{PAGE}/owners/applicant"
FULL, PARTNER = "PARTNER_FULL_ACCESS", "PARTNER"
HOME = {"line1": "77 Secret Lane", "city": "Albany", "state": "NY", "postal_code": "12207"}
GRACE = {"email": "grace@example.com", "role": FULL, "ownership_percent": 20, "address": HOME}
GRACE |= {"phone_number": "+12025550177", "birth_date": "1979-03-04", "ssn": "223454321"}
GRACE |= {"first_name": "Grace", "last_name": "Hopper"}
ALAN = {"email": "alan@example.com", "role": PARTNER, "ownership_percent": 20, "first_name": "Alan"}
BLANK = dict.fromkeys([f"address_{part}" for part in ("line1", "city", "state", "postal_code")], "")
MOVED = {
    "business_address_country": "United States",
    "business_address_line1": "4 Compiler Avenue",
    "business_address_city": "New York",
    "business_address_state": "NY",
    "business_address_postal_code": "10001",
    "mailing": "SAME",
}
ALBERT = {
    "first_name": "Albert",
    "last_name": "Example",
    "email": "albert@example.com",
    "phone_number": "202-555-0155",
    "birth_date": ["3", "14", "1980"],
    "ownership_percent": "10",
    "role": "",
    "address_country": "United States",
    "address_line1": "5 Engine Road",
    "address_city": "New York",
    "address_state": "NY",
    "address_postal_code": "10001",
    "ssn": "323-45-6789",
    "own_share": "50",
}


SESSION = 6  # read, user, second factor; saved, in a savepoint
STATEMENTS = SESSION + 4  # owner, customer, owners, requests


@pytest.fixture
def customer():
    return make_customer(owners=[GRACE, ALAN], ownership_percent=60)


@pytest.fixture
def client(customer):
    return browse(owner_of(customer).user)


@pytest.fixture
def grace(customer):
    return browse(owner_of(customer, "grace@example.com").user)


def page_of(customer, email="grace@example.com"):
    return f"{PAGE}/owners/{customer.lead.owners.get(email=email).external_id}"


def read(client, path=PAGE):
    answer = client.get(path)
    assert answer.status_code == 200
    return answer.content.decode()


def sent(client, path, values):
    """Post a form that is right, and return the values of the request that it became."""
    answer = client.post(path, values)
    assert answer["Location"] == PAGE, read(client, path)
    return json.loads(CustomerCase.objects.order_by("-pk").first().content)


def refused(client, path, values):
    """Post a form that is wrong, and return the page that says so."""
    answer = client.post(path, values)
    assert answer["Location"] == path
    return read(client, path)


def kept_for(client, path):
    return re.search(r'name="kept_for" value="([^"]+)"', read(client, path))[1]


def person_form(client, path, **values):
    """Return the fields of a page about a person as they stand, and some others."""
    text = read(client, path)
    names = ["first_name", "last_name", "ownership_percent", "title"]
    stand = {name: re.search(rf'name="{name}" value="([^"]*)"', text) for name in names}
    fields = {name: found[1] if found else "" for name, found in stand.items()}
    is_applicant = path == APPLICANT
    role = {} if is_applicant else {"role": re.search(r'value="(\w*)" selected', text)[1]}
    country = "country" if is_applicant else "address_country"
    return {**fields, **role, country: "United States", **values}


def test_it_needs_a_sign_in(customer):
    for path in (PAGE, ADDRESS_PAGE):
        assert Client().get(path)["Location"] == f"/sign-in?next={path}"


def test_staff_see_a_message():
    staff = browse(make_user(user_type="STAFF", is_superuser=True))

    assert staff.get(PAGE).status_code == 403


def test_a_user_without_a_business_finds_nothing():
    assert browse(make_user()).get(PAGE).status_code == 404


@pytest.mark.parametrize("path", [PAGE, ADDRESS_PAGE, NEW, APPLICANT])
def test_an_owner_without_full_access_reads_why_not(customer, path):
    alan = browse(owner_of(customer, "alan@example.com").user)

    answer = alan.get(path)

    assert answer.status_code == 403
    assert "you need full access" in answer.content.decode()
    assert alan.post(path, MOVED).status_code == 403
    assert not cases_of(customer)


def test_a_business_without_a_customer_record_is_told_to_call():
    owner = make_business_owner(user=make_user())

    answer = browse(owner.user).get(PAGE)

    assert answer.status_code == 404
    assert "Call us for a change" in answer.content.decode()


def test_the_list_names_owners_and_shares_and_no_personal_data(client):
    text = read(client)

    assert "Grace Hopper" in text
    assert "20%" in text
    assert not any(secret in text for secret in secrets())


def secrets():
    return ["Secret Lane", "12207", "555-0177", "2025550177", "4321", "1979", "1 Main Street"]


def test_no_page_shows_a_birth_date_number_or_home(customer, client, grace):
    own = [PERSON["phone_number"][2:], "1985"]
    for reader in (client, grace):
        for path in (page_of(customer), APPLICANT, NEW):
            text = read(reader, path)
            assert not any(secret in text for secret in [*secrets(), *own]), path


def test_a_new_business_address_is_sent_whole(customer, client):
    details = sent(client, ADDRESS_PAGE, {**MOVED, "reason": "We moved."})

    address = {**ADDRESS, "line1": "4 Compiler Avenue", "line2": None, "country": "US"}
    assert details == {"business_address": address}
    case = cases_of(customer)[0]
    assert (case.opened_as, case.causes[0]["text"]) == ("APPLICANT", "We moved.")
    assert "Being checked" in read(client)


def test_an_unchanged_address_is_no_request(customer, client):
    text = refused(client, ADDRESS_PAGE, {**MOVED, "business_address_line1": ADDRESS["line1"]})

    assert "You have not changed anything." in text
    assert not cases_of(customer)


def test_a_mailing_address_is_sent_beside_the_unchanged_business_address(client):
    other = {name.replace("business", "mailing"): one for name, one in MOVED.items()}
    stays = {**MOVED, "business_address_line1": ADDRESS["line1"]}

    details = sent(client, ADDRESS_PAGE, {**stays, **other, "mailing": "OTHER"})

    assert details.keys() == {"mailing_address"}
    assert details["mailing_address"]["line1"] == "4 Compiler Avenue"


def test_mail_goes_to_the_business_again():
    customer = make_customer(mailing_address=HOME)
    client = browse(owner_of(customer).user)
    assert 'value="OTHER"' in read(client, ADDRESS_PAGE)

    details = sent(client, ADDRESS_PAGE, {**MOVED, "business_address_line1": ADDRESS["line1"]})

    assert details.keys() == {"mailing_address"}
    assert details["mailing_address"]["line1"] == ADDRESS["line1"]


def test_a_po_box_is_no_business_address(client):
    text = refused(client, ADDRESS_PAGE, {**MOVED, "business_address_line1": "PO Box 12"})

    assert "Enter a street address, not a P.O. box." in text
    assert "PO Box 12" in text


def test_the_address_of_another_owner_is_sent_and_nothing_else(customer, client):
    path = page_of(customer)
    moved = {f"address_{part}": value for part, value in ADDRESS.items()}

    details = sent(client, path, person_form(client, path, **moved))

    address = {**ADDRESS, "line2": None, "country": "US"}
    assert details == {"owners": [{"email": "grace@example.com", "address": address}]}
    assert "Grace Hopper: Home address" in read(client)


@pytest.mark.parametrize("page", [page_of, lambda _customer: APPLICANT], ids=["owner", "applicant"])
@pytest.mark.parametrize("values", ["phone", "home"])
def test_a_request_does_not_tell_whether_an_unseen_value_is_the_stored_one(
    customer, client, grace, page, values
):
    """Owners see neither phone nor home of each other, and might guess them."""
    path = page(customer)
    reader, prefix = (grace, "") if path == APPLICANT else (client, "address_")
    stored = customer.lead if path == APPLICANT else customer.lead.owners.get(email=GRACE["email"])
    home = {name: getattr(stored, name) for name in ADDRESS} if path == APPLICANT else HOME
    guesses = {
        "phone": ({"phone_number": stored.phone_number}, {"phone_number": "+12025550199"}),
        "home": (
            {f"{prefix}{name}": value for name, value in home.items()},
            {f"{prefix}{name}": value for name, value in {**home, "line1": "1 Other St"}.items()},
        ),
    }

    seen = []
    for guess in guesses[values]:
        sent(
            reader,
            path,
            person_form(reader, path, **{**guess, f"{prefix}country": "United States"}),
        )
        case = CustomerCase.objects.latest("pk")
        said = (case.changed, [str(one) for one in list_subjects(case)])
        listed = re.findall(r"<li.*?</li>", read(reader), re.DOTALL)
        seen.append((said, [without_ids(one) for one in listed]))
        case.delete()

    assert seen[0] == seen[1]


def without_ids(text):
    return re.sub(r'value="[^"]+"|[0-9a-f-]{36}|<time.*?</time>', "", text)


def test_half_an_address_is_refused(customer, client):
    path = page_of(customer)

    text = refused(
        client, path, person_form(client, path, **BLANK | {"address_line1": "9 New Street"})
    )

    assert "Enter the city." in text
    assert 'value="9 New Street"' in text


def test_an_owner_changes_name_share_and_role_of_the_own(customer, grace):
    path = page_of(customer)
    changed = {"last_name": "Murray", "ownership_percent": "15.5", "role": PARTNER}

    details = sent(grace, path, person_form(grace, path, **changed))

    assert details == {"owners": [{"email": "grace@example.com", **changed}]}
    assert cases_of(customer)[0].opened_as == "OWNER"


def test_the_data_of_the_applicant_are_values_of_the_lead(client):
    changed = {"phone_number": "(202) 555-0188", "title": "President"}

    details = sent(client, APPLICANT, person_form(client, APPLICANT, **changed))

    assert details == {"phone_number": "+12025550188", "title": "President"}


def test_a_sole_proprietor_gives_the_business_the_new_name():
    customer = make_customer(business_type="SSN", ownership_percent=100)
    client = browse(owner_of(customer).user)

    details = sent(client, APPLICANT, person_form(client, APPLICANT, last_name="Ortega"))

    assert details == {"last_name": "Ortega", "business_name": "José Ortega"}


def test_a_new_owner_is_sent_with_the_own_share(client):
    details = sent(client, NEW, ALBERT)

    [new] = details.pop("owners")
    assert details == {"ownership_percent": "50"}
    assert (new["email"], new["ssn"], new["birth_date"]) == (
        "albert@example.com",
        "323456789",
        "1980-03-14",
    )
    assert new["address"]["line1"] == "5 Engine Road"
    assert "New owner: Albert Example" in read(client)


def test_the_own_share_of_another_owner_goes_with_the_new_owner(grace):
    details = sent(grace, NEW, {**ALBERT, "own_share": "10"})

    assert details["owners"][0] == {"email": "grace@example.com", "ownership_percent": "10"}
    assert details["owners"][1]["email"] == "albert@example.com"


def test_shares_of_more_than_all_are_refused_and_the_number_is_kept_unshown(client):
    text = refused(client, NEW, {**ALBERT, "own_share": "60"})

    assert "The shares of all owners add up to more than 100%." in text
    assert "We kept the number ending in 6789" in text
    assert "323-45-6789" not in text
    details = sent(client, NEW, {**ALBERT, "ssn": ""})
    assert details["owners"][0]["ssn"] == "323456789"


@pytest.mark.parametrize("email", ["grace@example.com", "ADA@example.com"])
def test_a_listed_owner_is_not_added_again(client, customer, email):
    type(customer.lead).objects.update(email="ada@example.com")

    assert "already on the list of owners" in refused(client, NEW, {**ALBERT, "email": email})


def test_a_name_of_10000_characters_is_refused(customer, client):
    path = page_of(customer)

    text = refused(client, path, person_form(client, path, first_name="x" * 10_000))

    assert "100 characters" in text
    assert not cases_of(customer)


def test_markup_in_a_name_stays_text(client):
    text = refused(client, NEW, {**ALBERT, "first_name": "<script>alert(1)</script>"})

    assert "<script>alert" not in text


def test_an_owner_of_another_business_is_not_found(customer, client):
    other = make_customer(email="eve@example.com", ein="987654321", owners=[GRACE])

    assert client.get(page_of(other)).status_code == 404
    assert client.post(page_of(other), {"first_name": "Eve"}).status_code == 404
    assert not cases_of(other)


def test_the_requests_of_another_business_are_not_shown_or_withdrawn(customer, client):
    other = make_customer(email="eve@example.com", ein="987654321")
    case = owner_changes.request_change(owner_of(other), {"title": "CEO"}, language="en", at=NOON)

    assert "You have not asked for a change." in read(client)
    assert client.post(f"{PAGE}/{case.external_id}/withdraw").status_code == 404


def test_the_request_of_another_owner_is_shown_and_not_withdrawn(customer, client, grace):
    sent(client, ADDRESS_PAGE, MOVED)
    case = cases_of(customer)[0]

    text = read(grace)

    assert "Another owner asked on" in text
    assert "/withdraw" not in text
    assert grace.post(f"{PAGE}/{case.external_id}/withdraw").status_code == 404


def test_an_own_request_is_withdrawn_once(customer, client):
    sent(client, ADDRESS_PAGE, MOVED)
    path = re.search(rf'action="({PAGE}/[\w-]+/withdraw)"', read(client))[1]

    first = client.post(path, follow=True).content.decode()
    second = client.post(path, follow=True).content.decode()

    assert "You have withdrawn the request." in first
    assert ">Withdrawn<" in first
    assert "This request was decided or withdrawn already." in second


def test_a_denial_is_shown_with_its_reason(customer, client, ada):
    sent(client, ADDRESS_PAGE, MOVED)
    case = cases_of(customer)[0]
    case_claims.claim(case, by=ada, at=NOON)
    denied = {"denial_reason": "NOT_PROVEN", "reason": "Internal words."}
    case_steps.decide(case, "CHANGE_DENIED", **denied, by=ada, at=NOON)

    text = read(client)

    assert ">Not changed<" in text
    assert "we will tell you which ones we need" in text
    assert "Internal words." not in text


def test_what_staff_and_partners_ask_is_not_shown(customer, client):
    asked = {"kind": "CHANGE", "opened_at": NOON, "due_at": NOON, "customer": customer}
    for role in ("PARTNER", "REVIEWER"):
        CustomerCase.objects.create(opened_as=role, **asked)

    assert "You have not asked for a change." in read(client)


def test_too_many_requests_are_refused_and_what_was_typed_stays(customer, client):
    for number in range(5):
        owner_changes.request_change(
            owner_of(customer),
            {"phone_number": f"+1202555010{number}"},
            language="en",
            at=NOON,
        )

    text = refused(client, ADDRESS_PAGE, MOVED)

    assert "5 requests are still being checked." in text
    assert "4 Compiler Avenue" in text


def test_a_closed_customer_reads_so(customer, client):
    Customer.objects.update(status="CLOSED", closed_at=NOON, review_due_on=None)

    text = read(client)

    assert "The account of this business is closed" in text
    assert "Add an owner" not in text
    assert client.get(ADDRESS_PAGE)["Location"] == PAGE
    assert client.post(ADDRESS_PAGE, MOVED)["Location"] == PAGE
    assert not cases_of(customer)


def test_a_restricted_customer_reads_nothing_of_it(customer, client):
    before = read(client)
    Customer.objects.update(status="RESTRICTED", restricted_at=NOON)

    assert without_tokens(read(client)) == without_tokens(before)


def without_tokens(text):
    return re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", text)


def test_cancel_discards_what_was_typed(client):
    refused(client, ADDRESS_PAGE, {**MOVED, "business_address_city": ""})

    assert client.post(ADDRESS_PAGE, {"then": "cancel"})["Location"] == PAGE
    assert not FormDraft.objects.exists()


def test_a_form_posted_after_the_session_is_kept_for_its_user_alone(customer, client, grace):
    values = {**ALBERT, "kept_for": kept_for(client, NEW)}
    client.logout()

    answer = client.post(NEW, values)

    assert answer["Location"] == f"/sign-in?next={NEW}"
    assert not cases_of(customer)
    again = read(browse(owner_of(customer).user), NEW)
    assert "We kept what you typed here." in again
    assert 'value="albert@example.com"' in again
    assert "323-45-6789" not in again
    assert "albert@example.com" not in read(grace, NEW)


@pytest.mark.parametrize("token", ["", "forged"])
def test_a_form_without_the_token_of_its_page_is_not_kept(client, customer, token):
    Client().post(NEW, {**ALBERT, "kept_for": token})
    Client().post(ADDRESS_PAGE, {**MOVED, "kept_for": kept_for(client, NEW)})

    assert not FormDraft.objects.exists()


def test_a_draft_is_none_of_the_applicants_pages(customer, client):
    refused(client, ADDRESS_PAGE, {**MOVED, "business_address_city": ""})

    assert form_drafts.list_pages(customer.application, at=timezone.now()) == []


def test_it_speaks_spanish(customer):
    client = browse(owner_of(customer).user, "es")

    text = read(client)
    sent(client, ADDRESS_PAGE, MOVED)

    assert "Cambios en su empresa" in text
    assert cases_of(customer)[0].language == "es"


def test_requests_cost_the_list_no_statements(customer, client, django_assert_num_queries):
    read(client)
    with django_assert_num_queries(STATEMENTS):
        read(client)
    for number in range(3):
        owner_changes.request_change(
            owner_of(customer),
            {"phone_number": f"+1202555010{number}"},
            language="en",
            at=NOON,
        )

    with django_assert_num_queries(STATEMENTS):
        read(client)


def test_the_home_page_leads_there(customer, client):
    assert f'href="{PAGE}"' in read(client, "/account")
    alan = browse(owner_of(customer, "alan@example.com").user)
    assert f'href="{PAGE}"' not in read(alan, "/account")

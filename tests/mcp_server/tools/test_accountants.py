"""Clients and their statements, as an accountant's assistant sees them."""

import io
import re
import zipfile
from base64 import b64decode
from datetime import UTC, date, datetime
from uuid import uuid4

import pytest
from django.utils import timezone

from banking.choices import AccessLevel, AccessStatus, AccountType
from banking.models import Statement
from banking.services import clients
from banking.services.statements import close_months
from mcp_server.models import AccessLogEntry
from mcp_server.queries.activity import list_calls
from mcp_server.services import client_accesses, firms
from tests.factories import NOON, later, make_accountant, make_bill, make_supplier, make_user
from tests.mcp_server.downloads import LINK, without_link

PENDING = {"status": AccessStatus.PENDING_TERMS, "granted_at": None}
REVOKED = {"status": AccessStatus.REVOKED, "revoked_at": later(days=9)}
UNKNOWN = {"availableBalanceCents": None, "availableBalanceUsd": None, "lastStatement": None}
WAITING = (
    "ACCESS_DENIED",
    "This client's access waits for terms to be accepted: call svc_get_client_access_status.",
)
ENDED = ("ACCESS_DENIED", "The access to this client has ended.")
STRANGER = (
    "ACCESS_DENIED",
    "There is no such business among those that you may see. "
    "Take the client's externalId from list_customers.",
)
SOME_DAY = datetime(2999, 1, 1, tzinfo=UTC)
APRIL = datetime(2026, 4, 2, tzinfo=UTC)
FOR_ONE_CLIENT = [
    ("select_customer", "customerExternalId"),
    ("svc_download_client_statement", "businessUserId"),
    ("svc_get_client_access_status", "businessUserId"),
]


@pytest.fixture
def assistant(accountant, make_assistant):
    return make_assistant(accountant.user)


@pytest.fixture
def bakery(accountant, make_access, make_business, make_business_owner):
    business = make_business(legal_name="Crumb & Co 100% LLC")
    make_business_owner(business, first_name="Ada", last_name="Lovelace", email="ada@example.com")
    return make_access(accountant, business, level=AccessLevel.READ_ONLY)


@pytest.fixture
def studio(accountant, make_access, make_business):
    """A client that has yet to accept the terms, and whose owners are not known."""
    business = make_business(legal_name="Zinc Studio Inc.", business_type="C_CORP")
    return make_access(accountant, business, **PENDING)


@pytest.fixture
def close(make_account):
    """Close the months of a business through March."""

    def make(business, **values):
        account = make_account(business, opened_at=datetime(2026, 1, 15, tzinfo=UTC), **values)
        list(close_months(through=date(2026, 3, 1), at=APRIL))
        return Statement.objects.get(account=account, month=3)

    return make


def as_client(access, **values):
    return {
        "externalId": str(access.business.external_id),
        "businessName": access.business.legal_name,
        **values,
    }


def test_customers_are_listed_by_name_with_contact_details(
    assistant, bakery, studio, make_access, django_assert_num_queries
):
    make_access()

    with django_assert_num_queries(4):  # the token, the accountant, the clients, the log
        answer = assistant.call("list_customers")

    assert answer == {
        "customers": [
            as_client(
                bakery,
                businessType="LLC",
                status="CONNECTED",
                email="ada@example.com",
                firstName="Ada",
                lastName="Lovelace",
            ),
            as_client(
                studio,
                businessType="C_CORP",
                status="PENDING_TERMS",
                email=studio.business.email,
                firstName=None,
                lastName=None,
            ),
        ],
        "totalCount": 2,
    }


def test_a_customer_who_took_the_access_back_is_still_listed(assistant, accountant, make_access):
    make_access(accountant, **REVOKED)

    assert assistant.call("list_customers")["customers"][0]["status"] == "REVOKED"


def test_an_accountant_may_have_no_clients(assistant):
    assert assistant.call("list_customers") == {"customers": [], "totalCount": 0}


@pytest.mark.parametrize("count", [1, 20])
def test_customers_take_one_statement(
    assistant, accountant, make_access, make_business_owner, count, django_assert_num_queries
):
    for _ in range(count):
        make_business_owner(make_access(accountant).business)

    with django_assert_num_queries(4):
        assert assistant.call("list_customers")["totalCount"] == count


@pytest.mark.parametrize("level", AccessLevel)
def test_a_connected_customer_can_be_selected(assistant, accountant, make_access, level):
    business = make_access(accountant, level=level).business

    answer = assistant.call("select_customer", customerExternalId=str(business.external_id))

    assert answer == {
        "selected": True,
        "customerExternalId": str(business.external_id),
        "businessName": business.legal_name,
    }


@pytest.mark.parametrize(("tool", "parameter"), FOR_ONE_CLIENT)
def test_other_accountants_clients_look_like_nobody(assistant, make_access, tool, parameter):
    stranger = make_access().business

    for external_id in [stranger.external_id, uuid4(), "no id", "%"]:
        assert assistant.refusal(tool, **{parameter: str(external_id)}) == STRANGER


@pytest.mark.parametrize(("tool", "parameter"), FOR_ONE_CLIENT[:2])
def test_a_client_may_be_named_by_its_owners_user_id(
    assistant, accountant, make_access, make_business_owner, tool, parameter
):
    access = make_access(accountant)
    owner = make_business_owner(access.business, user=make_user())

    by_user = assistant.call(tool, **{parameter: str(owner.user.external_id)})

    assert by_user == assistant.call(tool, **{parameter: str(access.business.external_id)})
    assert by_user.get("error", {}).get("code") in {None, "NOT_FOUND"}  # without a statement


def test_a_refused_call_is_logged_for_the_owner_whichever_id_it_names(
    assistant, accountant, make_access, make_business_owner
):
    access = make_access(accountant, **REVOKED)
    owner = make_business_owner(access.business, user=make_user())

    assistant.refusal("svc_get_tax_bucket", businessUserId=str(owner.user.external_id))

    assert AccessLogEntry.objects.get().business == access.business


@pytest.mark.parametrize(("tool", "parameter"), FOR_ONE_CLIENT)
def test_the_client_must_be_named(assistant, tool, parameter):
    code, message = assistant.refusal(tool)

    assert code == "INVALID_PARAMETER"
    assert message == (
        f"{parameter}: is required: a text of at most 64 characters. "
        "The client's externalId, from list_customers."
    )


@pytest.mark.parametrize(("values", "told"), [(PENDING, WAITING), (REVOKED, ENDED)])
@pytest.mark.parametrize(("tool", "parameter"), FOR_ONE_CLIENT[:2])
def test_a_client_that_is_not_connected_shows_nothing(
    assistant, accountant, make_access, tool, parameter, values, told
):
    business = make_access(accountant, **values).business

    assert assistant.refusal(tool, **{parameter: str(business.external_id)}) == told


def test_the_accountant_has_a_firm_and_a_referral_code(
    make_accountant, make_user, make_assistant, django_assert_num_queries
):
    user = make_user(
        user_type="ACCOUNTANT", first_name="Priya", last_name="", email="p@example.com"
    )
    make_accountant(user, firm_name="Oak & Ledger", partner_referral_code="OAK")
    assistant = make_assistant(user)

    with django_assert_num_queries(3):  # the token, the accountant, the log
        answer = assistant.call("svc_get_accountant_profile")

    assert answer == {
        "externalId": str(user.external_id),
        "firstName": "Priya",
        "lastName": None,
        "firmName": "Oak & Ledger",
        "email": "p@example.com",
        "partnerReferralCode": "OAK",
    }


def test_clients_come_in_pages_with_their_access(assistant, bakery, studio):
    assert assistant.call("svc_list_accountant_clients") == {
        "clients": [
            as_client(
                bakery,
                businessType="LLC",
                status="CONNECTED",
                email="ada@example.com",
                firstName="Ada",
                lastName="Lovelace",
                accessLevel="READ_ONLY",
                connectedDate="2026-03-02",
                **UNKNOWN,
                billsOverdueCount=0,
                invoicesOverdueCount=0,
            ),
            as_client(
                studio,
                businessType="C_CORP",
                status="PENDING_TERMS",
                email=studio.business.email,
                firstName=None,
                lastName=None,
                accessLevel="FULL",
                connectedDate=None,
                **UNKNOWN,
                billsOverdueCount=None,
                invoicesOverdueCount=None,
            ),
        ],
        "page": 0,
        "pageSize": 20,
        "totalCount": 2,
        "totalPages": 1,
    }


def test_a_client_in_the_list_has_balance_last_statement_and_what_is_overdue(
    assistant, bakery, close, make_assistant, accountant
):
    statement = close(bakery.business)
    bill = make_bill(make_supplier(bakery.business), 500)

    [told] = assistant.call("svc_list_accountant_clients", search=bakery.business.legal_name)[
        "clients"
    ]

    assert told["availableBalanceCents"] == statement.account.available_cents
    assert told["lastStatement"] == f"{statement.year}-{statement.month:02d}"
    assert (told["billsOverdueCount"], told["invoicesOverdueCount"]) == (1, 0), bill.due_date
    narrow = make_assistant(accountant.user, scopes=["clients:read", "bills:read"])
    [told] = narrow.call("svc_list_accountant_clients", search=bakery.business.legal_name)[
        "clients"
    ]
    assert (told["availableBalanceCents"], told["lastStatement"]) == (None, None)
    assert told["billsOverdueCount"] == 1


def test_a_page_of_clients_beyond_the_last_is_empty(assistant, bakery, studio):
    assert assistant.call("svc_list_accountant_clients", page=2, size=1) == {
        "clients": [],
        "page": 2,
        "pageSize": 1,
        "totalCount": 2,
        "totalPages": 2,
    }


@pytest.mark.parametrize(
    ("search", "found"),
    [("100%", 1), ("ADA LOVE", 1), ("zinc", 1), ("", 2), (None, 2), ("_", 0), ("ada@", 0)],
)
def test_clients_are_searched_by_business_and_owner(assistant, bakery, studio, search, found):
    assert assistant.call("svc_list_accountant_clients", search=search)["totalCount"] == found


@pytest.mark.parametrize("tool", ["svc_list_accountant_clients", "svc_search_accountant_referrals"])
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"size": 51}, "size: must be a whole number from 1 to 50"),
        ({"size": 0}, "size: must be a whole number from 1 to 50"),
        ({"page": -1}, "page: must be a whole number from 0 to 1000000"),
        ({"search": "a" * 201}, "search: must be a text of at most 200 characters"),
    ],
)
def test_pages_have_limits(assistant, tool, arguments, message):
    assert assistant.refusal(tool, **arguments) == ("INVALID_PARAMETER", message)


@pytest.mark.parametrize("count", [2, 20])
def test_a_page_of_clients_takes_the_same_statements_for_any_number(
    assistant, accountant, make_access, make_business_owner, count, django_assert_num_queries
):
    for _ in range(count):
        make_business_owner(make_access(accountant).business)

    # the token, the accountant, the page's two, statements, balances, bills, invoices, the log
    with django_assert_num_queries(9):
        page = assistant.call("svc_list_accountant_clients", search="owner", size=2)

    assert (len(page["clients"]), page["totalPages"]) == (2, count // 2)


@pytest.mark.parametrize("level", AccessLevel)
def test_the_latest_statement_of_a_client_is_downloaded(
    assistant, accountant, make_access, close, level
):
    business = make_access(accountant, level=level).business
    close(business, account_type=AccountType.TAX_BUCKET)
    statement = close(business)

    answer = assistant.call(
        "svc_download_client_statement", businessUserId=str(business.external_id)
    )

    content = b64decode(answer.pop("base64"), validate=True)
    assert content == statement.read().content
    assert content.startswith(b"%PDF-")
    assert without_link(answer) == {
        "contentType": "application/pdf",
        "fileName": statement.file_name,
        "statementId": str(statement.external_id),
        "year": 2026,
        "month": 3,
    }


def test_a_client_without_a_closed_month_has_no_statement(assistant, bakery):
    assert assistant.refusal(
        "svc_download_client_statement", businessUserId=str(bakery.business.external_id)
    ) == ("NOT_FOUND", "There is no such statement.")


def test_the_latest_statements_of_all_clients_come_in_one_archive(
    assistant, bakery, studio, accountant, make_access, close
):
    statement = close(bakery.business)
    close(studio.business)
    close(make_access().business)
    fresh = make_access(accountant).business

    answer = assistant.call("svc_download_all_client_statements")

    with zipfile.ZipFile(io.BytesIO(b64decode(answer.pop("base64")))) as archive:
        [name] = archive.namelist()
        assert name.endswith(statement.file_name)
        assert archive.read(name) == statement.read().content
    assert re.fullmatch(r"statements-\d{4}-\d\d-\d\d\.zip", answer.pop("fileName"))
    assert without_link(answer) == {
        "contentType": "application/zip",
        "clientCount": 1,
        "skipped": [
            {"externalId": str(fresh.external_id), "reason": "No month was closed yet."},
        ],
    }


def test_each_owner_sees_that_a_statement_was_taken(
    assistant, bakery, accountant, make_access, make_user, make_business_owner, close
):
    other = make_access(accountant).business
    for business in (bakery.business, other):
        close(business)
    owner, nobody = make_user(), make_user()
    make_business_owner(other, user=owner)

    assistant.call("svc_download_all_client_statements")

    entries = AccessLogEntry.objects.values_list("business", "tool", "outcome")
    assert set(entries) == {
        (business.pk, "svc_download_all_client_statements", "OK")
        for business in (bakery.business, other)
    }
    [seen] = list_calls(owner).items
    assert (seen.tool, seen.business_name) == (
        "svc_download_all_client_statements",
        other.legal_name,
    )
    assert seen.user_name == accountant.user.get_full_name()
    assert list_calls(nobody).items == []


@pytest.mark.parametrize("tool", ["list_customers", "svc_list_accountant_clients"])
def test_each_owner_sees_that_contact_details_were_listed(assistant, bakery, studio, tool):
    assistant.call(tool)

    written = AccessLogEntry.objects.values_list("business", flat=True)
    assert sorted(written) == sorted([bakery.business_id, studio.business_id])


def test_an_owner_sees_a_call_that_was_refused_for_want_of_access(
    assistant, accountant, make_access
):
    access = make_access(accountant, level=AccessLevel.STATEMENTS_ONLY)

    code, _ = assistant.refusal("svc_list_cards", businessUserId=str(access.business.external_id))

    entry = AccessLogEntry.objects.get()
    assert (entry.business, entry.outcome) == (access.business, code)


def test_without_clients_the_archive_is_empty(assistant):
    answer = assistant.call("svc_download_all_client_statements")

    assert zipfile.ZipFile(io.BytesIO(b64decode(answer["base64"]))).namelist() == []
    assert (answer["clientCount"], answer["skipped"]) == (0, [])


@pytest.mark.parametrize("count", [1, 8])
def test_an_archive_takes_two_statements(
    assistant, accountant, make_access, close, count, django_assert_num_queries
):
    for _ in range(count):
        close(make_access(accountant).business)

    with django_assert_num_queries(5 + LINK):  # the token, the accountant, the archive, the log
        assert assistant.call("svc_download_all_client_statements")["clientCount"] == count


def test_the_status_of_an_access_is_told(assistant, bakery, django_assert_num_queries):
    business = bakery.business

    with django_assert_num_queries(5):  # the token, the accountant, the access, its terms, the log
        answer = assistant.call(
            "svc_get_client_access_status", businessUserId=str(business.external_id)
        )

    assert answer == {
        "businessUserId": str(business.external_id),
        "businessName": "Crumb & Co 100% LLC",
        "status": "CONNECTED",
        "accessLevel": "READ_ONLY",
        "grantedDate": "2026-03-02",
        "pendingTermsOfService": [],
    }


def test_a_client_that_waits_has_terms_to_accept(assistant, studio, make_terms):
    business, terms = studio.business, make_terms(title="Terms of service", version="2.0")
    accepted = make_terms(title="Privacy")
    clients.accept_terms(business, accepted, by=None, at=NOON)
    make_terms(title="Of tomorrow", published_at=SOME_DAY)

    answer = assistant.call(
        "svc_get_client_access_status", businessUserId=str(business.external_id)
    )

    assert (answer["status"], answer["grantedDate"]) == ("PENDING_TERMS", None)
    assert answer["pendingTermsOfService"] == [
        {
            "documentId": str(terms.external_id),
            "title": "Terms of service",
            "version": "2.0",
            "url": terms.url,
        }
    ]


@pytest.mark.parametrize("values", [PENDING, REVOKED, {"level": AccessLevel.STATEMENTS_ONLY}])
def test_the_status_is_told_of_any_access_and_written_down(
    assistant, accountant, make_access, values
):
    access = make_access(accountant, **values)

    answer = assistant.call(
        "svc_get_client_access_status", businessUserId=str(access.business.external_id)
    )

    assert (answer["status"], answer["accessLevel"]) == (access.status, access.level)
    assert AccessLogEntry.objects.get().business_id == access.business_id


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("list_customers", {}),
        ("svc_get_accountant_profile", {}),
        ("svc_list_accountant_clients", {}),
        ("svc_download_all_client_statements", {}),
        ("svc_search_accountant_referrals", {}),
        *((tool, {parameter: "of nobody"}) for tool, parameter in FOR_ONE_CLIENT),
        ("svc_get_referral_invite_url", {"referralExternalId": "of nobody"}),
    ],
)
def test_tools_for_accountants_are_refused_to_business_users(
    make_assistant, owner, tool, arguments
):
    assert make_assistant(owner).refusal(tool, **arguments) == (
        "ACCESS_DENIED",
        "This tool is for accountants.",
    )


@pytest.fixture
def colleague(accountant, make_assistant):
    """The assistant of a colleague, who has accepted the terms."""
    return make_assistant(make_accountant(firm=accountant.firm).user)


def test_a_colleague_reads_the_clients_of_the_firm_at_their_level(
    assistant, colleague, bakery, studio, close, make_access
):
    make_access()
    statement = close(bakery.business)
    bakery.level = AccessLevel.STATEMENTS_ONLY
    bakery.save()
    client = {"businessUserId": str(bakery.business.external_id)}

    theirs = colleague.call("list_customers")

    assert theirs == assistant.call("list_customers")
    assert theirs["totalCount"] == 2
    found = colleague.call("svc_download_client_statement", **client)
    assert found["statementId"] == str(statement.external_id)
    assert colleague.call("svc_download_all_client_statements")["clientCount"] == 1
    assert colleague.refusal("svc_list_cards", **client)[0] == "ACCESS_DENIED"
    waiting = {"businessUserId": str(studio.business.external_id)}
    assert colleague.refusal("svc_list_cards", **waiting) == WAITING


def test_an_access_that_ends_is_lost_by_everybody_of_the_firm_at_once(
    assistant, colleague, bakery, make_access, accountant
):
    make_access(accountant)
    client = {"businessUserId": str(bakery.business.external_id)}
    assert "error" not in colleague.call("svc_list_cards", **client)

    client_accesses.end_access(bakery, at=timezone.now())

    for one in (assistant, colleague):
        assert one.refusal("svc_list_cards", **client) == ENDED


def test_clients_wait_for_the_terms_of_the_person(accountant, bakery, make_assistant, make_terms):
    terms = make_terms()
    clients.accept_terms(bakery.business, terms, by=None, at=timezone.now())
    person = make_accountant(firm=accountant.firm, terms_accepted_at=None)
    assistant, client = make_assistant(person.user), str(bakery.business.external_id)

    state = assistant.call("svc_get_client_access_status", businessUserId=client)

    assert state["status"] == "PENDING_TERMS"
    assert [one["documentId"] for one in state["pendingTermsOfService"]] == [str(terms.external_id)]
    assert assistant.call("list_customers")["customers"][0]["status"] == "PENDING_TERMS"
    assert assistant.refusal("select_customer", customerExternalId=client) == WAITING
    assert assistant.refusal("svc_list_cards", businessUserId=client) == WAITING
    assert assistant.call("svc_download_all_client_statements")["clientCount"] == 0


def test_people_of_another_firm_and_removed_people_are_strangers(
    accountant, bakery, make_assistant
):
    client = {"businessUserId": str(bakery.business.external_id)}
    colleague = make_accountant(firm=accountant.firm)
    firms.remove(colleague, by=accountant, at=timezone.now())

    for person in (colleague, make_accountant()):
        assistant = make_assistant(person.user)
        assert assistant.refusal("svc_list_cards", **client) == STRANGER
        assert assistant.refusal("svc_get_client_access_status", **client) == STRANGER
        assert assistant.call("list_customers")["totalCount"] == 0

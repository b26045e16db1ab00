"""Accountants see the clients that are theirs, and no others."""

from uuid import uuid4

import pytest

from banking.choices import AccessLevel, AccessStatus
from banking.models import Accountant, TermsAcceptance
from banking.queries import accountants
from tests.factories import NOON, later, make_accountant_invitation

PENDING = {"status": AccessStatus.PENDING_TERMS, "granted_at": None}
REVOKED = {"status": AccessStatus.REVOKED, "revoked_at": later(days=9)}


@pytest.fixture
def accountant(make_accountant):
    return make_accountant()


@pytest.fixture
def bakery(accountant, make_access, make_business, make_business_owner):
    business = make_business(legal_name="Crumb & Co 100% LLC")
    make_business_owner(business, first_name="Ada", last_name="Lovelace", email="ada@example.com")
    return make_access(accountant, business)


@pytest.fixture
def studio(accountant, make_access, make_business):
    return make_access(accountant, make_business(legal_name="Zinc_Studio LLC"), **PENDING)


def names(page):
    return [client.business_name for client in page.items]


def test_the_accountant_of_a_user_is_found_in_one_statement(accountant, django_assert_num_queries):
    with django_assert_num_queries(1):
        found = accountants.get_accountant(accountant.user)
        email = found.user.email

    assert (found, email) == (accountant, accountant.user.email)


def test_another_user_is_no_accountant(make_user):
    with pytest.raises(Accountant.DoesNotExist):
        accountants.get_accountant(make_user())


def test_clients_are_listed_by_name_with_their_owner(accountant, studio, bakery):
    first, second = accountants.list_clients(accountant, at=NOON)

    assert first == accountants.Client(
        business_id=bakery.business_id,
        external_id=bakery.business.external_id,
        business_name="Crumb & Co 100% LLC",
        business_type="LLC",
        email="ada@example.com",
        first_name="Ada",
        last_name="Lovelace",
        status=AccessStatus.CONNECTED,
        level=AccessLevel.FULL,
        invited_at=NOON,
        granted_at=NOON,
        revoked_at=None,
        last_day=None,
        is_invited=False,
        is_expired=False,
    )
    assert (second.status, second.granted_at) == (AccessStatus.PENDING_TERMS, None)


def test_a_client_without_an_owner_is_reached_by_its_own_email(accountant, studio):
    [client] = accountants.list_clients(accountant, at=NOON)

    assert (client.email, client.first_name) == (studio.business.email, "")


def test_a_revoked_access_is_listed_as_such(accountant, make_access):
    make_access(accountant, **REVOKED)

    [client] = accountants.list_clients(accountant, at=NOON)

    assert (client.status, client.revoked_at) == (AccessStatus.REVOKED, later(days=9))


def test_the_clients_of_another_accountant_are_not_seen(bakery, make_accountant):
    other = make_accountant()

    assert accountants.list_clients(other, at=NOON) == []
    assert accountants.search_clients(other, at=NOON).total_count == 0


@pytest.mark.parametrize("count", [3, 30])
def test_clients_take_one_statement(accountant, make_access, count, django_assert_num_queries):
    for _ in range(count):
        make_access(accountant)

    with django_assert_num_queries(1):
        assert len(accountants.list_clients(accountant, at=NOON)) == count


@pytest.mark.parametrize("count", [3, 30])
def test_a_search_takes_two_statements(
    accountant, make_access, make_business_owner, count, django_assert_num_queries
):
    for _ in range(count):
        make_business_owner(make_access(accountant).business, last_name="Hopper")

    with django_assert_num_queries(2):
        page = accountants.search_clients(accountant, at=NOON, search="hopper", page_size=50)

    assert len(page.items) == page.total_count == count


@pytest.mark.parametrize(
    "search", ["crumb", "CRUMB & CO", "ada", "LOVELACE", "ada love", "100%", ""]
)
def test_a_client_is_found_by_business_or_owner(accountant, bakery, search):
    assert names(accountants.search_clients(accountant, at=NOON, search=search)) == [
        "Crumb & Co 100% LLC"
    ]


@pytest.mark.parametrize(
    ("search", "expected"),
    [
        ("%", ["Crumb & Co 100% LLC"]),
        ("_", ["Zinc_Studio LLC"]),
        ("c_umb", []),
        ("crumb%llc", []),
        ("\\", []),
        ("' OR 1=1 --", []),
    ],
)
def test_wildcards_mean_themselves(accountant, bakery, studio, search, expected):
    assert names(accountants.search_clients(accountant, at=NOON, search=search)) == expected


def test_a_client_is_found_by_a_second_owner_once(accountant, bakery, make_business_owner):
    for name in ("Grace", "Gracia"):
        make_business_owner(bakery.business, role="UBO", first_name=name, ownership_percent=10)

    page = accountants.search_clients(accountant, at=NOON, search="grac")

    assert (page.total_count, page.items[0].first_name) == (1, "Ada")


def test_clients_come_in_pages(accountant, make_access):
    for _ in range(5):
        make_access(accountant)

    pages = [
        accountants.search_clients(accountant, at=NOON, page=page, page_size=2) for page in range(3)
    ]

    assert [len(page.items) for page in pages] == [2, 2, 1]
    assert [client for page in pages for client in page.items] == accountants.list_clients(
        accountant, at=NOON
    )
    assert pages[0].total_pages == 3


def test_a_connected_client_is_found_in_one_statement(
    accountant, bakery, django_assert_num_queries
):
    with django_assert_num_queries(1):
        access = accountants.get_client(accountant, str(bakery.business.external_id), at=NOON)
        business = access.business

    assert (access, business, access.level) == (bakery, bakery.business, AccessLevel.FULL)


def test_no_access_looks_the_same_whatever_the_cause(
    accountant, make_access, make_business, studio
):
    refused = [
        make_business().external_id,
        make_access().business.external_id,
        make_access(accountant, **REVOKED).business.external_id,
        studio.business.external_id,
        uuid4(),
        "no id at all",
    ]

    messages = set()
    for external_id in refused:
        with pytest.raises(accountants.NoAccess) as caught:
            accountants.get_client(accountant, external_id, at=NOON)
        messages.add(str(caught.value))

    assert len(messages) == 1


def test_the_state_of_an_access_names_the_terms_that_wait(accountant, studio, make_terms):
    old = make_terms(published_at=later(days=-9))
    terms = make_terms()
    make_terms(title="Privacy", published_at=later(days=1))

    state = accountants.get_access_state(accountant, studio.business.external_id, at=NOON)

    assert state.access == studio
    assert state.pending_terms == [terms]
    assert old not in state.pending_terms


def test_accepted_terms_wait_no_longer(accountant, studio, bakery, make_terms):
    terms = make_terms()
    TermsAcceptance.objects.create(terms=terms, business=studio.business, accepted_at=NOON)

    pending = {
        access: accountants.get_access_state(
            accountant, access.business.external_id, at=NOON
        ).pending_terms
        for access in (studio, bakery)
    }

    assert pending == {studio: [], bakery: [terms]}


def test_a_newer_version_waits_again(accountant, studio, make_terms):
    TermsAcceptance.objects.create(terms=make_terms(), business=studio.business, accepted_at=NOON)
    newer = make_terms()

    assert list(accountants.list_pending_terms(studio.business, at=NOON)) == [newer]


def test_the_state_of_a_revoked_access_is_told(accountant, make_access):
    access = make_access(accountant, **REVOKED)

    state = accountants.get_access_state(accountant, access.business.external_id, at=NOON)

    assert state.access.status == AccessStatus.REVOKED


def test_the_state_of_what_was_never_granted_is_not_told(accountant, make_access):
    with pytest.raises(accountants.NoAccess):
        accountants.get_access_state(accountant, make_access().business.external_id, at=NOON)


@pytest.mark.parametrize("count", [3, 30])
def test_the_state_takes_two_statements(
    accountant, studio, make_terms, count, django_assert_num_queries
):
    for number in range(count):
        make_terms(title=f"Terms {number}")

    with django_assert_num_queries(2):
        state = accountants.get_access_state(accountant, studio.business.external_id, at=NOON)

    assert len(state.pending_terms) == count


def test_clients_are_counted_by_status(make_accountant, make_access):
    accountant = make_accountant()
    make_access(accountant)
    make_access(accountant)
    make_access(accountant, status=AccessStatus.PENDING_TERMS, granted_at=None)
    make_access()

    assert accountants.count_clients(accountant, at=NOON) == {
        AccessStatus.PENDING_TERMS: 1,
        AccessStatus.CONNECTED: 2,
        AccessStatus.REVOKED: 0,
    }


def test_after_its_end_date_an_access_counts_as_revoked(make_accountant, make_access):
    accountant = make_accountant()
    access = make_access(accountant, ends_at=later(days=1))
    external_id = access.business.external_id
    before, after = later(days=1, seconds=-1), later(days=1)

    assert accountants.get_client(accountant, external_id, at=before) == access
    with pytest.raises(accountants.NoAccess):
        accountants.get_client(accountant, external_id, at=after)
    for at, status in [(before, AccessStatus.CONNECTED), (after, AccessStatus.REVOKED)]:
        [client] = accountants.list_clients(accountant, at=at)
        [found] = accountants.search_clients(accountant, at=at, status=status).items
        state = accountants.get_access_state(accountant, external_id, at=at)
        assert client == found
        assert client.status == state.status == status
        assert accountants.count_clients(accountant, at=at)[status] == 1
    assert client.revoked_at == later(days=1)


@pytest.mark.parametrize(
    ("values", "is_open"),
    [({}, True), ({"expires_at": NOON}, False), ({"withdrawn_at": NOON}, False)],
)
def test_an_access_waits_while_its_invitation_is_open(
    make_accountant, make_access, values, is_open
):
    accountant = make_accountant()
    invitation = make_accountant_invitation(**values)
    access = make_access(accountant, invitation.business, invitation=invitation, **PENDING)
    external_id = access.business.external_id

    [client] = accountants.list_clients(accountant, at=NOON)

    assert (client.is_invited, client.is_expired) == (is_open, not is_open)
    if is_open:
        assert accountants.get_waiting_access(accountant, external_id, at=NOON) == access
    else:
        with pytest.raises(accountants.NoAccess):
            accountants.get_waiting_access(accountant, external_id, at=NOON)

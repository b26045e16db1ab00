"""The accountants of a business, and when they last looked."""

import pytest

from mcp_server.models import AccessLogEntry
from mcp_server.queries import client_accesses
from mcp_server.services import page_log
from mcp_server.services.page_log import PageRequest
from tests.factories import NOON, later, make_access, make_accountant, make_business

pytestmark = pytest.mark.django_db


@pytest.fixture
def business():
    return make_business()


def log(accountant, business, tool, at=NOON, outcome="OK"):
    AccessLogEntry.objects.create(
        connection=page_log.get_connection(PageRequest(accountant.user, "r", NOON)),
        business=business,
        tool=tool,
        at=at,
        outcome=outcome,
        duration_ms=0,
        request_id="r",
    )


def test_the_last_look_is_the_last_answered_request_for_data(business):
    accountant = make_accountant()
    access = make_access(accountant, business)
    log(accountant, business, "svc_list_bills")
    log(accountant, business, "open_statement", later(days=1))
    log(accountant, business, "svc_list_cards", later(days=2), outcome="ACCESS_DENIED")
    log(accountant, business, "list_customers", later(days=3))
    log(accountant, business, "open_clients", later(days=3))
    log(make_accountant(), business, "svc_list_bills", later(days=4))
    log(accountant, make_business(), "svc_list_bills", later(days=5))

    (given,) = client_accesses.list_accesses(business, at=NOON)

    assert (given.access, given.last_looked_at) == (access, later(days=1))


def test_a_look_of_a_colleague_counts_and_is_named_until_the_colleague_leaves(business):
    first = make_accountant()
    colleague = make_accountant(firm=first.firm)
    make_access(first, business)
    log(first, business, "svc_list_bills")
    log(colleague, business, "svc_list_bills", later(days=1))

    (given,) = client_accesses.list_accesses(business, at=NOON)
    colleague.firm = make_accountant().firm
    colleague.save()
    (after,) = client_accesses.list_accesses(business, at=NOON)

    names = [first.user.get_full_name(), colleague.user.get_full_name()]
    assert (given.name, given.people) == (first.firm.name, names)
    assert (given.last_looked_at, given.last_looked_by) == (later(days=1), names[1])
    assert (after.people, after.last_looked_at) == (names[:1], NOON)


def test_an_accountant_who_never_looked_has_no_time(business):
    make_access(make_accountant(), business)

    assert client_accesses.list_accesses(business, at=NOON)[0].last_looked_at is None


def test_all_accesses_of_a_business_take_two_statements(business, django_assert_num_queries):
    accesses = [make_access(make_accountant(), business, invited_at=later(days=n)) for n in (1, 2)]
    make_access()

    with django_assert_num_queries(2):
        given = client_accesses.list_accesses(business, at=NOON)
        assert all(one.people for one in given)

    assert [one.access for one in given] == accesses[::-1]

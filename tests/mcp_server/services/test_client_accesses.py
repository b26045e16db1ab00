"""The end of an accountant's access, and of the tokens that only served it."""

import pytest
from oauth2_provider.models import AccessToken

from banking.choices import AccessStatus
from banking.transitions import InvalidTransition
from mcp_server.services import client_accesses
from tests.factories import later, make_access, make_accountant
from tests.mcp_server.conftest import connect

pytestmark = pytest.mark.django_db


@pytest.fixture
def accountant():
    found = make_accountant()
    connect(found.user)
    return found


def test_the_tokens_end_with_the_last_access(accountant):
    first, last = make_access(accountant), make_access(accountant)

    client_accesses.end_access(first, at=later(days=1))
    assert AccessToken.objects.filter(user=accountant.user).exists()

    client_accesses.end_access(last, at=later(days=2))
    assert not AccessToken.objects.filter(user=accountant.user).exists()
    last.refresh_from_db()
    assert (last.status, last.revoked_at) == (AccessStatus.REVOKED, later(days=2))


def test_the_tokens_of_other_accountants_stay(accountant):
    other = make_accountant()
    connect(other.user)
    make_access(other)

    client_accesses.end_access(make_access(accountant), at=later(days=1))

    assert AccessToken.objects.filter(user=other.user).exists()


def test_an_access_ends_once(accountant):
    access = make_access(accountant)
    client_accesses.end_access(access, at=later(days=1))

    with pytest.raises(InvalidTransition):
        client_accesses.end_access(access, at=later(days=2))


def test_the_tokens_end_at_the_end_date_of_the_last_access(accountant):
    make_access(accountant, ends_at=later(days=1))
    access = make_access(accountant, ends_at=later(days=2))
    waiting = make_access(
        accountant, status=AccessStatus.PENDING_TERMS, granted_at=None, ends_at=later(days=3)
    )

    assert client_accesses.end_accesses_that_are_over(at=later(days=1)) == 1
    assert AccessToken.objects.filter(user=accountant.user).exists()

    assert client_accesses.end_accesses_that_are_over(at=later(days=4)) == 2
    assert not AccessToken.objects.filter(user=accountant.user).exists()
    for row, end in [(access, later(days=2)), (waiting, later(days=3))]:
        row.refresh_from_db()
        assert (row.status, row.revoked_at) == (AccessStatus.REVOKED, end)


def test_an_access_without_an_end_date_stays(accountant):
    make_access(accountant)

    assert client_accesses.end_accesses_that_are_over(at=later(days=4000)) == 0

"""Whose data a caller may read."""

import pytest

from banking.choices import AccessLevel, AccessStatus
from mcp_server.caller import Caller
from mcp_server.errors import ErrorCode, ToolError
from mcp_server.scopes import Scope
from tests.factories import NOON, make_access, make_business, make_user


def refusal(user, external_id, *, scope=Scope.CARDS):
    with pytest.raises(ToolError) as refused:
        Caller(user, scope=scope).business(external_id)
    return refused.value.code


def test_an_owner_names_no_business(owner, business):
    caller = Caller(owner, scope=Scope.CARDS)

    assert caller.business(None) == business
    assert caller.concerned == [business.pk]


def test_an_owner_may_pass_its_own_ids(owner, business):
    for own in (business.external_id, owner.external_id):
        assert Caller(owner, scope=Scope.CARDS).business(str(own).upper()) == business


@pytest.mark.parametrize("external_id", ["", "nonsense", "00000000-0000-0000-0000-000000000000"])
def test_an_owner_may_pass_no_other_id(owner, external_id):
    assert refusal(owner, external_id) == ErrorCode.ACCESS_DENIED
    assert refusal(owner, str(make_business().external_id)) == ErrorCode.ACCESS_DENIED


def test_somebody_without_a_business_is_refused(db):
    assert refusal(make_user(), None) == ErrorCode.ACCESS_DENIED


def test_an_accountant_must_name_the_client(accountant, business):
    make_access(accountant, business)

    assert refusal(accountant.user, None) == ErrorCode.INVALID_PARAMETER
    assert refusal(accountant.user, "") == ErrorCode.INVALID_PARAMETER
    caller = Caller(accountant.user, scope=Scope.CARDS)
    assert caller.business(str(business.external_id)) == business


def test_a_client_that_took_its_access_back_is_a_stranger(accountant, business):
    make_access(accountant, business, status=AccessStatus.REVOKED, revoked_at=NOON)

    assert refusal(accountant.user, str(business.external_id)) == ErrorCode.ACCESS_DENIED


def test_a_client_may_show_its_statements_only(accountant, business):
    make_access(accountant, business, level=AccessLevel.STATEMENTS_ONLY)
    client = str(business.external_id)

    assert refusal(accountant.user, client) == ErrorCode.ACCESS_DENIED
    assert Caller(accountant.user, scope=Scope.STATEMENTS).business(client) == business


def test_only_accountants_have_clients(owner):
    with pytest.raises(ToolError, match="for accountants"):
        Caller(owner, scope=Scope.CLIENTS).accountant()

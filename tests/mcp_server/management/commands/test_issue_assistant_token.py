"""manage.py issue_assistant_token."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from oauth2_provider.models import AccessToken

from mcp_server.models import Connection
from mcp_server.oauth.validator import checksum
from mcp_server.scopes import Scope


def run(user, *arguments):
    """Return what the command prints, and what it says beside."""
    out, err = StringIO(), StringIO()
    call_command("issue_assistant_token", "--user", user, *arguments, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


@pytest.fixture
def user(make_user):
    return make_user(email="grace@example.com")


def test_the_token_stands_alone_on_the_output(user):
    out, err = run("Grace@example.com ")

    token = AccessToken.objects.get()
    assert token.token_checksum == checksum(out.removesuffix("\n"))
    assert token.scope.split() == [
        scope for scope in Scope.values if scope not in {Scope.CLIENTS, Scope.ACCOUNT_NUMBERS}
    ]
    assert "curl -H" in err
    assert Connection.objects.get().client_name == "curl"


def test_scopes_and_the_client_can_be_named(user):
    run(user.email, "--scopes", "cards:read tax:read", "--client", "Bench")

    assert AccessToken.objects.get().scope == "cards:read tax:read"
    assert Connection.objects.get().client_name == "Bench"


def test_accountants_have_clients_too(make_accountant):
    run(make_accountant().user.email)

    assert AccessToken.objects.get().scope.split() == [
        scope for scope in Scope.values if scope != Scope.ACCOUNT_NUMBERS
    ]


def test_a_token_reads(user, client):
    out, _ = run(user.email)

    response = client.post(
        "/mcp",
        {"jsonrpc": "2.0", "id": 1, "method": "ping"},
        content_type="application/json",
        headers={"authorization": f"Bearer {out.strip()}"},
    )

    assert response.status_code == 200


def test_what_cannot_be_issued_is_refused(user, make_user, settings):
    staff = make_user(user_type="STAFF")
    gone = make_user(is_active=False)

    with pytest.raises(CommandError, match="no such user"):
        run("nobody@example.com")
    with pytest.raises(CommandError, match="no such user"):
        run(gone.email)
    with pytest.raises(CommandError, match="staff"):
        run(staff.email)
    with pytest.raises(CommandError, match="admin is none of"):
        run(user.email, "--scopes", "admin")
    settings.IS_SANDBOX = False
    with pytest.raises(CommandError, match="sandbox only"):
        run(user.email)
    assert not AccessToken.objects.exists()

"""The user is asked, and the answer goes where the client may read it."""

import re

import pytest
from django.conf import settings
from django.test import Client
from oauth2_provider.models import AccessToken, Application, Grant

from mcp_server.scopes import Scope
from tests import factories
from tests.mcp_server.oauth.conftest import CALLBACK, Flow, make_client, query_of

BUSINESS_SCOPES = [scope for scope in Scope.values if scope != Scope.CLIENTS]


def choices(response):
    return [value for value, _label in response.context["form"].fields["scopes"].choices]


def test_the_page_shows_who_asks_and_for_what(flow):
    response = flow.ask()

    assert response.status_code == 200
    identity = response.context["client"]
    assert (identity.name, identity.host) == ("Helpful", "assistant.example.com")
    assert not identity.is_known
    assert not identity.is_loopback
    assert choices(response) == ["accounts:read", "cards:read"]
    assert response.content.count(b'name="scopes"') == 2
    assert response.content.count(b"checked") == 3  # both, and "All accounts"
    assert "no-store" in response["Cache-Control"]


def test_a_name_is_quoted_and_short_in_the_headings(make_flow):
    page = make_flow(client=make_client(name="Bank " * 16)).ask().content.decode()

    shown = ("Bank " * 8)[:39] + "…"
    assert f"<title>Give “{shown}” access?" in page
    assert f"“<bdi>{shown}</bdi>” wants to read" in page


def test_the_page_says_where_full_account_numbers_are(make_flow):
    page = make_flow().ask(scope="transactions:read account-numbers:read").content.decode()

    others, _heading, apart = page.partition("Full account numbers</h2>")
    assert "See full account numbers" in apart
    assert "See your transactions" in others
    assert re.findall(r'value="([a-z-]+):read"[^>]*checked', page) == ["transactions"]


def test_the_page_names_the_business(make_flow):
    flow = make_flow()
    business = factories.make_business(legal_name="Amber LLC")
    factories.make_business_owner(business, user=flow.user)

    assert 'the data of <b class="host">Amber LLC</b>' in flow.ask().content.decode()


def test_no_other_site_can_frame_the_question(flow):
    page = flow.ask()

    assert page["X-Frame-Options"] == "SAMEORIGIN"
    assert "frame-ancestors 'self'" in page["Content-Security-Policy"]


def test_the_form_may_lead_to_the_client(flow):
    policy = flow.ask()["Content-Security-Policy"]

    assert "form-action 'self' https://assistant.example.com;" in f"{policy};"


def test_whoever_is_not_signed_in_signs_in_first(make_flow):
    flow = make_flow()
    flow.browser.logout()

    response = flow.ask()

    assert response.status_code == 302
    assert "next=/authorize%3Fresponse_type%3Dcode" in response["Location"]


def test_what_was_ticked_is_granted(flow):
    response = flow.decide("cards:read")

    answer = query_of(response["Location"])
    grant = Grant.objects.get()
    assert response["Location"].startswith(f"{CALLBACK}?")
    assert answer == {"code": grant.code, "state": "some state", "iss": "http://testserver"}
    assert (grant.user, grant.scope, grant.resource) == (
        flow.user,
        "cards:read",
        [settings.MCP_URL],
    )


def test_nothing_ticked_is_asked_again(flow):
    response = flow.decide()

    assert response.status_code == 400
    assert response.context["form"].errors["scopes"] == [
        "Choose at least one item, or choose “Deny”."
    ]
    assert not Grant.objects.exists()


def test_nobody_grants_more_than_was_asked(flow):
    response = flow.decide("cards:read", "tax:read")

    assert response.status_code == 400
    assert not Grant.objects.exists()


@pytest.mark.parametrize("allow", ["Deny", "", "allow", "true"])
def test_whoever_does_not_allow_denies(flow, allow):
    response = flow.decide("cards:read", allow=allow)

    answer = query_of(response["Location"])
    assert (answer["error"], answer["state"]) == ("access_denied", "some state")
    assert answer["iss"] == "http://testserver"
    assert not Grant.objects.exists()


def test_everything_is_asked_for_when_nothing_is_named(flow):
    response = flow.ask(scope=None)

    assert choices(response) == BUSINESS_SCOPES


def test_only_accountants_are_asked_for_their_clients(flow, make_flow, make_accountant):
    accountants_flow = make_flow(make_accountant().user)

    asked = [choices(f.ask(scope="profile:read clients:read")) for f in (flow, accountants_flow)]

    assert asked == [["profile:read"], ["profile:read", "clients:read"]]


def test_a_client_that_asks_for_clients_only_is_told(flow, known):
    response = flow.ask(scope="clients:read")

    assert query_of(response["Location"])["error"] == "invalid_scope"


def test_accountants_see_whom_it_covers(make_flow, make_accountant, make_business, make_access):
    accountant = make_accountant()
    for name in ("Zinc LLC", "Amber LLC"):
        make_access(accountant, make_business(legal_name=name))
    make_access(
        accountant, make_business(legal_name="Waiting LLC"), status="PENDING_TERMS", granted_at=None
    )

    response = make_flow(accountant.user).ask()

    assert response.context["client_businesses"] == ["Amber LLC", "Zinc LLC"]


def test_an_accountant_without_a_firm_covers_nobody(make_flow, make_user):
    response = make_flow(make_user(user_type="ACCOUNTANT")).ask()

    assert response.context["client_businesses"] == []


def test_staff_connect_nothing(make_flow, make_user):
    flow = make_flow(make_user(user_type="STAFF"))

    responses = [flow.ask(), flow.decide("cards:read")]

    assert [response.status_code for response in responses] == [403, 403]
    assert b"Staff accounts" in responses[0].content
    assert not Grant.objects.exists()


@pytest.fixture
def known(settings):
    """Let the client's host be one that we know."""
    settings.KNOWN_ASSISTANT_HOSTS = ["example.com"]


UNREDIRECTED = {
    "unknown client": {"client_id": "nobody"},
    "no client": {"client_id": None},
    "client with a null": {"client_id": "a\0b"},
    "another host": {"redirect_uri": "https://evil.example.com/callback"},
    "another path": {"redirect_uri": f"{CALLBACK}/more"},
    "another query": {"redirect_uri": f"{CALLBACK}?more=1"},
    "a fragment": {"redirect_uri": f"{CALLBACK}#more"},
    "another port": {"redirect_uri": "https://assistant.example.com:444/callback"},
    "capitals in the host": {"redirect_uri": "https://ASSISTANT.example.com/callback"},
    "capitals in the scheme": {"redirect_uri": "HTTPS://assistant.example.com/callback"},
    "the default port": {"redirect_uri": "https://assistant.example.com:443/callback"},
    "an empty port": {"redirect_uri": "https://assistant.example.com:/callback"},
    "a dot after the host": {"redirect_uri": "https://assistant.example.com./callback"},
    "a user in the address": {"redirect_uri": "https://me@assistant.example.com/callback"},
    "no address": {"redirect_uri": "nonsense"},
    "a script": {"redirect_uri": "javascript:alert(1)"},
    "brackets": {"redirect_uri": "https://[/"},
    "two clients": {"client_id": ["one", "two"]},
    "null in the state": {"state": "a\0b"},
}


@pytest.mark.parametrize("values", UNREDIRECTED.values(), ids=UNREDIRECTED)
@pytest.mark.parametrize("method", ["ask", "decide"])
def test_a_client_that_is_not_to_be_believed_gets_no_answer(flow, values, method):
    arguments = [] if method == "ask" else ["cards:read"]

    response = getattr(flow, method)(*arguments, **values)

    assert response.status_code == 400
    assert "Location" not in response
    assert response.context["error"]
    assert response.context["detail"]
    assert not Grant.objects.exists()


REDIRECTED = {
    "implicit": ({"response_type": "token"}, "unauthorized_client"),
    "no type": ({"response_type": None}, "invalid_request"),
    "an unknown scope": ({"scope": "admin"}, "invalid_scope"),
    "no PKCE": ({"code_challenge": None, "code_challenge_method": None}, "invalid_request"),
    "plain PKCE": ({"code_challenge_method": "plain"}, "invalid_request"),
    "unnamed PKCE": ({"code_challenge_method": None}, "invalid_request"),
    "a short challenge": ({"code_challenge": "short"}, "invalid_request"),
    "a long challenge": ({"code_challenge": "x" * 400}, "invalid_request"),
    "another server": ({"resource": "https://other.example.com/mcp"}, "invalid_target"),
    "a longer path": ({"resource": "http://testserver/mcp/"}, "invalid_target"),
    "two servers": (
        {"resource": ["http://testserver/mcp", "https://other.example.com/"]},
        "invalid_target",
    ),
    "nonsense": ({"resource": "nonsense"}, "invalid_target"),
}


@pytest.mark.parametrize(("values", "error"), REDIRECTED.values(), ids=REDIRECTED)
@pytest.mark.parametrize("method", ["ask", "decide"])
def test_a_known_client_is_told_what_it_asked_wrongly(flow, known, values, error, method):
    arguments = [] if method == "ask" else ["cards:read"]

    response = getattr(flow, method)(*arguments, **values)

    answer = query_of(response["Location"])
    assert response["Location"].startswith(f"{CALLBACK}?")
    assert (answer["error"], answer["state"]) == (error, "some state")
    assert answer["iss"] == "http://testserver"
    assert not Grant.objects.exists()


@pytest.mark.parametrize("signed_in", [True, False])
def test_a_link_to_us_leads_nowhere_by_itself(flow, signed_in):
    if not signed_in:
        flow.browser.logout()

    response = flow.ask(scope="admin")

    answer = query_of(response.context["answer_url"])
    assert response.status_code == 400
    assert (answer["error"], answer["iss"]) == ("invalid_scope", "http://testserver")
    assert response.context["answer_host"] == "assistant.example.com"
    assert b'href="https://assistant.example.com/callback?error=' in response.content


@pytest.mark.parametrize("uri", ["http://127.0.0.1/callback", "cursor://a/callback"])
def test_a_program_on_the_users_computer_is_told(make_flow, uri):
    flow = make_flow(client=make_client(redirect_uris=uri), redirect_uri=uri)

    assert flow.ask(scope="admin")["Location"].startswith(f"{uri}?error=invalid_scope")


@pytest.mark.parametrize("values", [{"scope": "admin"}, {"resource": "https://other.example.com/"}])
def test_a_known_client_is_told_before_anybody_signs_in(flow, known, values):
    flow.browser.logout()

    response = flow.ask(**values)

    assert response["Location"].startswith(f"{CALLBACK}?error=invalid_")


def test_an_unknown_client_makes_nobody_sign_in(flow):
    flow.browser.logout()

    assert flow.ask(client_id="nobody").status_code == 400


def test_a_decision_without_a_session_is_asked_for_again(flow):
    flow.browser.logout()

    response = flow.decide("cards:read")

    assert "next=/authorize%3Fresponse_type%3Dcode" in response["Location"]
    assert not Grant.objects.exists()


def test_a_broken_query_is_refused(flow):
    response = flow.browser.get("/authorize?client_id=%zz")

    assert response.status_code == 400


def test_an_unnamed_resource_is_this_server(flow):
    flow.code("cards:read", resource=None)

    assert Grant.objects.get().resource == [settings.MCP_URL]


def test_what_is_posted_beside_the_form_counts_for_nothing(flow, make_flow):
    other = make_client(redirect_uris="https://evil.example.com/callback")
    tampered = {
        "client_id": other.client_id,
        "redirect_uri": "https://evil.example.com/callback",
        "resource": "https://other.example.com/",
        "scope": " ".join(Scope.values),
        "state": "another state",
        "code_challenge": "x" * 43,
    }

    response = flow.decide("cards:read", posted=tampered)

    grant = Grant.objects.get()
    assert response["Location"].startswith(f"{CALLBACK}?")
    assert query_of(response["Location"])["state"] == "some state"
    assert (grant.application, grant.redirect_uri) == (flow.client, CALLBACK)
    assert (grant.scope, grant.resource) == ("cards:read", [settings.MCP_URL])
    assert grant.code_challenge == flow.query()["code_challenge"]


def test_what_only_openid_knows_is_not_kept(flow):
    flow.code(nonce="x" * 1000, claims="y" * 1000, prompt="login")

    grant = Grant.objects.get()
    assert (grant.nonce, grant.claims) == ("", "{}")


def test_consent_is_asked_every_time(flow):
    flow.tokens("accounts:read")

    responses = [flow.ask(**more) for more in ({}, {"approval_prompt": "auto"}, {"prompt": "none"})]

    assert [response.status_code for response in responses] == [200, 200, 200]
    assert AccessToken.objects.count() == 1


def test_no_client_skips_the_question(make_flow):
    flow = make_flow(client=make_client(skip_authorization=True))

    assert flow.ask().status_code == 200


@pytest.mark.parametrize("port", ["", ":1", ":65535"])
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]"])
def test_a_program_on_the_users_computer_chooses_its_port(make_flow, host, port):
    client = make_client(redirect_uris=f"http://{host}:4711/callback")
    flow = make_flow(client=client, redirect_uri=f"http://{host}{port}/callback")

    page, response = flow.ask(), flow.decide("cards:read")

    assert page.context["client"].is_loopback
    assert response["Location"].startswith(f"http://{host}{port}/callback?code=")


@pytest.mark.parametrize(
    "redirect_uri",
    [
        "http://127.0.0.1/other",
        "https://127.0.0.1/callback",
        "http://localhost/callback",
        "http://127.0.0.1.example.com/callback",
        "http://127.0.0.2/callback",
        "http://127.0.0.1:/callback",
        "http://127.0.0.1:80:81/callback",
        "HTTP://127.0.0.1/callback",
    ],
)
def test_but_not_its_host_or_path(make_flow, redirect_uri):
    client = make_client(redirect_uris="http://127.0.0.1/callback")

    response = make_flow(client=client, redirect_uri=redirect_uri).ask()

    assert response.status_code == 400


def test_http_elsewhere_is_refused_even_if_it_was_registered(make_flow):
    uri = "http://assistant.example.com/callback"
    flow = make_flow(client=make_client(redirect_uris=uri), redirect_uri=uri)

    assert flow.ask().status_code == 400


def test_a_known_program_may_be_opened(make_flow):
    uri = "cursor://anysphere.cursor-mcp/oauth/callback"
    flow = make_flow(client=make_client(redirect_uris=uri), redirect_uri=uri)

    page, response = flow.ask(), flow.decide("cards:read")

    assert "form-action 'self' cursor:" in page["Content-Security-Policy"]
    assert response["Location"].startswith(f"{uri}?code=")


def test_the_form_needs_its_token(make_flow):
    flow = make_flow()
    flow.browser = Client(enforce_csrf_checks=True)
    flow.browser.force_login(flow.user, "django.contrib.auth.backends.ModelBackend")

    assert flow.decide("cards:read").status_code == 403
    assert not Grant.objects.exists()


def test_the_page_costs_few_statements(
    flow, django_assert_max_num_queries, make_accountant, make_access
):
    accountant = make_accountant()
    for _ in range(5):
        make_access(accountant)
    busy = Flow(accountant.user, flow.client)

    with django_assert_max_num_queries(12):
        busy.ask()


def test_a_client_without_a_name_is_called_by_its_host(make_flow):
    flow = make_flow(client=make_client(name=" \u202e\u200b "))

    assert flow.ask().context["client"].name == "assistant.example.com"


def test_a_stale_session_cannot_grant_for_a_client_that_is_gone(flow):
    flow.ask()
    Application.objects.all().delete()

    assert flow.decide("cards:read").status_code == 400

"""The pages around assistants in a real browser: for everybody, with and without scripts."""

import base64
import hashlib
import re
from datetime import timedelta
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from django.conf import settings
from django.utils import timezone
from django_otp.oath import totp
from django_otp.plugins.otp_totp.models import TOTPDevice
from oauth2_provider.models import Application

from banking.days import DAY
from banking.services import statements
from mcp_server.models import AccessLogEntry
from mcp_server.pages import connected_assistants
from mcp_server.services import connections, second_factor
from tests import factories
from tests.banking.books.reading import read_ofx
from tests.e2e import axe, browsing
from tests.e2e.focus import list_obscured_controls
from tests.mcp_server.pages.conftest import mailed_code

PASSWORD = "copper-otter-9-lamp"
SIZES = {"wide": (1280, 800), "phone": (375, 700)}
LANGUAGES = ["en-US", "es-MX"]
VERIFIER = "v" * 50
KEY = "3132333435363738393031323334353637383930"
REFUSAL = re.compile(r"Failed to load resource: the server responded with a status of 4\d\d")

pytestmark = [
    pytest.mark.one_database,
    pytest.mark.django_db(transaction=True),
]


@pytest.fixture
def origin(live_server, settings):
    settings.BASE_URL = live_server.url
    settings.MCP_URL = f"{live_server.url}/mcp"
    settings.CSRF_TRUSTED_ORIGINS = [live_server.url]
    return live_server.url


@pytest.fixture
def browse(chromium, origin):
    """Open pages in windows of their own; none may break the content security policy."""
    opened, faults = [], []

    def open_page(**options):
        context = chromium.new_context(base_url=origin, **options)
        opened.append(context)
        page = context.new_page()
        page.on("console", lambda said: said.type == "error" and faults.append(said.text))
        return page

    yield open_page
    for context in opened:
        context.close()
    assert [fault for fault in faults if not REFUSAL.match(fault)] == []


def make_person(email, **values):
    user = factories.make_user(email=email, **values)
    user.set_password(PASSWORD)
    user.save()
    return user


@pytest.fixture
def owner(origin, monkeypatch):
    """The owner of a business, with an assistant that reads."""
    monkeypatch.setattr(connected_assistants, "PAGE_SIZE", 5)  # rows differ in nothing to see
    user, business = make_person("maya@example.com"), factories.make_business()
    factories.make_business_owner(business, user=user)
    connection = connections.connect(user, make_client("Claude"), at=timezone.now())
    AccessLogEntry.objects.bulk_create(
        AccessLogEntry(
            at=timezone.now() - timedelta(hours=5 * number),
            connection=connection,
            tool="svc_list_bills",
            business=business,
            outcome="OK" if number % 5 else "ACCESS_DENIED",
            duration_ms=3,
            request_id="r",
        )
        for number in range(40)
    )
    user.assistant = connection
    return user


@pytest.fixture
def accountant(origin):
    """An accountant with a client."""
    user = make_person("priya@example.com", user_type="ACCOUNTANT")
    factories.make_access(factories.make_accountant(user), factories.make_business())
    return user


def make_client(name, redirect_uri="https://claude.ai/callback"):
    return Application.objects.create(
        name=name,
        redirect_uris=redirect_uri,
        client_type=Application.CLIENT_PUBLIC,
        authorization_grant_type=Application.GRANT_AUTHORIZATION_CODE,
    )


def request_of(client):
    challenge = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest())
    asked = {
        "response_type": "code",
        "client_id": client.client_id,
        "redirect_uri": client.redirect_uris,
        "state": "some state",
        "code_challenge": challenge.rstrip(b"=").decode(),
        "code_challenge_method": "S256",
        "resource": settings.MCP_URL,
    }
    return f"/authorize?{urlencode(asked)}"


def sign_in(page, email):
    page.goto("/sign-in")
    fill_in(page, email)


def fill_in(page, email):
    page.fill("#id_username", email)
    page.fill("#id_password", PASSWORD)
    page.click("main form .button")


def set_up_app(page, *, is_mailed=False):
    """Go from the page of the second factor to the recovery codes."""
    page.click("main a.button[href^='/second-factor/app']")
    page.fill("#id_password", PASSWORD)
    page.click("main form .button")
    if is_mailed:
        page.fill("#id_mailed_code", mailed_code())
        page.click("main form .button")
    key = base64.b32decode(page.text_content(".secret").replace(" ", ""))
    page.fill("#id_code", f"{totp(key):06}")
    page.click("main form .button")
    page.wait_for_selector(".codes")


def check(page, path, script, steps=()):
    """Return what is wrong with a page in each size, in light and in dark."""
    page.goto(path)
    for step in steps:
        page.click(step)
    faults = []
    for size, (width, height) in SIZES.items():
        page.set_viewport_size({"width": width, "height": height})
        where = f"{path.partition('?')[0]} {size}"
        if (wider := browsing.overflow(page)) > 0:
            faults.append((where, f"{wider} pixels too wide"))
        for scheme, rules in axe.SCHEMES.items():
            page.emulate_media(color_scheme=scheme)
            found = axe.findings(page, script, rules)
            faults += [(where, scheme, fault) for fault in found]
    return faults


def test_a_dark_page_differs_from_a_light_one_in_its_colors_alone():
    styles = list(settings.BASE_DIR.glob("*/static/**/*.css"))

    assert any("light-dark(" in style.read_text() for style in styles)
    assert not [style for style in styles if "prefers-color-scheme" in style.read_text()]


@pytest.mark.parametrize("locale", LANGUAGES)
def test_anybody_can_use_the_pages_before_sign_in(browse, script, locale):
    page = browse(locale=locale)
    paths = [
        "/sign-in",
        "/password-reset",
        "/password-reset/sent",
        "/password-reset/done",
        "/password-reset/MQ/a-b",
        "/connect",
        "/files/ended",
        f"/sign-in?{urlencode({'next': request_of(make_client('Claude'))})}",
    ]

    faults = [fault for path in paths for fault in check(page, path, script)]
    faults += check(page, "/sign-in", script, steps=["main form .button"])  # nothing filled in

    assert faults == []


@pytest.fixture
def closed_months(owner, accountant):
    """The closed months of the owner's account; the accountant has the owner as client, too."""
    business = owner.business_owner.business
    factories.make_access(accountant.accountant, business)
    now = timezone.now()
    opened_at = now - timedelta(days=100)
    account = factories.make_account(business, opened_at=opened_at)
    factories.make_transaction(account, at=opened_at, description="Fish & Chips")
    return list(statements.close_months(through=now.date().replace(day=1) - DAY, at=now))


@pytest.mark.parametrize("locale", LANGUAGES)
def test_anybody_can_use_many_assistants(browse, script, owner, locale):
    for number in range(12):
        connections.connect(owner, make_client(f"Helper {number}"), at=timezone.now())
    page = browse(locale=locale)
    sign_in(page, owner.email)

    faults = check(page, "/connected-assistants", script)
    faults += check(page, "/connected-assistants", script, steps=["summary"])

    assert faults == []


def test_allow_and_deny_are_in_reach_on_a_phone(browse, owner):
    page = browse(viewport={"width": 375, "height": 700})
    sign_in(page, owner.email)

    page.goto(request_of(make_client("Claude")))

    for name in ("Allow", "Deny"):
        box = page.locator(f"button[value={name}]").bounding_box()
        assert box["y"] + box["height"] <= 700


def test_an_owner_finds_and_saves_activity_without_scripts(browse, owner):
    page = browse(java_script_enabled=False)
    sign_in(page, owner.email)
    page.goto("/connected-assistants")

    page.select_option("select[name=request]", "svc_list_cards")
    page.click("#log form button")
    assert "No activity matches." in page.inner_text("#log")
    page.select_option("select[name=request]", "svc_list_bills")
    page.click("#log form button")
    with page.expect_download() as saving:
        page.click("a[href*='activity.csv']")

    assert len(Path(saving.value.path()).read_text().splitlines()) == 1 + 40


@pytest.mark.parametrize("locale", LANGUAGES)
def test_anybody_can_use_the_accounting_files(
    browse, script, owner, accountant, closed_months, locale
):
    page, business = browse(locale=locale), owner.business_owner.business
    sign_in(page, owner.email)
    faults = check(page, "/books", script)
    page.context.clear_cookies()
    sign_in(page, accountant.email)
    faults += check(page, "/books", script)
    faults += check(page, f"/books?business={business.external_id}", script)

    assert faults == []


def test_an_owner_saves_an_accounting_file(browse, owner, closed_months):
    page = browse(java_script_enabled=False)
    sign_in(page, owner.email)

    page.click("nav a[href='/books']")
    with page.expect_download() as saving:
        page.click(f"a[href='/books/{closed_months[0].external_id}/OFX']")

    statement = read_ofx(Path(saving.value.path()).read_bytes()).account.statement
    assert [row.payee for row in statement.transactions] == ["Fish & Chips"]


@pytest.mark.parametrize("locale", LANGUAGES)
def test_anybody_can_use_the_pages_of_their_account(browse, script, owner, accountant, locale):
    page = browse(locale=locale)
    sign_in(page, owner.email)
    assistant = f"/connected-assistants/{owner.assistant.pk}"
    paths = [
        "/account",
        "/account/accountants",
        "/connected-assistants",
        "/connected-assistants?request=svc_list_bills&first=2020-01-01&last=2020-01-02",
        f"{assistant}/end",
        "/connected-assistants/end",
    ]

    faults = [
        fault
        for path in [*paths, "/second-factor", "/password"]
        for fault in check(page, path, script)
    ]
    faults += check(page, "/password", script, steps=["main form .button"])
    page.context.clear_cookies()
    sign_in(page, accountant.email)
    faults += check(page, "/clients", script)

    assert faults == []


@pytest.fixture
def invitations(owner, accountant):
    """An invitation of each kind: of a new accountant, expired, and of one who has to accept."""
    business, expires_at = owner.business_owner.business, timezone.now() + timedelta(days=7)
    values = {"expires_at": expires_at, "sent_at": timezone.now()}
    new = factories.make_accountant_invitation(
        business, email="rosa@example.com", ends_at=expires_at, **values
    )
    expired = factories.make_accountant_invitation(business)
    waits = factories.make_accountant_invitation(business, email=accountant.email, **values)
    factories.make_access(
        accountant.accountant,
        business,
        status="PENDING_TERMS",
        granted_at=None,
        invitation=waits,
    )
    factories.make_terms()
    return new, expired, waits


@pytest.mark.parametrize("locale", LANGUAGES)
def test_anybody_can_use_the_invitations_of_accountants(
    browse, script, owner, accountant, invitations, locale
):
    new, _, waits = invitations
    page = browse(locale=locale)
    faults = check(page, f"/clients/join/{new.external_id}/token", script)
    faults += check(page, f"/clients/join/{new.external_id}/token", script, ["main form .button"])
    faults += check(page, f"/clients/join/{new.external_id}/guess", script)
    sign_in(page, owner.email)
    faults += check(page, "/account/accountants", script)
    faults += check(page, "/account/accountants", script, ["#invite ~ form .button"])
    page.context.clear_cookies()
    sign_in(page, accountant.email)
    faults += check(page, "/clients", script)
    faults += check(page, f"/clients/{waits.business.external_id}/accept", script)

    assert faults == []


def test_an_accountant_signs_up_without_scripts_and_gets_access(
    browse, owner, accountant, invitations
):
    page = browse(java_script_enabled=False)
    page.goto(f"/clients/join/{invitations[0].external_id}/token")
    for name, value in [
        ("first_name", "Rosa"),
        ("last_name", "Diaz"),
        ("firm_name", "Diaz Books"),
        ("new_password1", PASSWORD),
        ("new_password2", PASSWORD),
    ]:
        page.fill(f"#id_{name}", value)
    page.click("main form .button")

    page.click("td a.button")
    page.click("main form .button")

    assert "You now have access to" in page.text_content(".note-success")
    page.context.clear_cookies()
    sign_in(page, owner.email)
    page.goto("/account/accountants")
    assert "Rosa Diaz" in page.text_content("main")


@pytest.mark.parametrize("locale", LANGUAGES)
def test_anybody_can_use_the_consent_page(browse, script, owner, accountant, locale):
    page = browse(locale=locale)
    stranger = make_client("Ledger Buddy", "https://buddy.example.com/callback")
    program = make_client("Program", "http://127.0.0.1:8765/callback")
    sign_in(page, owner.email)

    faults = check(page, request_of(make_client("Claude")), script)
    faults += check(page, request_of(stranger), script)
    faults += check(page, "/authorize?client_id=nobody", script)
    page.context.clear_cookies()
    sign_in(page, accountant.email)
    faults += check(page, request_of(program), script)
    page.set_viewport_size({"width": 375, "height": 667})
    page.goto(request_of(program))

    assert faults == []
    assert list_obscured_controls(page) == []


@pytest.mark.parametrize("locale", LANGUAGES)
def test_anybody_can_use_the_second_factor(browse, script, owner, locale):
    page = browse(locale=locale)
    TOTPDevice.objects.create(user=owner, key=KEY, confirmed=True)
    code = second_factor.replace_recovery_codes(owner)[0]
    sign_in(page, owner.email)

    faults = check(page, "/sign-in/code", script)
    page.fill("#id_code", code)
    page.click("main form .button")
    faults += check(page, "/second-factor", script)

    assert faults == []


@pytest.mark.parametrize(
    "redirect_uri",
    [
        "https://claude.ai/callback",
        "https://buddy.example.com/callback",
        "http://127.0.0.1:8765/callback",
        "http://localhost:8766/callback",
    ],
)
@pytest.mark.parametrize("choice", ["Allow", "Deny"])
def test_without_scripts_the_answer_reaches_the_client(browse, owner, redirect_uri, choice):
    page = browse(java_script_enabled=False)
    page.goto(request_of(make_client("Claude", redirect_uri)))
    fill_in(page, owner.email)
    page.uncheck("input[value='cards:read']")

    with page.expect_request(f"{redirect_uri}?*") as returned:  # nobody listens there
        page.click(f"button[value={choice}]")

    answer = parse_qs(urlsplit(returned.value.url).query)
    assert answer["state"] == ["some state"]
    assert ("code" in answer) is (choice == "Allow")
    assert ("error" in answer) is (choice == "Deny")


def test_without_scripts_an_assistants_access_ends(browse, owner):
    page = browse(java_script_enabled=False)
    sign_in(page, owner.email)

    page.goto("/connected-assistants")
    page.click(f"a[href='/connected-assistants/{owner.assistant.pk}/end']")
    page.click("main .button-danger")

    owner.assistant.refresh_from_db()
    assert owner.assistant.ended_at
    assert page.url.endswith("/connected-assistants")


def test_a_second_factor_from_its_key_to_the_next_sign_in(browse, owner):
    page = browse(java_script_enabled=False)
    sign_in(page, owner.email)
    page.goto("/second-factor")
    set_up_app(page)
    recovery = page.locator(".codes li").all_text_contents()

    page.click("nav button")
    sign_in(page, owner.email)
    asked = page.url
    page.fill("#id_code", recovery[0])
    page.click("main form .button")

    assert len(recovery) == 10
    assert "/sign-in/code" in asked
    assert page.url.endswith("/account")


def test_an_owner_sets_up_a_second_factor_on_the_way_to_an_assistant(browse, owner, settings):
    settings.CUSTOMER_SECOND_FACTOR = True
    page = browse(java_script_enabled=False)
    page.goto(request_of(make_client("Claude")))
    fill_in(page, owner.email)
    set_up_app(page, is_mailed=True)

    page.click("main a.button")
    with page.expect_request("https://claude.ai/callback?*") as returned:
        page.click("button[value=Allow]")

    assert "code" in parse_qs(urlsplit(returned.value.url).query)


@pytest.mark.parametrize("locale", LANGUAGES)
def test_anybody_can_use_the_pages_of_a_required_second_factor(
    browse, script, owner, accountant, settings, locale
):
    settings.CUSTOMER_SECOND_FACTOR = True
    page = browse(locale=locale)
    sign_in(page, owner.email)

    faults = check(page, request_of(make_client("Claude")), script)
    page.context.clear_cookies()
    sign_in(page, accountant.email)
    faults += check(page, "/connected-assistants", script)

    assert "/second-factor?next=" in page.url
    assert faults == []


def test_the_copy_buttons_copy(browse, origin):
    page = browse(permissions=["clipboard-read", "clipboard-write"])
    page.goto("/connect")

    page.click("[data-copy=address]")

    page.wait_for_selector("[data-copy=address]:text('Copied')")
    devtools = page.context.new_cdp_session(page)
    options = {
        "expression": "navigator.clipboard.readText()",
        "awaitPromise": True,
        "returnByValue": True,
    }
    assert devtools.send("Runtime.evaluate", options)["result"]["value"] == f"{origin}/mcp"


def test_the_switch_in_the_footer_turns_the_page_spanish_and_back(browse):
    page = browse(java_script_enabled=False)
    page.goto("/connect")

    page.click("button[value=es]")
    spanish = page.text_content("h1")
    page.click("button[value=en]")

    assert spanish == "Conectar un asistente"
    assert page.text_content("h1") == "Connect an assistant"

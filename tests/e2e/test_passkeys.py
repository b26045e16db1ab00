"""Passkeys in a real browser, with the authenticator that its developer tools emulate."""

from urllib.parse import urlsplit

import pytest
from django_otp.oath import totp

from mcp_server.models import Passkey
from mcp_server.services import second_factor
from tests.e2e import axe
from tests.e2e.test_pages import KEY, PASSWORD, browse, check, make_person, origin, owner, sign_in

__all__ = ["browse", "origin", "owner"]
CONTINUE = "main form .button:not([data-passkey])"
pytestmark = [pytest.mark.one_database, pytest.mark.django_db(transaction=True)]


def plug_in(page, **values):
    """Give a page an authenticator of its own; return a function that sends it commands."""
    devtools = page.context.new_cdp_session(page)
    devtools.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
        **values,
    }
    added = devtools.send("WebAuthn.addVirtualAuthenticator", {"options": options})
    return lambda name, **sent: devtools.send(f"WebAuthn.{name}", {**added, **sent})


def add_passkey(page, name="My phone"):
    """Add a first passkey, from the password to the recovery codes."""
    page.goto("/second-factor/passkey")
    page.fill("#id_password", PASSWORD)
    page.click(CONTINUE)
    page.fill("#id_name", name)
    page.click("[data-passkey=create]")
    page.wait_for_selector(".codes")


@pytest.fixture
def member(browse, owner):
    """Return a page of an owner who has just added a first passkey, with its authenticator."""
    page = browse()
    page.command = plug_in(page)
    sign_in(page, owner.email)
    add_passkey(page)
    page.recovery_codes = page.locator(".codes li").all_text_contents()
    return page


def sign_out(page):
    page.goto("/second-factor")
    page.click("nav button")


def test_a_passkey_is_added_and_signs_in_without_a_code(member, owner):
    sign_out(member)
    sign_in(member, owner.email)
    asked = member.url

    member.click("[data-passkey=get]")
    member.wait_for_url("**/account")

    assert len(member.recovery_codes) == 10
    assert "/sign-in/code" in asked
    assert Passkey.objects.get().last_used_at
    assert Passkey.objects.get().sign_count > 0


def test_a_recovery_code_still_signs_in(member, owner):
    sign_out(member)
    sign_in(member, owner.email)

    member.fill("#id_code", member.recovery_codes[0])
    member.click(CONTINUE)

    assert member.url.endswith("/account")


def test_a_second_passkey_is_added_and_the_first_removed(member, owner):
    first = Passkey.objects.get()
    member.command("removeVirtualAuthenticator")
    plug_in(member)
    member.goto("/second-factor/passkey")
    member.fill("#id_password", PASSWORD)
    member.fill("#id_code", member.recovery_codes[0])
    member.click(CONTINUE)
    member.fill("#id_name", "Security key")
    member.click("[data-passkey=create]")
    member.wait_for_selector(".note-success")

    member.click(f"a[href='/second-factor/passkey/{first.pk}/remove']")
    member.fill("#id_password", PASSWORD)
    member.click("[data-passkey=get]")
    member.wait_for_selector("[data-done]:visible")
    member.click(".button-danger")
    member.wait_for_selector(".note-success")

    assert Passkey.objects.get().name == "Security key"


def test_a_passkey_that_confirms_its_own_removal_leaves_its_owner_signed_in(member, owner):
    second_factor.add_app(owner, key=KEY, code=f"{totp(bytes.fromhex(KEY)):06}")
    member.goto(f"/second-factor/passkey/{Passkey.objects.get().pk}/remove")
    member.fill("#id_password", PASSWORD)
    member.click("[data-passkey=get]")
    member.wait_for_selector("[data-done]:visible")
    member.click(".button-danger")
    member.wait_for_selector(".note-success")

    member.goto("/connected-assistants")

    assert "/sign-in/code" not in member.url
    assert not Passkey.objects.exists()


def test_a_removed_passkey_does_not_sign_in(member, owner):
    second_factor.add_app(owner, key=KEY, code=f"{totp(bytes.fromhex(KEY)):06}")
    sign_out(member)
    sign_in(member, owner.email)
    Passkey.objects.get().delete()  # while the page that asks for it is open
    member.click("[data-passkey=get]")
    member.wait_for_selector(".note-fault:visible")

    assert "This passkey did not work." in member.text_content("main")
    member.goto("/connected-assistants")
    assert "/sign-in/code" in member.url


def test_an_answer_that_was_sent_is_not_taken_again(member, owner):
    sign_out(member)
    sign_in(member, owner.email)
    sent = []
    member.on("request", lambda request: sent.append(request.post_data))
    member.click("[data-passkey=get]")
    member.wait_for_url("**/account")
    [form] = [text for text in sent if text and "passkey=" in text]
    answer = next(part for part in form.split("&") if part.startswith("passkey="))
    sign_out(member)
    sign_in(member, owner.email)

    member.evaluate(
        """(encoded) => {
            const field = document.querySelector("[name=passkey]");
            field.value = decodeURIComponent(encoded.replaceAll("+", " "));
            field.form.submit();
        }""",
        answer.removeprefix("passkey="),
    )

    member.wait_for_selector(".note-fault:visible")
    assert "This passkey did not work." in member.text_content("main")


def test_a_wrong_origin_creates_no_passkey(browse, owner, settings):
    settings.BASE_URL = "https://bank.example.com"
    page = browse()
    plug_in(page)
    sign_in(page, owner.email)
    page.goto("/second-factor/passkey")
    page.fill("#id_password", PASSWORD)
    page.click(CONTINUE)

    link = page.get_attribute("main .note a", "href")

    assert link.startswith("https://bank.example.com/second-factor/passkey")
    assert not page.locator("[data-passkey]").count()


def test_another_persons_passkey_does_not_sign_in(member, browse, owner):
    other = make_person("other@example.com")
    page = browse()
    plug_in(page)
    sign_in(page, other.email)
    add_passkey(page)
    sign_out(page)
    sign_in(page, owner.email)

    page.click("[data-passkey=get]")

    page.wait_for_selector("[data-fault]:visible")
    assert "/sign-in/code" in page.url


def test_at_a_numeric_address_the_page_leads_to_localhost(browse, owner, origin, settings):
    settings.BASE_URL = origin.replace("localhost", "127.0.0.1")
    page = browse()
    sign_in(page, owner.email)

    page.goto("/second-factor/passkey")
    page.fill("#id_password", PASSWORD)
    page.click(CONTINUE)

    assert urlsplit(page.url).hostname == "localhost"
    page.wait_for_selector("[data-passkey=create]:visible")  # a script shows it


def test_whoever_cancels_is_told_and_tries_again(browse, owner):
    page = browse()
    command = plug_in(page)
    sign_in(page, owner.email)
    page.goto("/second-factor/passkey")
    page.fill("#id_password", PASSWORD)
    page.click(CONTINUE)
    page.fill("#id_name", "My phone")
    command("setUserVerified", isUserVerified=False)
    page.click("[data-passkey=create]")
    page.wait_for_selector("[data-fault]:visible")

    command("setUserVerified", isUserVerified=True)
    page.click("[data-passkey=create]")

    page.wait_for_selector(".codes")
    assert Passkey.objects.count() == 1


@pytest.mark.parametrize("locale", ["en-US", "es-MX"])
def test_anybody_can_use_the_pages_of_passkeys(member, script, owner, locale):
    member.set_extra_http_headers({"Accept-Language": locale})
    confirm = "/second-factor/confirm?next=/second-factor/passkey"
    remove = f"/second-factor/passkey/{Passkey.objects.get().pk}/remove"
    member.goto(confirm)
    member.fill("#id_password", PASSWORD)
    member.click("[data-passkey=get]")
    member.wait_for_selector("[data-done]:visible")

    faults = axe.findings(member, script)
    member.click(CONTINUE)
    paths = ["/second-factor", "/second-factor/passkey", remove, confirm]
    faults += [fault for path in paths for fault in check(member, path, script)]
    sign_out(member)
    sign_in(member, owner.email)
    faults += check(member, member.url, script)

    assert faults == []

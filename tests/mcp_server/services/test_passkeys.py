"""Passkeys: what is accepted, and what a thief of anything sends in vain."""

import json

import pytest

from mcp_server.models import Passkey
from mcp_server.services import passkeys, second_factor
from tests.authenticators import Authenticator
from tests.factories import NOON

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _site(settings):
    settings.BASE_URL = "https://bank.example.com"


def make_authenticator(**values):
    return Authenticator("https://bank.example.com", host="bank.example.com", **values)


@pytest.fixture
def user(make_user):
    return make_user()


def add(user, authenticator, name="my phone"):
    options, challenge = passkeys.begin_creation(user)
    return passkeys.add(user, authenticator.create(options), challenge=challenge, name=name)


def use(user, authenticator):
    options, challenge = passkeys.begin_check(user)
    return passkeys.check(user, authenticator.get(options), challenge=challenge, at=NOON)


@pytest.fixture
def phone(user):
    """Return the authenticator of the user's passkey."""
    authenticator = make_authenticator()
    add(user, authenticator)
    return authenticator


def test_the_first_passkey_turns_the_second_factor_on_and_comes_with_recovery_codes(user):
    passkey, codes = add(user, make_authenticator())

    assert second_factor.is_on(user)
    assert passkey.name == "my phone"
    assert len(codes) == second_factor.count_recovery_codes(user) == 10


def test_another_passkey_leaves_the_recovery_codes(user, phone):
    _passkey, codes = add(user, make_authenticator(), name="key")

    assert codes == []
    assert second_factor.count_recovery_codes(user) == 10


def test_a_passkey_signs_in_and_is_dated(user, phone):
    passkey = use(user, phone)

    passkey.refresh_from_db()
    assert (passkey.user, passkey.last_used_at, passkey.sign_count) == (user, NOON, 1)


def test_the_options_name_the_site_and_neither_a_birth_date_nor_a_password(user, phone):
    options, _challenge = passkeys.begin_creation(user)
    asked, _challenge = passkeys.begin_check(user)

    assert options["publicKey"]["rp"]["id"] == asked["publicKey"]["rpId"] == "bank.example.com"
    assert options["publicKey"]["authenticatorSelection"]["userVerification"] == "preferred"
    [known] = options["publicKey"]["excludeCredentials"]
    assert asked["publicKey"]["allowCredentials"] == [known]


@pytest.mark.parametrize(
    "origin",
    [
        "https://bank.example.com.evil.example",
        "https://sub.bank.example.com",
        "http://bank.example.com",
        "https://bank.example.com:8443",
    ],
)
def test_answers_from_another_origin_are_refused(user, phone, origin):
    phone.origin = origin
    options, challenge = passkeys.begin_creation(user)
    stranger = Authenticator(origin, host="bank.example.com")

    with pytest.raises(passkeys.PasskeyRefused):
        use(user, phone)
    with pytest.raises(passkeys.PasskeyRefused):
        passkeys.add(user, stranger.create(options), challenge=challenge, name="x")
    assert Passkey.objects.count() == 1


def test_answers_from_a_frame_of_another_site_are_refused(user, phone):
    with pytest.raises(passkeys.PasskeyRefused):
        add(user, make_authenticator(in_frame=True))
    phone.in_frame = True
    with pytest.raises(passkeys.PasskeyRefused):
        use(user, phone)


def test_answers_for_another_site_are_refused(user, phone):
    phone.host = "evil.example"

    with pytest.raises(passkeys.PasskeyRefused):
        use(user, phone)


def test_an_answer_to_another_challenge_is_refused(user, phone):
    options, _challenge = passkeys.begin_check(user)
    answer = phone.get(options)
    _options, later = passkeys.begin_check(user)

    with pytest.raises(passkeys.PasskeyRefused):
        passkeys.check(user, answer, challenge=later, at=NOON)


def test_a_repeated_answer_is_refused_by_its_counter(user, phone):
    options, challenge = passkeys.begin_check(user)
    answer = phone.get(options)
    passkeys.check(user, answer, challenge=challenge, at=NOON)

    with pytest.raises(passkeys.PasskeyRefused):
        passkeys.check(user, answer, challenge=challenge, at=NOON)


def test_a_copied_key_is_refused_once_the_original_has_signed_more(user, phone):
    use(user, phone)
    use(user, phone)
    phone.count = 0

    with pytest.raises(passkeys.PasskeyRefused):
        use(user, phone)
    assert Passkey.objects.get().sign_count == 2


def test_passkeys_that_count_nothing_are_accepted_each_time(user):
    synced = make_authenticator(counts=False)
    add(user, synced)

    assert use(user, synced) == use(user, synced)


def test_another_persons_passkey_is_refused(user, phone, make_user):
    other, theirs = make_user(), make_authenticator()
    add(other, theirs)

    with pytest.raises(passkeys.PasskeyRefused):
        use(user, theirs)


def test_another_persons_credential_id_with_an_own_key_is_refused(user, phone):
    forged = make_authenticator()
    forged.credential_id = phone.credential_id

    with pytest.raises(passkeys.PasskeyRefused):
        use(user, forged)


def test_a_credential_is_added_once_and_to_one_user(user, phone, make_user):
    with pytest.raises(passkeys.PasskeyRefused):
        add(make_user(), phone)

    assert Passkey.objects.get().user == user


def test_a_removed_passkey_is_refused(user, phone):
    add(user, make_authenticator(), name="key")
    second_factor.remove(user, "passkey", Passkey.objects.get(name="my phone").pk)

    with pytest.raises(passkeys.PasskeyRefused):
        use(user, phone)


def test_a_credential_id_beyond_the_standard_is_refused(user):
    with pytest.raises(passkeys.PasskeyRefused):
        add(user, make_authenticator(id_bytes=1024))


@pytest.mark.parametrize("answer", ["", "{", "null", "[]", "{}", '{"id": 1}', '{"response": {}}'])
def test_malformed_answers_are_refused(user, phone, answer):
    _options, creation = passkeys.begin_creation(user)
    _options, check = passkeys.begin_check(user)

    with pytest.raises(passkeys.PasskeyRefused):
        passkeys.add(user, answer, challenge=creation, name="x")
    with pytest.raises(passkeys.PasskeyRefused):
        passkeys.check(user, answer, challenge=check, at=NOON)


def test_a_cut_answer_is_refused_wherever_it_is_cut(user, phone):
    options, challenge = passkeys.begin_check(user)
    whole = json.loads(phone.get(options))
    data = whole["response"]["authenticatorData"]

    for length in range(len(data)):
        cut = {**whole, "response": {**whole["response"], "authenticatorData": data[:length]}}
        with pytest.raises(passkeys.PasskeyRefused):
            passkeys.check(user, json.dumps(cut), challenge=challenge, at=NOON)


def test_a_user_has_twenty_passkeys_at_most(user, monkeypatch):
    monkeypatch.setattr(passkeys, "MAX_PASSKEYS", 1)
    add(user, make_authenticator())

    with pytest.raises(passkeys.TooManyPasskeys):
        add(user, make_authenticator())


def test_without_passkeys_there_is_nothing_to_ask(user):
    assert passkeys.begin_check(user) is None


@pytest.mark.parametrize(
    ("base_url", "origin"),
    [
        ("https://bank.example.com", "https://bank.example.com"),
        ("https://bank.example.com:8443", "https://bank.example.com:8443"),
        ("http://127.0.0.1:8000", "http://localhost:8000"),
        ("http://[::1]:8000", "http://localhost:8000"),
        ("http://localhost", "http://localhost"),
    ],
)
def test_the_origin_is_that_of_base_url_with_a_name(settings, base_url, origin):
    settings.BASE_URL = base_url

    assert passkeys.origin() == origin

"""The second factor: switching on and off, codes, recovery codes."""

from base64 import b32decode
from datetime import timedelta

import pytest
from django.utils import timezone
from django_otp.oath import totp
from django_otp.plugins.otp_static.models import StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice

from mcp_server.services import second_factor
from tests import factories

KEY = "3132333435363738393031323334353637383930"


def code_of(key, steps=0):
    return f"{totp(bytes.fromhex(key), drift=steps):06}"


@pytest.fixture
def user(make_user):
    return make_user()


@pytest.fixture
def codes(user):
    """Return the recovery codes of a user who has just switched it on."""
    return second_factor.add_app(user, key=KEY, code=code_of(KEY))[1]


def test_it_is_off_at_first(user):
    assert not second_factor.is_on(user)


def test_it_is_on_once_a_code_confirms_the_key(user, codes):
    assert second_factor.is_on(user)
    assert second_factor.count_recovery_codes(user) == 10


def test_a_code_with_blanks_is_read(user):
    code = code_of(KEY)

    second_factor.add_app(user, key=KEY, code=f" {code[:3]} {code[3:]} ")

    assert second_factor.is_on(user)


@pytest.mark.parametrize("code", ["000000", "", "abcdef", "１２３４５６", "-1"])  # noqa: RUF001 - digits, if not ours
def test_a_wrong_code_switches_nothing_on(user, code):
    with pytest.raises(second_factor.WrongCode):
        second_factor.add_app(user, key=KEY, code=code)

    assert not TOTPDevice.objects.exists()


def test_it_is_switched_on_once(user, codes):
    with pytest.raises(second_factor.AlreadyOn):
        second_factor.add_app(user, key=second_factor.new_key(), code="000000")

    assert TOTPDevice.objects.get().key == KEY


def test_switched_off_it_leaves_nothing(user, codes):
    second_factor.switch_off(user)

    assert not second_factor.is_on(user)
    assert not StaticToken.objects.exists()


def test_a_code_is_right_once(user, codes):
    code = code_of(KEY, 1)

    device = second_factor.check(user, code)

    assert device.user == user
    with pytest.raises(second_factor.WrongCode):
        second_factor.check(user, code)


def test_a_wrong_code_makes_wait(user, codes):
    with pytest.raises(second_factor.WrongCode):
        second_factor.check(user, "000000")

    with pytest.raises(second_factor.TooManyCodes) as caught:
        second_factor.check(user, code_of(KEY))
    assert timezone.now() < caught.value.until < timezone.now() + timedelta(seconds=2)


def test_each_wrong_code_doubles_the_wait(user, codes):
    TOTPDevice.objects.update(
        throttling_failure_count=6, throttling_failure_timestamp=timezone.now()
    )

    with pytest.raises(second_factor.TooManyCodes) as caught:
        second_factor.check(user, code_of(KEY))
    assert timedelta(seconds=30) < caught.value.until - timezone.now() < timedelta(seconds=33)


def test_the_wait_is_bounded(user, codes):
    long_ago = timezone.now() - timedelta(days=30)
    TOTPDevice.objects.update(throttling_failure_count=20, throttling_failure_timestamp=long_ago)
    with pytest.raises(second_factor.WrongCode):
        second_factor.check(user, "000000")

    with pytest.raises(second_factor.TooManyCodes) as caught:
        second_factor.check(user, code_of(KEY))
    assert caught.value.until - timezone.now() < timedelta(hours=1)


def test_a_recovery_code_is_right_once_however_it_is_typed(user, codes):
    second_factor.check(user, f" {codes[0].upper().replace('-', ' ')}")

    assert second_factor.count_recovery_codes(user) == 9
    with pytest.raises(second_factor.WrongCode):
        second_factor.check(user, codes[0])


def test_recovery_codes_are_not_stored(user, codes):
    stored = set(StaticToken.objects.values_list("token", flat=True))

    assert len(stored) == 10
    assert not stored & {spelled for code in codes for spelled in (code, code.replace("-", ""))}


def test_recovery_codes_outlive_a_change_of_the_secret_key(user, codes, settings):
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "another secret key of the suite, which signs nothing real"

    assert second_factor.check(user, codes[0])


def test_new_recovery_codes_replace_the_old(user, codes):
    fresh = second_factor.replace_recovery_codes(user)

    with pytest.raises(second_factor.WrongCode):
        second_factor.check(user, codes[0])
    assert not set(fresh) & set(codes)
    assert second_factor.count_recovery_codes(user) == 10


def test_whoever_has_none_has_no_right_code(user):
    for code in ("000000", "aaaaa-aaaaa"):
        with pytest.raises(second_factor.WrongCode):
            second_factor.check(user, code)


def test_somebody_elses_code_is_wrong(codes, make_user):
    with pytest.raises(second_factor.WrongCode):
        second_factor.check(make_user(), codes[0])


def test_the_key_is_told_to_apps_as_text_and_as_an_address(user):
    text = second_factor.key_as_text(KEY)
    address = second_factor.key_as_address(user, KEY)

    assert b32decode(text.replace(" ", "")).hex() == KEY
    assert address.startswith("otpauth://totp/")
    assert text.replace(" ", "") in address


def test_one_code_lets_one_of_two_in(in_threads):
    user = factories.make_user()
    TOTPDevice.objects.create(user=user, key=KEY, confirmed=True)
    code = code_of(KEY)

    outcomes = in_threads(lambda _: second_factor.check(user, code), range(2))

    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["TOTPDevice", "WrongCode"]


def test_one_recovery_code_lets_one_of_two_in(in_threads):
    user = factories.make_user()
    codes = second_factor.create_recovery_codes(user)

    outcomes = in_threads(lambda _: second_factor.check(user, codes[0]), range(2))

    refused = [one for one in outcomes if isinstance(one, Exception)]
    assert len(outcomes) - len(refused) == 1
    assert second_factor.count_recovery_codes(user) == len(codes) - 1


def test_codes_are_logged_with_the_user_and_not_what_was_typed(user, codes, caplog):
    caplog.set_level("INFO")

    second_factor.check(user, codes[0])
    with pytest.raises(second_factor.WrongCode):
        second_factor.check(user, "zzzzz-zzzzz")

    said = [record.getMessage() for record in caplog.records]
    assert f"user {user.external_id} gave a code of the recovery codes" in said
    assert f"user {user.external_id} gave a wrong code" in said
    assert codes[0] not in caplog.text
    assert "zzzzz" not in caplog.text

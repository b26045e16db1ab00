"""Authentication: right keys pass in one statement, wrong ones learn nothing."""

from datetime import timedelta

import pytest

from banking.models import RateWindow
from foundation.throttling.rate_limits import RateLimited
from onboarding.models import ApiKey
from onboarding.services.partners import api_keys
from onboarding.services.partners import authentication as auth
from tests.factories import NOON, later

HERE = "192.0.2.7"


@pytest.fixture
def issued(make_api_key):
    return make_api_key(at=NOON)


def pair(issued, *, secret=None):
    return issued.key.access_key, secret or issued.secret


def authenticate(credentials, *, address=HERE, at=NOON):
    return auth.authenticate(*credentials, address=address, at=at)


def test_the_right_secret_is_let_in(issued):
    assert authenticate(pair(issued)) == issued.key


def test_the_check_costs_one_statement(issued, django_assert_num_queries):
    authenticate(pair(issued))

    with django_assert_num_queries(1):
        assert authenticate(pair(issued), at=later(seconds=30)).partner.name


def test_the_last_use_is_kept_to_the_minute(issued):
    for second in (0, 59, 61):
        authenticate(pair(issued), at=later(seconds=second))

    assert ApiKey.objects.get().last_used_at == later(seconds=61)


def test_a_secret_is_known_under_the_pepper_before_and_moves_to_the_new_one(issued, settings):
    old = settings.API_KEY_PEPPER
    settings.API_KEY_PEPPER, settings.API_KEY_PEPPER_FALLBACKS = "new pepper", [old]

    authenticate(pair(issued))

    settings.API_KEY_PEPPER_FALLBACKS = []
    assert authenticate(pair(issued), at=later(minutes=2)) == issued.key
    settings.API_KEY_PEPPER = old
    with pytest.raises(auth.InvalidCredentials):
        authenticate(pair(issued), at=later(minutes=2))


def test_a_program_that_has_the_new_pepper_as_a_fallback_knows_moved_secrets(issued, settings):
    issued.key.secret_digest = api_keys.secret_digest(issued.secret, "new pepper")
    issued.key.save()
    settings.API_KEY_PEPPER_FALLBACKS = ["new pepper"]

    assert authenticate(pair(issued)) == issued.key


def test_a_secret_in_its_grace_is_known_under_the_pepper_before(issued, settings):
    api_keys.rotate_api_key(issued.key, at=NOON)
    old = settings.API_KEY_PEPPER
    settings.API_KEY_PEPPER, settings.API_KEY_PEPPER_FALLBACKS = "new pepper", [old]

    assert authenticate(pair(issued)) == issued.key
    with pytest.raises(auth.InvalidCredentials):
        authenticate(pair(issued), at=later(hours=24))


def test_the_check_costs_one_statement_while_a_pepper_is_replaced(
    issued, settings, django_assert_num_queries
):
    settings.API_KEY_PEPPER_FALLBACKS = [settings.API_KEY_PEPPER]
    settings.API_KEY_PEPPER = "new pepper"
    authenticate(pair(issued))

    with django_assert_num_queries(1):
        authenticate(pair(issued), at=later(seconds=30))


def test_a_wrong_secret_and_an_unknown_key_look_alike(issued):
    with pytest.raises(auth.InvalidCredentials) as wrong:
        authenticate(pair(issued, secret="sk_sb_wrong"))
    with pytest.raises(auth.InvalidCredentials) as unknown:
        authenticate(("ak_sb_unknown", "sk_sb_wrong"))

    assert wrong.value.faults == unknown.value.faults


def test_a_key_of_production_is_another_environments(db):
    with pytest.raises(auth.WrongEnvironment):
        authenticate(("ak_live_1", "sk_live_1"))


@pytest.mark.parametrize(
    ("values", "refusal"),
    [
        ({"revoked_at": NOON}, auth.CredentialsRevoked),
        ({"expires_at": NOON}, auth.CredentialsExpired),
        ({"networks": ["198.51.100.0/24"]}, auth.AddressNotAllowed),
    ],
)
def test_a_key_that_is_out_of_use_says_so_to_its_holder_only(issued, values, refusal):
    ApiKey.objects.update(**values)

    with pytest.raises(refusal):
        authenticate(pair(issued))
    with pytest.raises(auth.InvalidCredentials):
        authenticate(pair(issued, secret="sk_sb_wrong"))


def test_a_suspended_partner_is_refused(issued):
    issued.key.partner.suspended_at = NOON
    issued.key.partner.save()

    with pytest.raises(auth.PartnerSuspended):
        authenticate(pair(issued))


@pytest.mark.parametrize("network", ["192.0.2.0/24", "192.0.2.7/32"])
def test_a_key_may_be_limited_to_networks(issued, network):
    ApiKey.objects.update(networks=[network, "2001:db8::/32"])

    assert authenticate(pair(issued))
    assert authenticate(pair(issued), address="2001:db8::1")


def test_the_networks_of_a_key_are_held_against_the_whole_address(issued):
    ApiKey.objects.update(networks=["2001:db8::7/128"])

    assert authenticate(pair(issued), address="2001:db8::7")
    with pytest.raises(auth.AddressNotAllowed):
        authenticate(pair(issued), address="2001:db8::8")


def test_the_old_secret_works_until_its_grace_ends(issued):
    fresh = api_keys.rotate_api_key(issued.key, at=NOON, grace=timedelta(hours=1))

    assert authenticate(pair(fresh))
    assert authenticate(pair(issued), at=later(minutes=59))
    with pytest.raises(auth.InvalidCredentials):
        authenticate(pair(issued), at=later(minutes=60))


def test_an_address_that_failed_ten_times_is_held(issued, settings):
    settings.RATE_LIMIT_FACTOR = 1
    for _ in range(10):
        with pytest.raises(auth.InvalidCredentials):
            authenticate(("ak_sb_guess", "sk"))

    with pytest.raises(RateLimited):
        authenticate(("ak_sb_guess", "sk"))
    with pytest.raises(RateLimited):
        authenticate(pair(issued))
    assert authenticate(pair(issued), at=later(seconds=61))


def test_nobody_can_lock_a_partner_out_by_its_access_key(issued, settings):
    settings.RATE_LIMIT_FACTOR = 1
    for number in range(10):
        with pytest.raises(auth.InvalidCredentials):
            authenticate(pair(issued, secret="sk_sb_wrong"), address=f"198.51.100.{number}")

    with pytest.raises(RateLimited):
        authenticate(pair(issued, secret="sk_sb_wrong"), address="198.51.100.99")
    assert authenticate(pair(issued))


def test_a_right_call_leaves_no_failure_behind(issued):
    authenticate(pair(issued))

    assert not RateWindow.objects.exists()

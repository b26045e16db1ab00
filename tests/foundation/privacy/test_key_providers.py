import pytest

from foundation.privacy import key_providers
from foundation.privacy.encryption import DecryptionError

KEY = bytes(range(32))
OLD, NEW = f"old:{'1a' * 32}", f"new:{'2b' * 32}"


def test_the_keys_of_the_environment_wrap_for_one_context(settings):
    provider = key_providers.key_provider()

    wrapped = provider.wrap(KEY, context="file media/1")

    assert wrapped.isascii()
    assert KEY.hex() not in wrapped
    assert key_providers.unwrap(wrapped, context="file media/1") == KEY
    with pytest.raises(DecryptionError):
        key_providers.unwrap(wrapped, context="file media/2")


def test_a_key_is_current_under_the_first_key_alone(settings):
    settings.PII_KEYS = OLD
    provider = key_providers.key_provider()
    wrapped = provider.wrap(KEY, context="c")
    assert provider.is_current(wrapped)

    settings.PII_KEYS = f"{NEW},{OLD}"

    assert not provider.is_current(wrapped)
    assert provider.unwrap(wrapped, context="c") == KEY


def test_a_key_of_the_environment_is_not_current_under_a_key_service(kms, settings):
    wrapped = "e1.old.x"

    assert not key_providers.key_provider().is_current(wrapped)
    assert key_providers.key_provider().is_current(
        key_providers.key_provider().wrap(KEY, context="c")
    )

"""Access keys: lookup and output for the management commands."""

from collections.abc import Iterator

from django.core.management.base import CommandError

from onboarding.models import ApiKey, BankKey
from onboarding.models.access_keys import AccessKey
from onboarding.services.partners.api_keys import IssuedKey


def get_api_key(access_key: str) -> AccessKey:
    """Return the key of a partner or of a system of the bank. Raises: CommandError."""
    partners = ApiKey.objects.select_related("partner").filter(access_key=access_key)
    key = partners.first() or BankKey.objects.filter(access_key=access_key).first()
    if key is None:
        raise CommandError("There is no such access key.")
    return key


def introduce(issued: IssuedKey) -> Iterator[str]:
    """Yield the lines that show an access key with its secret."""
    if isinstance(issued.key, ApiKey):
        yield f"partner     {issued.key.partner}"
    else:
        yield f"scopes      {' '.join(issued.key.permissions)}"
    yield f"access key  {issued.key.access_key}"
    yield f"secret key  {issued.secret}"
    yield f"expires     {issued.key.expires_at:%Y-%m-%d %H:%M} UTC"
    yield "Only a hash of the secret is stored: this is the one time that it is shown."

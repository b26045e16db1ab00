"""Access keys: lookup and output for the management commands."""

from collections.abc import Iterator

from django.core.management.base import CommandError

from onboarding.models import ApiKey
from onboarding.services.partners.api_keys import IssuedKey


def get_api_key(access_key: str) -> ApiKey:
    """Return the key. Raises: CommandError."""
    key = ApiKey.objects.select_related("partner").filter(access_key=access_key).first()
    if key is None:
        raise CommandError("There is no such access key.")
    return key


def introduce(issued: IssuedKey) -> Iterator[str]:
    """Yield the lines that show an access key with its secret."""
    yield f"partner     {issued.key.partner}"
    yield f"access key  {issued.key.access_key}"
    yield f"secret key  {issued.secret}"
    yield f"expires     {issued.key.expires_at:%Y-%m-%d %H:%M} UTC"
    yield "Only a hash of the secret is stored: this is the one time that it is shown."

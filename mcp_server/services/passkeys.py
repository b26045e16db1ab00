"""Passkeys: WebAuthn credentials that users give instead of the code of the second factor.

Source: Web Authentication Level 2 (W3C), sections 7.1 and 7.2.
"""

import json
import logging
from collections.abc import Callable
from datetime import datetime
from typing import Any, TypeVar
from urllib.parse import urlsplit

from django.conf import settings
from django.db import IntegrityError, transaction
from fido2.server import Fido2Server
from fido2.utils import websafe_decode, websafe_encode
from fido2.webauthn import (
    AttestedCredentialData,
    AuthenticationResponse,
    CollectedClientData,
    PublicKeyCredentialRpEntity,
    PublicKeyCredentialUserEntity,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from banking.models import User
from foundation.outbound.loopback import is_loopback
from mcp_server.models import Passkey
from mcp_server.services import credential_notices, second_factor

MAX_PASSKEYS = 20  # of one user
DEFAULT_PORTS = {"https": 443, "http": 80}  # which browsers leave out of an origin
MAX_ID_BYTES = 1023  # of a credential id, by the standard
Challenge = dict[str, Any]  # what the library needs to check the answer; a JSON object
Options = dict[str, Any]  # the options of `navigator.credentials`; a JSON object
T = TypeVar("T")
logger = logging.getLogger(__name__)


class PasskeyRefused(Exception):
    """The browser's answer proves no passkey of this user, site and challenge."""


class TooManyPasskeys(Exception):
    """The user has MAX_PASSKEYS."""


def origin() -> str:
    """Return the origin of the pages that use passkeys: that of BASE_URL.

    Browsers refuse passkeys on IP addresses, so a deployment at a loopback address uses
    `localhost` instead.
    """
    base = urlsplit(settings.BASE_URL)
    if not is_loopback(base.hostname):
        port = base.port if base.port != DEFAULT_PORTS.get(base.scheme) else None
        return f"{base.scheme}://{base.hostname}" + (f":{port}" if port else "")
    return f"{base.scheme}://localhost" + (f":{base.port}" if base.port else "")


def list_passkeys(user: User) -> list[Passkey]:
    """Return the passkeys of a user, the oldest first."""
    return list(Passkey.objects.filter(user=user, confirmed=True).order_by("pk"))


def begin_creation(user: User) -> tuple[Options, Challenge]:
    """Return the options of `navigator.credentials.create`, and the challenge for `add`."""
    name = user.get_full_name() or user.email
    entity = PublicKeyCredentialUserEntity(
        id=user.external_id.bytes, name=user.email, display_name=name
    )
    options, challenge = _server().register_begin(
        entity,
        _credentials(list_passkeys(user)),
        resident_key_requirement=ResidentKeyRequirement.PREFERRED,
        user_verification=UserVerificationRequirement.PREFERRED,
    )
    return dict(options), challenge


def add(user: User, answer: str, *, challenge: Challenge, name: str) -> tuple[Passkey, list[str]]:
    """Add a passkey and mail the user; return it, and recovery codes if it is the first factor.

    Otherwise the list of codes is empty; they are shown once. `answer` is the credential that the
    browser created, as JSON.
    Raises: PasskeyRefused, TooManyPasskeys.
    """
    created = _read(answer, lambda sent: _server().register_complete(challenge, sent))
    credential = created.credential_data
    if not credential or len(credential.credential_id) > MAX_ID_BYTES:
        raise PasskeyRefused("the credential id is missing or too long")
    try:
        return _store(user, credential, sign_count=created.counter, name=name)
    except IntegrityError as exc:
        raise PasskeyRefused("the credential is known already") from exc


@transaction.atomic
def _store(
    user: User, credential: AttestedCredentialData, *, sign_count: int, name: str
) -> tuple[Passkey, list[str]]:
    second_factor.lock(user)
    is_first = not second_factor.is_on(user)
    if len(list_passkeys(user)) >= MAX_PASSKEYS:
        raise TooManyPasskeys
    passkey = Passkey.objects.create(
        user=user,
        name=name,
        credential_id=websafe_encode(credential.credential_id),
        credential=bytes(credential),
        sign_count=sign_count,
    )
    logger.info("user %s has a new passkey", user.external_id)
    credential_notices.announce(user, credential_notices.Change.PASSKEY_ADDED)
    return passkey, second_factor.create_recovery_codes(user) if is_first else []


def begin_check(user: User) -> tuple[Options, Challenge] | None:
    """Return the options of `navigator.credentials.get`, and the challenge for `check`.

    Returns None if the user has no passkeys.
    """
    if not (passkeys := list_passkeys(user)):
        return None
    options, challenge = _server().authenticate_begin(
        _credentials(passkeys), user_verification=UserVerificationRequirement.PREFERRED
    )
    return dict(options), challenge


def check(user: User, answer: str, *, challenge: Challenge, at: datetime) -> Passkey:
    """Return the passkey that signed the challenge. `answer` is the browser's, as JSON.

    Raises: PasskeyRefused, also if the counter of the authenticator did not grow.
    """
    known = {passkey.credential_id: passkey for passkey in list_passkeys(user)}

    def verify(sent: Options) -> tuple[Passkey, int]:
        response = AuthenticationResponse.from_dict(sent)
        used = _server().authenticate_complete(challenge, _credentials(known.values()), response)
        passkey = known[websafe_encode(used.credential_id)]
        return passkey, response.response.authenticator_data.counter

    passkey, sign_count = _read(answer, verify)
    if not passkey.record_use(sign_count, at=at):
        logger.warning("the counter of %s did not grow", passkey)
        raise PasskeyRefused("the counter did not grow")
    return passkey


def _server() -> Fido2Server:
    site = PublicKeyCredentialRpEntity(id=urlsplit(origin()).hostname, name=settings.BANK_NAME)
    return Fido2Server(site, verify_origin=lambda sent: sent == origin())


def _credentials(passkeys: Any) -> list[AttestedCredentialData]:
    return [AttestedCredentialData(bytes(passkey.credential)) for passkey in passkeys]


def _read(answer: str, verify: Callable[[Options], T]) -> T:
    """Parse the browser's answer, check it by `verify`, and return the result of `verify`.

    Raises: PasskeyRefused for any fault in the answer.
    """
    try:
        sent = json.loads(answer)
        client = CollectedClientData(websafe_decode(sent["response"]["clientDataJSON"]))
        if client.cross_origin:
            raise PasskeyRefused("the page was in a frame of another site")
        return verify(sent)
    except Exception as exc:  # malformed bytes fail anywhere in the library
        raise PasskeyRefused("the answer does not verify") from exc

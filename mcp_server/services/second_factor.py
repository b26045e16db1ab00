"""The second factor: an authenticator app, passkeys, and ten recovery codes to fall back on."""

import logging
import re
import secrets
from base64 import b32encode
from datetime import datetime

from django.conf import settings
from django.db import transaction
from django.utils.crypto import salted_hmac
from django_otp.models import Device
from django_otp.plugins.otp_static.models import StaticDevice, StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice
from django_otp.util import random_hex

from banking.choices import UserType
from banking.models import User
from banking.services import staff_history
from mcp_server.models import Passkey
from mcp_server.services import credential_notices
from mcp_server.services.credential_notices import Change

MAX_FAILURES = 12  # that are counted: the wait after them is 2,048 seconds
RECOVERY_CODES = 10
ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"  # nothing that reads like something else
APP_CODE = re.compile(r"\d{6}")
FACTORS: dict[str, type[Device]] = {"app": TOTPDevice, "passkey": Passkey}
logger = logging.getLogger(__name__)


class WrongCode(Exception):
    """The code is wrong, has expired, or was used before."""


class TooManyCodes(Exception):
    """Wrong codes were given before: no further code is checked before `until`."""

    def __init__(self, until: datetime) -> None:
        self.until = until
        super().__init__(f"no code is taken before {until}")


class AlreadyOn(Exception):
    """The user has an authenticator app already."""


class LastFactor(Exception):
    """The user must have a second factor, and this is the only one."""


def is_on(user: User) -> bool:
    """Return whether the user signs in with a second factor."""
    apps = TOTPDevice.objects.filter(user=user, confirmed=True).values("pk")
    passkeys = Passkey.objects.filter(user=user, confirmed=True).values("pk")
    return bool(apps.union(passkeys).exists())


def find_app(user: User) -> TOTPDevice | None:
    """Return the user's authenticator app; None if there is none."""
    return TOTPDevice.objects.filter(user=user, confirmed=True).first()


def find(user: User, kind: str, pk: int) -> Device | None:
    """Return a factor of the user; None if there is none. `kind` is a key of FACTORS."""
    return FACTORS[kind].objects.filter(user=user, confirmed=True, pk=pk).first()


def any_factor(user: User) -> Device:
    """Return a factor of a user whose second factor is on."""
    apps = TOTPDevice.objects.filter(user=user, confirmed=True)
    return apps.first() or Passkey.objects.filter(user=user, confirmed=True)[0]


def is_required(user: User) -> bool:
    """Return whether the user must have a second factor to use any page.

    Staff must if STAFF_SECOND_FACTOR is on, accountants if CUSTOMER_SECOND_FACTOR is on.
    """
    is_accountant = user.user_type == UserType.ACCOUNTANT
    return bool(
        (settings.STAFF_SECOND_FACTOR and user.is_staff)
        or (settings.CUSTOMER_SECOND_FACTOR and is_accountant)
    )


def is_last(factor: Device) -> bool:
    """Return whether a user has no factor but this one."""
    counts = (
        model.objects.filter(user=factor.user, confirmed=True).count() for model in FACTORS.values()
    )
    return bool(sum(counts) == 1)


def is_mail_checked(user: User) -> bool:
    """Return whether the first factor needs a code from the user's mailbox.

    Otherwise a thief of the password could enrol. True if STAFF_SECOND_FACTOR is on for a member of
    staff, or CUSTOMER_SECOND_FACTOR for any other user.
    """
    return bool(settings.STAFF_SECOND_FACTOR if user.is_staff else settings.CUSTOMER_SECOND_FACTOR)


def is_missing_for_assistants(user: User) -> bool:
    """Return whether a customer lacks the second factor that assistants require.

    Without it, no assistant is connected and no accountant is invited. Connected assistants are
    told no account numbers in full, and those of accountants may read nothing.
    """
    return bool(settings.CUSTOMER_SECOND_FACTOR and not user.is_staff and not is_on(user))


def new_key() -> str:
    """Return a key to share with an authenticator app, in hexadecimal digits."""
    return str(random_hex(20))


def key_as_text(key: str) -> str:
    """Return a key as people type it into their app: base 32, in groups of four."""
    return " ".join(re.findall(".{4}", b32encode(bytes.fromhex(key)).decode()))


def key_as_address(user: User, key: str) -> str:
    """Return the `otpauth:` address that a QR code hands to an app."""
    return str(TOTPDevice(user=user, key=key).config_url)


def lock(user: User) -> None:
    """Lock the user's row until the transaction ends; for staff, lock the history of staff first.

    With it, two windows cannot both add a first factor.
    """
    staff_history.lock_for(user)
    User.objects.select_for_update(of=("self",)).get(pk=user.pk)


@transaction.atomic
def add_app(user: User, *, key: str, code: str) -> tuple[Device, list[str]]:
    """Add an authenticator app that knows a key, and mail the user.

    Returns the app and, for the first factor of a user, recovery codes to be shown once.
    Raises: WrongCode, AlreadyOn.
    """
    lock(user)
    if find_app(user):
        raise AlreadyOn
    is_first = not is_on(user)
    device = TOTPDevice(user=user, name="authenticator app", key=key, confirmed=True)
    if not device.verify_token(_digits(code)):
        raise WrongCode
    logger.info("the second factor of user %s is on", user.external_id)
    credential_notices.announce(user, Change.APP_ADDED)
    return device, create_recovery_codes(user) if is_first else []


@transaction.atomic
def remove(user: User, kind: str, pk: int) -> None:
    """Remove a factor and mail the user; with the last one, the second factor is off.

    Nothing happens if the factor is gone.
    Raises: LastFactor for the last factor of a user who must have one.
    """
    lock(user)
    if not (factor := find(user, kind, pk)):  # removed in another window
        return
    if is_last(factor):
        if is_required(user):
            raise LastFactor
        switch_off(user)
        return
    factor.delete()
    removed = {"app": Change.APP_REMOVED, "passkey": Change.PASSKEY_REMOVED}[kind]
    credential_notices.announce(user, removed)


@transaction.atomic
def switch_off(user: User) -> None:
    """Delete a user's factors and recovery codes, and mail the user."""
    lock(user)
    delete_all(user)
    credential_notices.announce(user, Change.SWITCHED_OFF)


@transaction.atomic
def delete_all(user: User) -> None:
    """Delete a user's factors and recovery codes; the caller mails the user."""
    for model in (*FACTORS.values(), StaticDevice):
        model.objects.filter(user=user).delete()
    logger.info("the second factor of user %s is off", user.external_id)


@transaction.atomic
def replace_recovery_codes(user: User) -> list[str]:
    """Replace the recovery codes as `create_recovery_codes` does, and mail the user."""
    codes = create_recovery_codes(user)
    credential_notices.announce(user, Change.CODES_REPLACED)
    return codes


@transaction.atomic
def create_recovery_codes(user: User) -> list[str]:
    """Create ten codes in place of any earlier ones, each valid once, and return them."""
    lock(user)
    device, _ = StaticDevice.objects.get_or_create(user=user, name="recovery codes")
    device.token_set.all().delete()
    codes = [_new_code() for _ in range(RECOVERY_CODES)]
    StaticToken.objects.bulk_create(
        StaticToken(device=device, token=_digest(code, settings.SECRET_KEY)) for code in codes
    )
    return codes


def count_recovery_codes(user: User) -> int:
    """Return the number of unused recovery codes."""
    return int(StaticToken.objects.filter(device__user=user).count())


def check(user: User, code: str) -> Device:
    """Return the app or the recovery codes that a code belongs to; no code counts twice.

    Raises: WrongCode, TooManyCodes.
    """
    model = TOTPDevice if APP_CODE.fullmatch(_digits(code)) else StaticDevice
    with transaction.atomic():  # a wrong code is counted, so what refuses it stands outside
        device = model.objects.select_for_update().filter(user=user, confirmed=True).first()
        if device is None:
            raise WrongCode
        is_allowed, reason = device.verify_is_allowed()
        if not is_allowed:
            raise TooManyCodes(reason["locked_until"])
        is_right = device.verify_token(_token(device, code))
        if not is_right:
            _cap_wait(device)
    if not is_right:
        logger.warning("user %s gave a wrong code", user.external_id)
        raise WrongCode
    logger.info("user %s gave a code of the %s", user.external_id, device.name)
    return device


def _cap_wait(device: Device) -> None:
    """Bound the wait after wrong codes, which doubles: others could lock the user out for days."""
    too_many = type(device).objects.filter(pk=device.pk, throttling_failure_count__gt=MAX_FAILURES)
    too_many.update(throttling_failure_count=MAX_FAILURES)


def _token(device: Device, code: str) -> str:
    """Return a code as its device keeps it; recovery codes made under an older key still hold."""
    if isinstance(device, TOTPDevice):
        return _digits(code)
    digests = [_digest(code, key) for key in [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]]
    kept = device.token_set.filter(token__in=digests).first()
    return kept.token if kept else digests[0]


def _digits(code: str) -> str:
    return re.sub(r"[\s-]", "", code)


def _new_code() -> str:
    letters = "".join(secrets.choice(ALPHABET) for _ in range(10))
    return f"{letters[:5]}-{letters[5:]}"


def _digest(code: str, key: str) -> str:
    """Return the stored digest of a recovery code: 80 bits of a keyed hash."""
    plain = _digits(code).lower()
    digest = salted_hmac("recovery code", plain, secret=key, algorithm="sha256").digest()
    return b32encode(digest[:10]).decode()

"""The second factor: a code from somebody's authenticator app, or one of ten to fall back on."""

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

from banking.choices import StaffEventType, UserType
from banking.models import StaffChange, User
from banking.services import staff_accounts, staff_changes

RECOVERY_CODES = 10
ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"  # nothing that reads like something else
APP_CODE = re.compile(r"\d{6}")
logger = logging.getLogger(__name__)


class WrongCode(Exception):
    """The code is not right, not right now, or was used before."""


class TooManyCodes(Exception):
    """Wrong codes came before; the next is looked at from `until` on."""

    def __init__(self, until: datetime) -> None:
        self.until = until
        super().__init__(f"no code is taken before {until}")


class AlreadyOn(Exception):
    """The second factor is on."""


def is_on(user: User) -> bool:
    """Return whether the user signs in with a code."""
    return bool(TOTPDevice.objects.filter(user=user, confirmed=True).exists())


def is_required(user: User) -> bool:
    """Return whether the user must have a second factor to use any page.

    Staff and accountants must, as far as the settings require it.
    """
    is_accountant = user.user_type == UserType.ACCOUNTANT
    return bool(
        (settings.STAFF_SECOND_FACTOR and user.is_staff)
        or (settings.CUSTOMER_SECOND_FACTOR and is_accountant)
    )


def is_missing_for_assistants(user: User) -> bool:
    """Return whether a customer lacks the second factor that assistants require.

    Without it, no assistant is connected, and a connected assistant is told no account numbers in
    full.
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


@transaction.atomic
def switch_on(user: User, *, key: str, code: str) -> tuple[Device, list[str]]:
    """Ask for codes from now on; return the device, and recovery codes to be shown once.

    Raises: WrongCode, AlreadyOn.
    """
    User.objects.select_for_update(of=("self",)).get(pk=user.pk)  # two tabs switch it on once
    if is_on(user):
        raise AlreadyOn
    device = TOTPDevice(user=user, name="authenticator app", key=key, confirmed=True)
    if not device.verify_token(_digits(code)):
        raise WrongCode
    logger.info("the second factor of user %s is on", user.external_id)
    return device, replace_recovery_codes(user)


@transaction.atomic
def switch_off(user: User) -> None:
    """Ask for no codes any more."""
    TOTPDevice.objects.filter(user=user).delete()
    StaticDevice.objects.filter(user=user).delete()
    logger.info("the second factor of user %s is off", user.external_id)


@transaction.atomic
def reset(colleague: User, *, at: datetime) -> None:
    """Reset the second factor of a member of staff for an operator, and record it."""
    staff_accounts.record_command(StaffEventType.FACTOR_RESET, colleague, at=at)
    _reset(colleague, at=at)


def propose_reset(colleague: User, *, by: User, at: datetime) -> StaffChange:
    """Propose to a second administrator to reset a second factor. Raises: AccountTooNew."""
    summary = [f"Reset the two-step verification of {colleague.email}."]
    payload = {"user": colleague.pk}
    return staff_changes.propose(
        RESET, payload=payload, summary=summary, subject=colleague, by=by, at=at
    )


def _basis_of_reset(change: StaffChange) -> list[int]:
    devices = TOTPDevice.objects.filter(user=change.payload["user"])
    return sorted(devices.values_list("pk", flat=True))


def _reset(colleague: User, *, at: datetime) -> None:
    """Delete the second factor of a member of staff, and mail them to enrol again."""
    switch_off(colleague)
    changes = [f"The two-step verification of {colleague.email} was reset."]
    staff_accounts.record_extension(colleague, changes, at=at)


def _carry_out_reset(change: StaffChange) -> None:
    colleague, at = change.subject, change.settled_at
    assert colleague and at  # noqa: S101, PT018 - of each reset that is confirmed
    _reset(colleague, at=at)


RESET = staff_changes.register(
    staff_changes.Kind(
        "SECOND_FACTOR", "Reset of two-step verification", _basis_of_reset, _carry_out_reset
    )
)


@transaction.atomic
def replace_recovery_codes(user: User) -> list[str]:
    """Replace the recovery codes by ten new codes, each valid once; return the new codes."""
    device, _ = StaticDevice.objects.get_or_create(user=user, name="recovery codes")
    device.token_set.all().delete()
    codes = [_new_code() for _ in range(RECOVERY_CODES)]
    StaticToken.objects.bulk_create(
        StaticToken(device=device, token=_digest(code, settings.SECRET_KEY)) for code in codes
    )
    return codes


def count_recovery_codes(user: User) -> int:
    """Return how many recovery codes are left."""
    return int(StaticToken.objects.filter(device__user=user).count())


def check(user: User, code: str) -> Device:
    """Return the device whose code it is; no code is right twice.

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
        logger.warning("user %s gave a wrong code", user.external_id)
        raise WrongCode
    logger.info("user %s gave a code of the %s", user.external_id, device.name)
    return device


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

"""Access codes: six digits, mailed to the lead or an owner, that open a session or sign.

Functions with `owner` are about the codes of that owner; without it, about the applicant's.
"""

import hmac
import secrets
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import F, QuerySet
from django.utils.crypto import salted_hmac

from banking.models import RateWindow
from foundation.throttling import rate_limits
from onboarding.choices import CodePurpose
from onboarding.event_types import MailKind
from onboarding.models import AccessCode, Application, Owner
from onboarding.services.mails import outbox

DIGITS = 6
SANDBOX_CODE = "0" * DIGITS  # the sandbox has no mailbox to look into
HOUR = timedelta(hours=1)


MAILS = {CodePurpose.ENTRY: MailKind.CODE, CodePurpose.SIGNATURE: MailKind.SIGNING_CODE}


class TooManyCodes(Exception):
    """More codes were requested than are allowed per hour."""

    def __init__(self, ends_at: datetime) -> None:
        self.ends_at = ends_at
        super().__init__(f"no further code before {ends_at}")


class CodeRefused(Exception):
    """Base class of the reasons why `check_code` refuses a code."""


class WrongCode(CodeRefused):
    """The code is wrong; `tries_left` tries remain."""

    def __init__(self, tries_left: int) -> None:
        self.tries_left = tries_left
        super().__init__(f"{tries_left} tries left")


class CodeExpired(CodeRefused):
    """No code was sent, or the newest code has expired or was used."""


class NoTriesLeft(CodeRefused):
    """The code was tried too often."""


def send_code(
    application: Application,
    purpose: CodePurpose,
    *,
    owner: Owner | None = None,
    language: str,
    at: datetime,
) -> AccessCode:
    """Queue a mail with a new code to the lead or the owner; older codes for the purpose end.

    Raises: TooManyCodes after CODES_PER_HOUR codes, for both purposes together.
    """
    [asked] = rate_limits.count([_subject(application, owner)], at=at, window=HOUR)
    if asked.count > settings.CODES_PER_HOUR:
        raise TooManyCodes(asked.expires_at)
    code = SANDBOX_CODE if settings.IS_SANDBOX else f"{secrets.randbelow(10**DIGITS):0{DIGITS}}"
    expires_at = at + settings.CODE_LIFETIME
    with transaction.atomic():
        outbox.queue(
            MailKind.OWNER_CODE if owner else MAILS[purpose],
            application=application,
            owner=owner,
            language=language,
            code=code,
            expires_at=expires_at,
            at=at,
        )
        return AccessCode.objects.create(
            application=application,
            owner=owner,
            purpose=purpose,
            digest=_digest(application, owner, code),
            sent_at=at,
            expires_at=expires_at,
        )


def has_code(
    application: Application, purpose: CodePurpose, *, owner: Owner | None = None, at: datetime
) -> bool:
    """Return whether the newest code for the purpose can still be entered."""
    newest = _codes(application, purpose, owner).first()
    if newest is None or newest.used_at or newest.tries >= settings.CODE_TRIES:
        return False
    return newest.expires_at > at


def check_code(
    application: Application,
    purpose: CodePurpose,
    code: str,
    *,
    owner: Owner | None = None,
    at: datetime,
) -> None:
    """Require that `code` equals the newest code for the purpose, and mark the newest as used.

    Counts the try first, against parallel guesses; a caller that rolls back loses the count.
    Raises: WrongCode; CodeExpired, also if no code was sent or it was used; NoTriesLeft.
    """
    newest = _codes(application, purpose, owner).first()
    if newest is None or newest.expires_at <= at or newest.used_at:
        raise CodeExpired
    unused = AccessCode.objects.filter(pk=newest.pk, used_at=None)
    if not unused.filter(tries__lt=settings.CODE_TRIES).update(tries=F("tries") + 1):
        raise NoTriesLeft
    if not hmac.compare_digest(newest.digest, _digest(application, owner, code)):
        newest.refresh_from_db(fields=["tries"])
        raise WrongCode(max(settings.CODE_TRIES - newest.tries, 0))
    if not unused.update(used_at=at):
        raise CodeExpired


def find_refusal(
    application: Application, purpose: CodePurpose, *, owner: Owner | None = None, at: datetime
) -> CodeRefused:
    """Return, without raising it, the reason to show on the page after a refused code.

    CodeExpired if the newest code cannot be used any more, else WrongCode, whose `tries_left` is 0
    if all tries are spent.
    """
    newest = _codes(application, purpose, owner).first()
    if newest is None or newest.expires_at <= at or newest.used_at:
        return CodeExpired()
    return WrongCode(max(settings.CODE_TRIES - newest.tries, 0))


def next_code_at(
    application: Application, *, owner: Owner | None = None, at: datetime
) -> datetime | None:
    """Return when codes can be sent again; None if `send_code` has not refused a request lately.

    Codes for both purposes count.
    """
    subject = _subject(application, owner)
    current = RateWindow.objects.current(at=at, latest=rate_limits.latest_end(at, window=HOUR))
    refused = current.filter(subject=subject, count__gt=settings.CODES_PER_HOUR).first()
    return refused.expires_at if refused else None


def _codes(
    application: Application, purpose: CodePurpose, owner: Owner | None
) -> QuerySet[AccessCode]:
    """Return the codes for a purpose, the newest first; without `owner`, those of the applicant."""
    codes = AccessCode.objects.filter(application=application, owner=owner, purpose=purpose)
    return codes.order_by("-pk")


def _subject(application: Application, owner: Owner | None) -> str:
    return f"codes:{(owner or application).external_id}"


def _digest(application: Application, owner: Owner | None, code: str) -> str:
    message = f"{(owner or application).external_id}:{code}"
    return salted_hmac("vestibule.flow.code", message, algorithm="sha256").hexdigest()

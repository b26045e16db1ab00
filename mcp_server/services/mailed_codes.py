"""Codes mailed to users before they add their first factor.

A thief of the password cannot read the mailbox. Codes are kept in the session as digests.
"""

import secrets
from datetime import datetime, timedelta

from django.utils.crypto import constant_time_compare, salted_hmac

from banking.models import User
from foundation.throttling import rate_limits
from mcp_server.services import mails

LIFETIME = timedelta(minutes=10)
DIGITS = 8
MAILS_PER_HOUR = 5  # to one user
TRIES = 5  # per user, in LIFETIME
HOUR = timedelta(hours=1)
SALT = "mcp_server.mailed_code"


def send(user: User, *, at: datetime) -> str:
    """Mail a code to a user; return its time and digest as a text for the session.

    Raises: RateLimited.
    """
    rate_limits.spend({f"mailed-codes-to:{user.pk}": MAILS_PER_HOUR}, at=at, window=HOUR)
    code = f"{secrets.randbelow(10**DIGITS):0{DIGITS}}"
    minutes = LIFETIME // timedelta(minutes=1)
    context = {"code": f"{code[:4]} {code[4:]}", "minutes": minutes}
    mails.queue("enrolment_code", to=user.email, context=context, at=at)
    return f"{at.timestamp():.0f}:{_digest(user, code)}"


def is_right(user: User, kept: str, code: str, *, at: datetime) -> bool:
    """Return whether a code is the code mailed within LIFETIME; each call counts as a try.

    `kept` is the text that `send` returned. Raises: RateLimited.
    """
    rate_limits.spend({f"mailed-code-tries:{user.pk}": TRIES}, at=at, window=LIFETIME)
    sent_at, _, digest = kept.partition(":")
    is_recent = at.timestamp() - int(sent_at) <= LIFETIME.total_seconds()
    digits = "".join(filter(str.isdecimal, code))
    return is_recent and constant_time_compare(digest, _digest(user, digits))


def _digest(user: User, code: str) -> str:
    return salted_hmac(SALT, f"{user.pk}:{code}", algorithm="sha256").hexdigest()

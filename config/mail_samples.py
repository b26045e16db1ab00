"""Mail samples: each mail to customers, about people and businesses that do not exist."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage

from banking.models import User
from banking.services import new_accountants
from mcp_server.services import mails
from mcp_server.services.credential_notices import Change
from mcp_server.services.reading_notices import Reading

TO = "ada@example.com"
DAY = timedelta(days=1)


@dataclass(frozen=True)
class Sample:
    """A composed mail with the name of its template; it has both languages, one after the other."""

    name: str
    message: EmailMessage
    html = ""
    language = ""

    @property
    def title(self) -> str:
        """Return the name of the mail in words."""
        return self.name.replace("_", " ").capitalize()


def list_samples(*, at: datetime) -> Iterator[Sample]:
    """Yield each mail to customers. Nothing is saved or sent."""
    for name, context in _contexts(at).items():
        yield Sample(name, mails.compose(name, to=TO, context=context))
    yield Sample("accountant_account", new_accountants.compose(User(email=TO)))


def _contexts(at: datetime) -> dict[str, dict[str, Any]]:
    days = settings.INVITATION_LIFETIME.days
    invited = {"is_new": True, "location": f"{settings.BASE_URL}/clients/join/…", "days": days}
    business, firm = {"business_name": "Harbor Coffee LLC"}, {"firm_name": "Oak & Ledger"}
    scheme, _separator, domain = settings.BASE_URL.partition("://")
    return {
        "accountant_invitation": {**invited, **business, "last_day": (at + days * DAY).date()},
        "firm_invitation": {**invited, **firm, "colleague": "Priya Example"},
        "invitation_declined": firm,
        "referral_invitation": {
            "firm": "Oak & Ledger",
            "accountant": "Priya Example",
            "business": "Harbor Coffee LLC",
            "first_name": "Ada",
            "last_name": "Example",
            "url": f"{settings.BASE_URL}/join/…",
            "expires_at": at + 30 * DAY,
        },
        "first_use": {"host": "claude.ai"},
        "unusual_reading": {
            "host": "claude.ai",
            "business": "Harbor Coffee LLC",
            "person": "Priya Example",
            "is_accountant": True,
            "reading": Reading(calls=640, files=85),
            "usual": Reading(calls=20, files=2),
        },
        "credential_changed": {"change": Change.PASSWORD_CHANGED},
        "enrolment_code": {"code": "123456", "minutes": 10},
        "failed_sign_ins": {"failures": 7},
        "password_reset": {"protocol": scheme, "domain": domain, "uid": "…", "token": "…"},
    }

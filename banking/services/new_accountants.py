"""New accountants: proposed by one administrator, confirmed by a second one, and mailed a link."""

from datetime import datetime
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage
from django.template.loader import render_to_string
from django.utils.translation import override

from banking.models import StaffChange, User
from banking.services import accountant_invitations, invitations, staff_changes

TEMPLATE = "banking/mail/accountant_account"


def propose(
    *, email: str, first_name: str, last_name: str, firm_name: str, by: User, at: datetime
) -> StaffChange:
    """Propose a new accountant. Raises: AccountTooNew."""
    payload = {
        "email": email,
        "first_name": first_name,
        "last_name": last_name,
        "firm_name": firm_name,
    }
    summary = [f"New accountant: {first_name} {last_name} <{email}>, {firm_name}."]
    return staff_changes.propose(NEW_ACCOUNTANT, payload=payload, summary=summary, by=by, at=at)


def invite(user: User) -> None:
    """Mail a new accountant the link to choose a password. Raises: OSError."""
    compose(user).send()


def compose(user: User) -> EmailMessage:
    """Return the unsent mail with the link to choose a password, in both languages."""
    context = {
        "bank_name": settings.BANK_NAME,
        "location": invitations.location(user),
        "days": settings.INVITATION_LIFETIME.days,
        "password_reset": f"{settings.BASE_URL}/password-reset",
    }
    subjects, texts = [], []
    for language, _name in settings.LANGUAGES:
        with override(language):
            subjects.append(render_to_string(f"{TEMPLATE}_subject.txt", context).strip())
            texts.append(render_to_string(f"{TEMPLATE}.txt", context).strip())
    text = "\n\n---\n\n".join(texts)
    return EmailMessage(" / ".join(subjects), f"{text}\n", to=[user.email])


def _basis(change: StaffChange) -> Any:
    return User.objects.filter(email=change.payload["email"]).exists()


def _create(change: StaffChange) -> None:
    assert change.settled_at  # noqa: S101 - the service settles a change before it is carried out
    accountant = accountant_invitations.create_accountant(**change.payload, at=change.settled_at)
    change.subject = accountant.user
    change.save(update_fields=["subject"])


NEW_ACCOUNTANT = staff_changes.register(
    staff_changes.Kind("ACCOUNTANT", "New accountant", _basis, _create)
)

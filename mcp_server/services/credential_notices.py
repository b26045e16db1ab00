"""Mails to users whose password or second factor was changed, by themselves or by others."""

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _

from banking.models import User
from mcp_server.services import mails


class Change(TextChoices):
    """A change of a password or a second factor, with its sentence. No mail names a passkey.

    A thief of the password could write to its owner through a name.
    """

    PASSWORD_CHANGED = "PASSWORD_CHANGED", _("Your password was changed.")
    APP_ADDED = "APP_ADDED", _("An authenticator app was set up for two-step verification.")
    APP_REMOVED = "APP_REMOVED", _("An authenticator app was removed.")
    PASSKEY_ADDED = "PASSKEY_ADDED", _("A passkey was added.")
    PASSKEY_REMOVED = "PASSKEY_REMOVED", _("A passkey was removed.")
    CODES_REPLACED = "CODES_REPLACED", _("New recovery codes were created.")
    SWITCHED_OFF = "SWITCHED_OFF", _("Two-step verification was turned off.")
    RESET_PROPOSED = "RESET_PROPOSED", _("We have been asked to reset two-step verification.")
    RESET = "RESET", _("We have reset two-step verification.")


def mail(user: User, change: Change) -> None:
    """Queue a mail about a change to its user."""
    mails.queue("credential_changed", to=user.email, context={"change": change})

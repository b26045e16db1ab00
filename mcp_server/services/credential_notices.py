"""Notices of changes of a password or a second factor: mails, and events about staff."""

from django.conf import settings
from django.db.models import TextChoices
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import override

from banking.models import User
from banking.services import staff_accounts
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


def announce(user: User, change: Change) -> None:
    """Mail a user about a change of their password or factors; of staff, record a staff event, too.

    Call it in the transaction of the change, which locks the history of staff first.
    """
    mails.queue("credential_changed", to=user.email, context={"change": change})
    if user.is_staff:
        with override(settings.LANGUAGE_CODE):
            sentence = str(change.label).replace("Your password", "The password")
        staff_accounts.record_own_change(user, [sentence], at=timezone.now())

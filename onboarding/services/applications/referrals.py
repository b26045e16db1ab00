"""Referrals: accountants invite people, whose applications change the status of the referral.

The accountant reads that status. It changes when the first application is started and when its
account is opened, and for no other status of the application.
"""

from contextlib import suppress
from datetime import datetime

from banking.services import clients
from banking.transitions import InvalidTransition
from onboarding.models import Application


def follow_start(application: Application, *, at: datetime) -> None:
    """Mark the application's referral, if it has one, as registered.

    A referral that was withdrawn or registered before stays as it is.
    """
    if application.referral:
        with suppress(InvalidTransition):  # withdrawn meanwhile, or a further attempt
            clients.register_referral(application.referral, at=at)


def follow_opening(application: Application, *, at: datetime) -> None:
    """Mark the application's referral, if it has one, as complete: the account is open.

    A referral whose status does not allow this stays as it is.
    """
    if application.referral:
        with suppress(InvalidTransition):
            clients.complete_referral(application.referral, at=at)

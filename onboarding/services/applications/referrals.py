"""Referrals: invited people begin applications, and the referral's status follows them.

The accountant who made the referral reads its status: it tells of the first start and of the
account, and of nothing between or instead.
"""

from contextlib import suppress
from datetime import datetime

from banking.services import clients
from banking.transitions import InvalidTransition
from onboarding.models import Application


def follow_start(application: Application, *, at: datetime) -> None:
    """Record at the application's referral, if it has one, that the business registered."""
    if application.referral:
        with suppress(InvalidTransition):  # withdrawn meanwhile, or a further attempt
            clients.register_referral(application.referral, at=at)


def follow_opening(application: Application, *, at: datetime) -> None:
    """Record at the application's referral, if it has one, that the account is open."""
    if application.referral:
        with suppress(InvalidTransition):
            clients.complete_referral(application.referral, at=at)

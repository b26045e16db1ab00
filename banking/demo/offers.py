"""The plans of the demo bank, and the terms that businesses accept."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from banking.choices import SubscriptionStatus
from banking.days import add_months, midnight
from banking.demo.book import Book
from banking.demo.days import Days
from banking.demo.dice import Dice
from banking.demo.lines import Lines
from banking.models import Business, Plan, Subscription, TermsAcceptance, TermsOfService, User

BENEFITS = {
    "CHECKING": "Business checking without a minimum balance",
    "TAX_BUCKET": "A tax bucket that fills itself",
    "INVOICES": "Unlimited invoices with a pay link",
    "SECURED_CARD": "A secured credit card that builds credit",
    "LINE_OF_CREDIT": "A line of credit up to $25,000",
    "ACCOUNTANT": "Access for your accountant",
}
PLANS = {
    "START": ("Start", 0, ["CHECKING", "INVOICES"]),
    "GROW": ("Grow", 1_200, ["CHECKING", "INVOICES", "TAX_BUCKET", "ACCOUNTANT"]),
    "PRO": ("Pro", 2_900, list(BENEFITS)),
}
DEFAULT = "START"
AGREEMENT, ACCESS = "Business Account Agreement", "Accountant Access Terms"
CONSENT = "Electronic Communications Consent"
NEW_SINCE = timedelta(days=10)


def plan_plans(lines: Lines) -> dict[str, Plan]:
    """Add the lines of the bank's plans; return them by code."""
    plans = {}
    for code, (name, price_cents, benefits) in PLANS.items():
        plans[code] = Plan(
            code=code, name=name, price_cents=price_cents, is_default=code == DEFAULT
        )
        parts = [{"code": benefit, "name": BENEFITS[benefit]} for benefit in benefits]
        lines.add("plans", plans[code], benefits=parts)
    return plans


def plan_terms(lines: Lines, days: Days, dice: Dice) -> list[TermsOfService]:
    """Add the lines of all versions of the terms, and return the versions, the newest last.

    No business has accepted the newest version yet.
    """
    old, new = midnight(days.first) - timedelta(days=90), days.end - NEW_SINCE
    published = [
        (AGREEMENT, "3.0", old), (ACCESS, "1.1", old), (CONSENT, "1.4", old), (CONSENT, "2.0", new),
    ]  # fmt: skip
    terms = [_version(title, version, at, dice) for title, version, at in published]
    lines.add("terms", *terms)
    return terms


def subscribe(book: Book, plan: Plan) -> Subscription:
    """Return the planned subscription of a business to its plan at the end of the demo."""
    return Subscription(
        business=book.business,
        plan=plan,
        status=SubscriptionStatus.ACTIVE,
        started_date=book.days.first,
        renewal_date=add_months(book.days.until.replace(day=1), 1),
    )


def acceptances(
    business: Business, user: User, terms: Iterable[TermsOfService], *, without: str = ""
) -> list[TermsAcceptance]:
    """Return the planned acceptances by `user` of all but the last of the terms.

    Terms with the title `without` are not accepted either.
    """
    return [
        TermsAcceptance(
            terms=version,
            business=business,
            accepted_by=user,
            accepted_at=business.created_at + timedelta(hours=13),
        )
        for version in list(terms)[:-1]
        if version.title != without
    ]


def _version(title: str, version: str, at: datetime, dice: Dice) -> TermsOfService:
    slug = title.lower().replace(" ", "-")
    return TermsOfService(
        external_id=dice.uuid(at),
        title=title,
        version=version,
        url=f"https://bank.example.com/terms/{slug}-{version}",
        published_at=at,
    )

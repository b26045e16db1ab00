"""Routing: the rule that fits a case, and the person who gets it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from banking.models import User
from onboarding.business_hours import NEW_YORK
from onboarding.choices import RoutedWork
from onboarding.models import Absence, Application, CustomerCase, RoutingRule, Team
from onboarding.models.customers import OPEN
from onboarding.queries.applications import get_reading_language
from onboarding.queries.reviews import HELD
from onboarding.queries.staff import may_review

MAX_DEPUTIES = 3  # of deputies, one after another


@dataclass(frozen=True)
class Facts:
    """The facts of a case that rules ask for."""

    work: RoutedWork
    partner_id: int | None
    risk: str
    language: str
    business_type: str


@dataclass(frozen=True)
class Route:
    """The first rule that fits, and the person who gets the case; None if nobody is present."""

    rule: RoutingRule
    person: User | None


def read_facts(application: Application, work: RoutedWork) -> Facts:
    """Return the facts of a case; the language takes two statements."""
    lead = application.lead
    language = get_reading_language(application)
    return Facts(work, lead.partner_id, application.risk, language, lead.business_type)


def read_customer_facts(case: CustomerCase, work: RoutedWork) -> Facts:
    """Return the facts of a customer case, with the customer's risk; two statements."""
    customer = case.customer
    language = get_reading_language(customer.application)
    lead = customer.lead
    return Facts(work, lead.partner_id, customer.risk, language, lead.business_type)


def list_rules() -> QuerySet[RoutingRule]:
    """Return the rules in their order."""
    return RoutingRule.objects.select_related("team", "person", "partner").order_by("position")


def find_route(facts: Facts, *, at: datetime) -> Route | None:
    """Return where the rules lead a case; None if no rule fits."""
    rule = next((rule for rule in list_rules() if fits(rule, facts)), None)
    return Route(rule, _pick_person(rule, at)) if rule else None


def fits(rule: RoutingRule, facts: Facts) -> bool:
    """Return whether a rule is about a case with these facts; an empty condition always holds."""
    wanted = [
        (rule.work, facts.work),
        (rule.partner_id, facts.partner_id),
        (rule.risk, facts.risk),
        (rule.language, facts.language),
        (rule.business_type, facts.business_type),
    ]
    return all(not want or want == has for want, has in wanted)


def find_present(user: User, *, at: datetime) -> User | None:
    """Return a user or, while absent, the deputy, or the deputy of an absent deputy.

    None if all are absent, or if the person who is present may not review.
    """
    return _follow(user, read_deputies(at))


def list_deputies(users: Iterable[User], *, at: datetime) -> list[User]:
    """Return the deputies who stand in for the absent ones among `users` today, in New York.

    For an absent deputy, that deputy's own deputy stands in. A person who may not review is left
    out. A person who stands in for several users is in the list several times.
    """
    deputies = read_deputies(at)
    found = (_follow(user, deputies) for user in users if user.pk in deputies)
    return [deputy for deputy in found if deputy]


def _follow(user: User, deputies: Mapping[int, User]) -> User | None:
    """Return the first person in a chain of at most MAX_DEPUTIES deputies who is not absent.

    None if there is no such person, or if that person may not review.
    """
    for _ in range(MAX_DEPUTIES + 1):
        if user.pk not in deputies:
            return user if may_review(user) else None
        user = deputies[user.pk]
    return None


def read_deputies(at: datetime) -> dict[int, User]:
    """Return the deputy of each member of staff who is absent today, by the absent user's key."""
    today = at.astimezone(NEW_YORK).date()
    absences = Absence.objects.filter(first_day__lte=today, last_day__gte=today)
    return {one.user_id: one.deputy for one in absences.select_related("deputy")}


def _pick_person(rule: RoutingRule, at: datetime) -> User | None:
    if rule.person:
        return find_present(rule.person, at=at)
    return _pick_member(rule.team, at) if rule.team else None


def _pick_member(team: Team, at: datetime) -> User | None:
    """Return the member with the fewest cases, those of customers included; None if there is none.

    The member must be present and may review; the deputies of absent members are not asked.
    """
    applications = Application.objects.filter(status__in=HELD, is_current=True)
    cases = CustomerCase.objects.filter(OPEN)
    members = team.members.annotate(held=_count_of(applications) + _count_of(cases))
    absent = read_deputies(at)
    present = (one for one in members.order_by("held", "pk") if one.pk not in absent)
    return next((one for one in present if may_review(one)), None)


def _count_of(assigned: QuerySet[Any]) -> Coalesce:
    """Return an expression for how many rows are assigned to the user of the outer statement."""
    mine = assigned.filter(assignee=OuterRef("pk")).order_by().values("assignee")
    counted = mine.annotate(count=Count("*")).values("count")
    return Coalesce(Subquery(counted), 0, output_field=IntegerField())

"""Plans with their benefits, and the plans that businesses are on."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, ClassVar

from django.db.models import Model
from pydantic import Field, StringConstraints

from banking.choices import SubscriptionStatus
from banking.feed.composite import CompositeKind
from banking.feed.plain import PlainKind
from banking.feed.registry import Work, register
from banking.feed.schemas import BusinessId, Data, Date, Id, Reference
from banking.models import Plan, PlanBenefit, Subscription

PlanId = Annotated[Id, Reference("plans")]
MAX_PRICE_CENTS = 2**31 - 1
RENEWS = "A subscription has a renewalDate unless it is canceled."


class BenefitPart(Data):
    """A benefit of a plan."""

    code: Annotated[str, StringConstraints(min_length=1, max_length=40)]
    name: Annotated[str, StringConstraints(min_length=1, max_length=200)]


class PlanData(Data):
    """A plan of the bank with a monthly price and benefits, to which businesses subscribe."""

    code: Annotated[str, StringConstraints(min_length=1, max_length=20)]
    name: Annotated[str, StringConstraints(min_length=1, max_length=100)]
    price_cents: Annotated[int, Field(ge=0, le=MAX_PRICE_CENTS, description="US cents a month.")]
    is_default: Annotated[
        bool, Field(description="Businesses are on it when their account opens. One plan is.")
    ] = False
    benefits: list[BenefitPart] = []


class SubscriptionData(Data):
    """The subscription of a business to a plan; each business has one."""

    business: BusinessId
    plan: PlanId
    status: SubscriptionStatus
    started_date: Date
    renewal_date: Date | None = None


class PlanKind(CompositeKind[PlanData]):
    """Plans, each with a list of benefits.

    The last good line with `isDefault` makes its plan the only default plan.
    """

    part_models: ClassVar[Mapping[str, type[Model]]] = {"benefits": PlanBenefit}

    def complete(self, works: Sequence[Work[PlanData]], *, at: datetime) -> None:
        defaults = [work.row for work in works if work.row.is_default and not work.faults]
        for row in defaults[:-1]:
            row.is_default = False
        for row in defaults[-1:]:
            Plan.objects.filter(is_default=True).exclude(pk=row.pk).update(is_default=False)


class SubscriptionKind(PlainKind[SubscriptionData]):
    """Subscriptions: a canceled subscription has no renewal date, any other has a renewal date."""

    def complete(self, works: Sequence[Work[SubscriptionData]], *, at: datetime) -> None:
        for work in works:
            is_canceled = work.data.status == SubscriptionStatus.CANCELED
            if is_canceled != (work.data.renewal_date is None):
                work.refuse(RENEWS, "renewalDate")


register(PlanKind("plans", PlanData, Plan, shows=["svc_get_business_plan"], identity=["code"]))
register(
    SubscriptionKind(
        "subscriptions",
        SubscriptionData,
        Subscription,
        shows=["svc_get_business_plan"],
        fixed=["business"],
        identity=["business_id"],
    )
)

"""Plans of the bank, their benefits and their subscribers."""

from collections.abc import Collection
from typing import Any, ClassVar

from django.db import models
from django.db.models import Q

from banking.choices import SubscriptionStatus
from banking.models.businesses import Business
from foundation.database.constraints import check, unique


class Plan(models.Model):
    """A plan that businesses can be on."""

    named_by: ClassVar[tuple[str, ...]] = ("code",)

    code = models.CharField(max_length=20, unique=True)
    name = models.CharField(max_length=100)
    price_cents = models.PositiveIntegerField("price", help_text="US cents per month.")
    is_default = models.BooleanField(
        "default plan",
        default=False,
        db_default=False,
        help_text="A business is on this plan when its account opens.",
    )

    class Meta:
        constraints = [unique("plan_one_default", "is_default", condition=Q(is_default=True))]

    def __str__(self) -> str:
        return self.name

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Save the plan. If it is the default plan, no other plan stays the default."""
        if self.is_default:
            Plan.objects.filter(is_default=True).exclude(pk=self.pk).update(is_default=False)
        super().save(*args, **kwargs)

    def validate_constraints(self, exclude: Collection[str] | None = None) -> None:
        """Check all constraints but that of one default plan: `save` ends the former default."""
        super().validate_constraints({*(exclude or ()), "is_default"})


class PlanBenefit(models.Model):
    """A benefit of a plan."""

    plan = models.ForeignKey(Plan, models.PROTECT, related_name="benefits")
    code = models.CharField(max_length=40)
    name = models.CharField(max_length=200)

    class Meta:
        constraints = [unique("planbenefit_code_unique", "plan", "code")]

    def __str__(self) -> str:
        return self.name


class Subscription(models.Model):
    """The plan that a business is on."""

    named_by: ClassVar[tuple[str, ...]] = ("business__external_id",)

    business = models.OneToOneField(Business, models.PROTECT, related_name="subscription")
    plan = models.ForeignKey(Plan, models.PROTECT, related_name="subscriptions")
    status = models.CharField(max_length=10, choices=SubscriptionStatus)
    started_date = models.DateField()
    renewal_date = models.DateField(null=True, blank=True)

    class Meta:
        constraints = [
            check("subscription_status_known", Q(status__in=SubscriptionStatus.values)),
            check(
                "subscription_renews_unless_canceled",
                Q(status=SubscriptionStatus.CANCELED) ^ Q(renewal_date__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"subscription of {self.business_id}"

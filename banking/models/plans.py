"""Plans of the bank, their benefits and their subscribers."""

from django.db import models
from django.db.models import Q

from banking.choices import SubscriptionStatus
from banking.models.businesses import Business


class Plan(models.Model):
    """A plan that businesses can be on."""

    code = models.CharField(max_length=20, unique=True)
    name = models.CharField(max_length=100)
    price_cents = models.PositiveIntegerField(help_text="US cents per month.")

    def __str__(self) -> str:
        return self.name


class PlanBenefit(models.Model):
    """One thing that comes with a plan."""

    plan = models.ForeignKey(Plan, models.PROTECT, related_name="benefits")
    code = models.CharField(max_length=40)
    name = models.CharField(max_length=200)

    class Meta:
        constraints = [
            models.UniqueConstraint(name="planbenefit_code_unique", fields=["plan", "code"])
        ]

    def __str__(self) -> str:
        return self.name


class Subscription(models.Model):
    """The plan that a business is on."""

    business = models.OneToOneField(Business, models.PROTECT, related_name="subscription")
    plan = models.ForeignKey(Plan, models.PROTECT, related_name="subscriptions")
    status = models.CharField(max_length=10, choices=SubscriptionStatus)
    started_date = models.DateField()
    renewal_date = models.DateField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="subscription_status_known", condition=Q(status__in=SubscriptionStatus.values)
            ),
            models.CheckConstraint(
                name="subscription_renews_unless_canceled",
                condition=Q(status=SubscriptionStatus.CANCELED) ^ Q(renewal_date__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"subscription of {self.business_id}"

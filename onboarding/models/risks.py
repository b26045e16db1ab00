"""Risks: the rules by which the risk of a business is rated."""

from django.db import models
from django.db.models import Q

from foundation.database.constraints import check
from onboarding.choices import RiskFactor


class RiskRule(models.Model):
    """A fact that adds points to the risk of a business. Staff edit the rules.

    `value` is a business type, the first digits of a NAICS code, a country or a check's code; `*`
    is any. A business with a prohibited NAICS code is denied.
    """

    factor = models.CharField(max_length=13, choices=RiskFactor)
    value = models.CharField(max_length=24, help_text="What it applies to; * for any.")
    points = models.PositiveSmallIntegerField(default=0)
    is_prohibited = models.BooleanField(
        default=False, help_text="Businesses with this NAICS code are denied."
    )
    reason = models.CharField(max_length=200, help_text="What staff read beside the rating.")

    class Meta:
        ordering = ["factor", "value"]
        constraints = [
            models.UniqueConstraint(name="riskrule_value_unique", fields=["factor", "value"]),
            check("riskrule_factor_known", Q(factor__in=RiskFactor.values)),
            check(
                "riskrule_prohibits_naics_codes_only",
                Q(is_prohibited=False) | Q(factor=RiskFactor.NAICS.value),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.factor} {self.value}"

"""Reads of the risk rules."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import CharField, Q
from django.db.models.functions import Cast, StrIndex

from foundation.database.compiled_queries import CompiledQuery
from onboarding.choices import RiskFactor
from onboarding.models import RiskRule

ANY = "*"
OF_INDUSTRIES = CompiledQuery(
    lambda: RiskRule.objects.filter(factor=RiskFactor.NAICS).order_by("pk")
)
OF_INDUSTRY = CompiledQuery(
    lambda code: (
        RiskRule.objects.alias(position=StrIndex(Cast(code, CharField()), "value"))
        .filter(Q(position=1) | Q(value=ANY), factor=RiskFactor.NAICS)
        .order_by("pk")
    )
)


@dataclass(frozen=True)
class RiskTable:
    """The risk rules; of several rules that match a value, the most specific rule counts."""

    rules: dict[tuple[str, str], RiskRule]

    def find(self, factor: RiskFactor, value: str) -> RiskRule | None:
        """Return the rule for a value, else the rule for any value (ANY), else None.

        For a NAICS code, it is the rule with most of the first digits of the code.
        """
        is_code = factor is RiskFactor.NAICS
        keys = [value[:size] for size in range(len(value), 0, -1)] if is_code else [value]
        for key in [*keys, ANY]:
            if rule := self.rules.get((factor, key)):
                return rule
        return None

    def prohibits(self, code: str) -> bool:
        """Return whether the bank refuses businesses with the NAICS code."""
        rule = self.find(RiskFactor.NAICS, code)
        return rule is not None and rule.is_prohibited

    def reason_of(self, code: str) -> str:
        """Return the reason of the rule for a NAICS code; empty without a rule."""
        rule = self.find(RiskFactor.NAICS, code)
        return rule.reason if rule else ""

    def may_hide_prohibited(self, code: str) -> bool:
        """Return whether the code is a prefix of a longer, prohibited code."""
        prohibited = (rule.value for rule in self.rules.values() if rule.is_prohibited)
        return any(value != code and value.startswith(code) for value in prohibited)


def get_risk_table(rules: Iterable[RiskRule] | None = None) -> RiskTable:
    """Return the table of the stored rules, or of the given rules."""
    rules = RiskRule.objects.order_by("pk") if rules is None else rules
    return RiskTable({(rule.factor, rule.value): rule for rule in rules})


def get_industry_risks() -> RiskTable:
    """Return the table of the rules for NAICS codes alone."""
    return get_risk_table(OF_INDUSTRIES.all())


def is_prohibited_industry(code: str) -> bool:
    """Return whether the bank refuses businesses with the NAICS code.

    Reads only the rules that match the code, in one statement.
    """
    return get_risk_table(OF_INDUSTRY.all(code=code)).prohibits(code)

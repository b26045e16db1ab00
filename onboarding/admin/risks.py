"""Risk rules: the editable table by which businesses are rated."""

import re

from django import forms
from django.contrib import admin

from banking.admin.proposed_rows import ProposedRowsAdmin
from banking.choices import BusinessType
from foundation.backoffice.cells import figure
from foundation.backoffice.lists import flag_filter
from foundation.backoffice.screens import badge, stack
from onboarding.choices import CheckCode, RiskFactor
from onboarding.country_names import COUNTRY_NAMES
from onboarding.geography import COUNTRIES
from onboarding.models import RiskRule
from onboarding.services import rule_changes
from onboarding.services.checks.risks import MAX_POINTS

ANY = "*"
COUNTRY_CODES = {ANY, *COUNTRIES}
VALUES = {
    RiskFactor.BUSINESS_TYPE: (set(BusinessType.values), "Enter a business type, for example LLC."),
    RiskFactor.COUNTRY: (
        COUNTRY_CODES,
        "Enter the two letters of a country, or * for any other country.",
    ),
    RiskFactor.OWNER_ABROAD: (
        COUNTRY_CODES,
        "Enter the two letters of a country, or * for any other country.",
    ),
    RiskFactor.CHECK: (set(CheckCode.values), "Enter the code of a check, for example SANCTIONS."),
}
NAMES = {RiskFactor.BUSINESS_TYPE: BusinessType, RiskFactor.CHECK: CheckCode}
NAICS = re.compile(r"[0-9]{2,6}")


class RiskRuleForm(forms.ModelForm):
    """Form for one risk rule; accepts only values that a business can have."""

    points = forms.IntegerField(
        min_value=0,
        max_value=MAX_POINTS,
        help_text="A total of 20 points is a medium risk, and 50 points a high risk.",
    )

    class Meta:
        model = RiskRule
        fields = ["factor", "value", "points", "is_prohibited", "reason"]

    def clean_value(self):
        return self.cleaned_data["value"].strip().upper()

    def clean(self):
        cleaned = super().clean()
        factor, value = cleaned.get("factor"), cleaned.get("value")
        if not factor or not value:
            return cleaned
        if factor == RiskFactor.NAICS:
            if not NAICS.fullmatch(value):
                self.add_error("value", "Enter the two to six digits that the codes begin with.")
            return cleaned
        known, hint = VALUES[RiskFactor(factor)]
        if value not in known:
            self.add_error("value", hint)
        if cleaned.get("is_prohibited"):
            self.add_error("is_prohibited", "Only NAICS codes can be prohibited.")
        return cleaned


@admin.register(RiskRule)
class RiskRuleAdmin(ProposedRowsAdmin):
    kind = rule_changes.RISK_RULE
    form = RiskRuleForm
    list_display = ["named_value", "factor", "shown_points", "denied", "reason"]
    list_filter = ["factor", flag_filter("is_prohibited", "prohibited")]
    ordering = ["factor", "value"]
    search_fields = ["value", "reason"]
    list_per_page = 100

    @admin.display(description="value", ordering="value")
    def named_value(self, rule):
        name = name_value(rule)
        return rule.value if name == rule.value else stack(name, rule.value)

    @admin.display(description="points", ordering="points")
    def shown_points(self, rule):
        return figure(rule.points)

    @admin.display(description="", ordering="is_prohibited")
    def denied(self, rule):
        return badge("DENIED", "Denied") if rule.is_prohibited else ""


def name_value(rule):
    """Return the name of a rule's value: of a code its label or country, else the value."""
    if rule.factor in NAMES and rule.value in NAMES[rule.factor].values:
        return str(NAMES[rule.factor](rule.value).label)
    if rule.factor in {RiskFactor.COUNTRY, RiskFactor.OWNER_ABROAD}:
        if rule.value == ANY:
            return "Any other country"
        return COUNTRY_NAMES.name(rule.value) if rule.value in COUNTRIES else rule.value
    return rule.value

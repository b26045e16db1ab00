"""Decision policy: the table of rules, which two administrators change, and its versions."""

from django import forms
from django.contrib import admin

from banking.admin.proposed_rows import ProposedRowsAdmin
from banking.choices import BusinessType
from foundation.backoffice.cells import figure, pairs, timestamp_of
from foundation.backoffice.screens import FactsAdmin, aside, fieldset
from onboarding.choices import LlcFileType, ProposalKind, Risk, ScreeningState
from onboarding.models import DecisionRule, Partner, PolicyVersion
from onboarding.queries.decision_policy import read_rules
from onboarding.queries.decision_words import say_conditions, say_demands
from onboarding.screening import manual
from onboarding.services import policy_changes

LISTED = [(one.value, one.label) for one in (ScreeningState.NONE, ScreeningState.CLEARED)]


def several(choices, **options):
    """Return a form field with a checkbox for each choice; no choice means any value."""
    widget = forms.CheckboxSelectMultiple
    return forms.MultipleChoiceField(choices=choices, required=False, widget=widget, **options)


class DecisionRuleForm(forms.ModelForm):
    """Form for one rule of the decision policy."""

    number = forms.IntegerField(
        min_value=1,
        max_value=32_000,
        help_text="Rules are tried from the lowest number on; the first one applies.",
    )
    decisions = several(ProposalKind, help_text="None chosen: every decision.")
    risks = several(Risk, help_text="None chosen: any risk.")
    business_types = several(BusinessType, help_text="None chosen: any type.")
    screening = forms.ChoiceField(
        label="Screening hits",
        choices=[("", "With or without hits"), *LISTED],
        required=False,
        help_text="Hits that are not cleared block every approval, under any rule.",
    )
    lists = forms.CharField(
        label="Hits of these lists",
        required=False,
        max_length=200,
        help_text="Codes with commas, for example SDN. A cleared hit counts, too. Empty: any.",
    )
    has_failed_check = forms.TypedChoiceField(
        label="A check failed",
        choices=[("", "Yes or no"), ("1", "Yes"), ("0", "No")],
        required=False,
        coerce=lambda value: value == "1",
        empty_value=None,
    )
    partner = forms.ModelChoiceField(
        Partner.objects.order_by("name"), required=False, empty_label="Any partner"
    )
    document_kinds = several(LlcFileType, label="Further documents that are accepted")
    check_codes = several(
        [(code.value, code.label) for code in manual.ITEMS],
        label="Checks that name a document",
        help_text="For the others a note is enough.",
    )
    sampled_percent = forms.IntegerField(
        label="Quality checks, percent",
        min_value=0,
        max_value=100,
        help_text="Of approvals by one person; a draw chooses the cases that are judged again.",
    )
    shortest_reason = forms.IntegerField(label="Letters of the reason", min_value=0, max_value=500)

    class Meta:
        model = DecisionRule
        fields = [
            *("number", "decisions", "risks", "business_types", "screening", "lists"),
            *("has_failed_check", "partner", "decider", "people", "needs_accepted_documents"),
            *("document_kinds", "check_codes", "shortest_reason", "sampled_percent", "reason"),
        ]

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.initial["lists"] = ", ".join(self.instance.lists)
        failed = self.instance.has_failed_check
        self.initial["has_failed_check"] = "" if failed is None else str(int(failed))

    def clean_lists(self):
        codes = [code.strip().upper() for code in self.cleaned_data["lists"].split(",")]
        return [code for code in codes if code]


@admin.register(DecisionRule)
class DecisionRuleAdmin(ProposedRowsAdmin):
    kind = policy_changes.DECISION_RULE
    form = DecisionRuleForm
    list_display = ["rule", "applies_to", "demands", "reason"]
    list_display_links = ["rule"]
    list_select_related = ["partner"]
    ordering = ["number"]
    list_per_page = 100

    def propose(self, row, values, *, by, at):
        """Propose a rule, or its deletion if `values` is None. Raises: StepRefused.

        `row` is None for a new rule. Takes `partner` out of `values`.
        """
        if values is not None:
            partner = values.pop("partner")
            values = {**values, "partner_id": partner and partner.pk}
        policy_changes.propose(row, values, by=by, at=at)

    @admin.display(description="number", ordering="number")
    def rule(self, rule):
        return figure(rule.number)

    @admin.display(description="applies to")
    def applies_to(self, rule):
        return say_conditions(rule)

    @admin.display(description="demands")
    def demands(self, rule):
        return say_demands(rule)


@admin.register(PolicyVersion)
class PolicyVersionAdmin(FactsAdmin):
    """The versions of the decision policy, each with all its rules in words."""

    has_history = False
    list_display = ["version", "since", "size"]
    ordering = ["-number"]
    fieldsets = [
        fieldset("Rules", "in_words"),
        aside("Record", "since", "digest", "change_id", "external_id"),
    ]
    since = timestamp_of("at", "in force since")

    def headline(self, version):
        return f"Decision policy, version {version.number}"

    @admin.display(description="version", ordering="number")
    def version(self, version):
        return figure(version.number)

    @admin.display(description="rules")
    def size(self, version):
        return figure(len(version.rules))

    @admin.display(description="rules")
    def in_words(self, version):
        return pairs(
            (f"{one.number}. {say_conditions(one)}", f"{say_demands(one)} Reason: {one.reason}")
            for one in read_rules(version.rules)
        )

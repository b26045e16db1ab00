"""Document rules: the editable checklist of each business type."""

from django import forms
from django.contrib import admin
from django.contrib.admin.widgets import AdminTextInputWidget
from django.core.validators import RegexValidator

from banking.admin.proposed_rows import ProposedRowsAdmin
from onboarding.choices import LlcFileType
from onboarding.models import DocumentRule
from onboarding.services import rule_changes


class DocumentRuleForm(forms.ModelForm):
    """Form for one document slot; accepts only the document kinds of the API."""

    code = forms.CharField(
        max_length=40,
        widget=AdminTextInputWidget,
        validators=[
            RegexValidator(
                r"^[A-Z][A-Z0-9_]*\Z", "Use capital letters and underscores, for example EIN_PROOF."
            )
        ],
        help_text="The name that partners see, for example EIN_PROOF.",
    )
    accepted_types = forms.MultipleChoiceField(
        choices=LlcFileType,
        widget=forms.CheckboxSelectMultiple,
        help_text="Any one of these documents is enough.",
    )

    class Meta:
        model = DocumentRule
        fields = ["business_type", "code", "accepted_types", "message", "message_es"]


@admin.register(DocumentRule)
class DocumentRuleAdmin(ProposedRowsAdmin):
    kind = rule_changes.DOCUMENT_RULE
    form = DocumentRuleForm
    list_display = ["shown_code", "business_type", "accepted", "message"]
    list_filter = ["business_type"]
    ordering = ["business_type", "pk"]
    search_fields = ["code", "message"]
    list_per_page = 50

    @admin.display(description="code for partners", ordering="code")
    def shown_code(self, rule):
        return rule.code

    @admin.display(description="accepted types")
    def accepted(self, rule):
        return " or ".join(str(LlcFileType(kind).label) for kind in rule.accepted_types)

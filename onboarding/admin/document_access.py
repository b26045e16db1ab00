"""Document access: the form by which staff outside of cases say why they open a document."""

from http import HTTPStatus

from django import forms

from foundation.backoffice.screens import FactsAdmin
from onboarding.choices import OpeningReason
from onboarding.services.documents import case_documents

OPEN = "onboarding.open_document"


class ReasonForm(forms.Form):
    """Form for the reason why a document is opened."""

    reason = forms.ChoiceField(choices=[("", "Choose a reason"), *OpeningReason.choices])
    note = forms.CharField(
        max_length=300,
        widget=forms.TextInput(attrs={"size": 60, "autocomplete": "off"}),
        help_text="What for, without a number: for example the name of the examination.",
    )


class DocumentAccess(FactsAdmin):
    """Mixin that lets staff with the permission open documents.

    Staff who do not work on cases must give a reason.
    """

    def may_open(self, request):
        """Return whether the user may view documents and open their files."""
        return self.has_view_permission(request) and request.user.has_perm(OPEN)

    def read_reason(self, request):
        """Return the form of the reason, bound if sent; None for a user who works on cases."""
        if not case_documents.needs_reason(request.user):
            return None
        return ReasonForm(request.POST if "reason" in request.POST else None)

    def ask_for_reason(self, request, document, form):
        """Return the page that asks why the user opens the document, 422 for a bound form."""
        return self.show_page(
            request,
            "onboarding/document/reason",
            title="Why do you open this document?",
            original=document,
            form=form,
            is_popup=True,  # without the header and the navigation
            sent=[name for name in ("pane", "keep") if name in request.POST],
            status=HTTPStatus.UNPROCESSABLE_ENTITY if form.is_bound else HTTPStatus.OK,
        )

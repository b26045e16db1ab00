"""Quality checks: approvals by one person, judged again by another who cannot see who approved."""

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST

from banking.errors import StepRefused
from foundation.backoffice.cells import timestamp_of
from foundation.backoffice.lists import may_view
from foundation.backoffice.screens import FactsAdmin, badge, link_to
from foundation.backoffice.site import Figure, figures
from onboarding.admin.case_checks import result_badge
from onboarding.admin.case_documents import documents_of
from onboarding.admin.case_people import (
    BUSINESS_NUMBERS,
    answers_of,
    business_facts,
    numbers_of,
    person_card,
    rated_values,
)
from onboarding.admin.events import summary
from onboarding.admin.hidden_decisions import JUDGE, hidden_checks
from onboarding.admin.people import lead_name
from onboarding.admin.staff_names import name_of
from onboarding.choices import QualityVerdict
from onboarding.models import Application, Lead, Owner, QualityCheck
from onboarding.queries.leads import open_lead_file
from onboarding.queries.quality_checks import list_changes_since, list_checks_of, open_checks
from onboarding.services.reviews import quality_checks

JUDGED = "Your judgement was saved. This is how the case was decided."
UNPROCESSABLE, CONFLICT = 422, 409


class JudgeForm(forms.Form):
    """Form for the second judgement: the verdict and its reason."""

    verdict = forms.TypedChoiceField(
        label="What would you have decided?",
        choices=QualityVerdict,
        coerce=QualityVerdict,
        widget=forms.RadioSelect,
        empty_value=None,
    )
    reason = forms.CharField(
        label="Reason",
        max_length=4000,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=f"{quality_checks.SHORTEST_REASON} characters or more. The report shows it.",
    )


class StateFilter(admin.SimpleListFilter):
    """Filter by whether the approval was judged, and how."""

    title, parameter_name = "judgement", "state"

    def lookups(self, request, model_admin):
        return [("open", "To judge"), *QualityVerdict.choices]

    def queryset(self, request, queryset):
        if self.value() == "open":
            return queryset & open_checks(by=request.user)
        known = self.value() in QualityVerdict.values
        return queryset.filter(verdict=self.value()) if known else queryset


@admin.register(QualityCheck)
class QualityCheckAdmin(FactsAdmin):
    """The queue of quality checks, and the page on which a case is judged a second time.

    Before the judgement, neither the queue nor the page shows who approved the case, and how.
    """

    has_history = False
    list_display = ["business", "chosen", "state", "decider", "judge_name", "judged"]
    list_display_links = ["business"]
    list_filter = [StateFilter]
    list_select_related = ["application__lead", "decided_by", "judged_by"]
    ordering = ["-pk"]
    chosen = timestamp_of("decided_at", "chosen")
    judged = timestamp_of("judged_at", "judged")

    @admin.display(description="business")
    def business(self, row):
        return lead_name(row.application.lead)

    @admin.display(description="judgement", ordering="verdict")
    def state(self, row):
        return verdict_badge(row)

    @admin.display(description="approved by")
    def decider(self, row):
        return name_of(row.decided_by) if row.verdict else ""

    @admin.display(description="judged by")
    def judge_name(self, row):
        return name_of(row.judged_by) if row.judged_by else ""

    def get_urls(self):
        return [self.page("judge", may_judge, guard=require_POST), *super().get_urls()]

    def change_view(self, request, object_id, form_url="", extra_context=None):
        row = self.get_object(request, unquote(object_id))
        if row is None:
            raise Http404
        if not self.has_view_permission(request, row) or request.method not in {"GET", "HEAD"}:
            raise PermissionDenied
        return self.show_check(request, row)

    def judge(self, request, row):
        """Save the second judgement, and redirect to the page, which then shows the decision.

        An invalid form (422) or a refused judgement (409) shows the form again.
        """
        form = JudgeForm(request.POST, label_suffix="")
        if not form.is_valid():
            return self.show_check(request, row, form=form, status=UNPROCESSABLE)
        said, now = form.cleaned_data, timezone.now()
        try:
            quality_checks.judge(row, **said, by=request.user, at=now)
        except StepRefused as exc:
            self.message_user(request, str(exc), messages.WARNING)
            fresh = self.get_queryset(request).get(pk=row.pk)
            return self.show_check(request, fresh, form=form, status=CONFLICT)
        self.message_user(request, JUDGED, messages.SUCCESS)
        return redirect("admin:onboarding_qualitycheck_change", row.pk)

    def show_check(self, request, row, *, form=None, status=200):
        """Return the page of the case, with the decision if it was judged a second time.

        Documents and checks are as of the decision. `form` is a refused form.
        """
        application = Application.objects.select_related("lead").get(pk=row.application_id)
        if form is None and may_judge(request) and not row.verdict:
            form = JudgeForm(label_suffix="")
        return self.show_page(
            request,
            "onboarding/qualitycheck/case",
            original=row,
            title="Quality check",
            headline=lead_name(application.lead),
            row=row,
            state=verdict_badge(row),
            is_own=row.decided_by_id == request.user.pk,
            is_known=not row.verdict and not hidden_checks(request).filter(pk=row.pk).exists(),
            form=form,
            address=reverse("admin:onboarding_qualitycheck_judge", args=[row.pk]),
            decision=_decision(row) if row.verdict else None,
            **_case_of(row, application),
            status=status,
        )


@figures("Quality")
def waiting_checks(request):
    """Return the figure of the approvals to be judged again; none for users who may not judge.

    The user's own approvals are not counted.
    """
    if not may_judge(request):
        return []
    url = f"{reverse('admin:onboarding_qualitycheck_changelist')}?state=open"
    return [Figure("Quality checks", open_checks(by=request.user), url)]


def may_judge(request):
    """Return whether the user may judge approvals a second time, and see them."""
    return request.user.has_perm(JUDGE) and may_view(
        request, QualityCheck, Application, Lead, Owner
    )


def verdict_badge(row):
    """Return the second judgement as a badge."""
    if not row.verdict:
        return badge("OPEN_ITEM", "To judge")
    result = "result_pass" if row.verdict == QualityVerdict.AGREE else "result_fail"
    return badge(result, row.get_verdict_display())


def _case_of(row, application):
    """Return the data of the case: documents and checks as of the decision, people as they are."""
    file = open_lead_file(application)
    rated = rated_values(application)
    documents = [one for one in documents_of(file) if one["document"].uploaded_at <= row.decided_at]
    return {
        "application": application,
        "changes": [
            (event.occurred_at, event.get_type_display(), summary(event))
            for event in list_changes_since(row)
        ],
        "business_facts": business_facts(file.lead, rated=rated),
        "business_numbers": numbers_of(file.lead, BUSINESS_NUMBERS),
        "cards": [person_card(person, rated=rated) for person in file.people],
        "answers": answers_of(file.lead),
        "documents": documents,
        "checks": [_check(check, file) for check in list_checks_of(row)],
        "may": {},
        "moves": {},
    }


def _check(check, file):
    named = {str(one.external_id): one for one in file.documents}
    document = named.get(check.details.get("document_id"))
    return {
        "badge": result_badge(check),
        "label": check.get_code_display(),
        "note": check.note,
        "source": check.get_source_display(),
        "document": document and document.file_name,
    }


def _decision(row):
    """Return who approved a judged case, how and by which rule, and who judged it again."""
    details = row.event.details
    return {
        "by": name_of(row.decided_by),
        "at": row.decided_at,
        "what": row.event.get_type_display(),
        "rule": details.get("rule"),
        "version": details.get("policy_version"),
        "judge": name_of(row.judged_by),
        "case": link_to(row.application, "Show the case"),
    }

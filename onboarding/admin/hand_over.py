"""Hand-over of cases: the filter by assignee, and the action that hands several cases over."""

from django import forms
from django.contrib import admin, messages
from django.contrib.admin import helpers
from django.utils import timezone

from banking.errors import StepRefused
from banking.models import User
from foundation.backoffice.lists import key_of
from foundation.backoffice.screens import FactsAdmin
from onboarding.admin.case_forms import StaffField, limit, text_field
from onboarding.admin.people import lead_name
from onboarding.admin.staff_names import name_of
from onboarding.queries.staff import list_reviewers
from onboarding.services.reviews import assignments

NOBODY, ME = "nobody", "me"
MAX_CASES = 500  # handed over at once


class AssigneeFilter(admin.SimpleListFilter):
    """Filter by the member of staff to whom a case is assigned."""

    title, parameter_name = "assigned to", "assignee"

    def lookups(self, request, model_admin):
        staff = [(str(user.pk), name_of(user)) for user in list_reviewers()]
        return [(ME, "Me"), (NOBODY, "Nobody"), *staff]

    def queryset(self, request, queryset):
        value = self.value()
        if value == NOBODY:
            return queryset.filter(assignee=None)
        if value == ME:
            return queryset.filter(assignee=request.user)
        if not (value and value.isdecimal()):
            return queryset
        return self.assigned_to(queryset, key_of(value))

    def assigned_to(self, queryset, pk):
        """Return the cases of the assignee with the key `pk`.

        Cases whose decision is hidden from the reader are left out: they would name the approver.
        `queryset` must have the annotation `is_hidden`.
        """
        return queryset.filter(assignee=pk, is_hidden=False)


class HandOverForm(forms.Form):
    """Form to hand several cases over: the colleague and a note that each case gets."""

    to = StaffField(User.objects.none(), label="To")
    note = text_field("Note", required=False, help_text="For staff and auditors only.")

    def __init__(self, *args, **options):
        super().__init__(*args, label_suffix="", **options)
        limit(self, "to", queryset=list_reviewers())


class BulkHandOver(FactsAdmin):
    """Mixin of a list of cases: hand the selected cases over to a colleague."""

    reassign = staticmethod(assignments.reassign)

    def name_case(self, case):
        """Return the name of a case for messages."""
        return lead_name(case.lead)

    @admin.action(description="Hand over the selected cases", permissions=["review"])
    def hand_over_selected(self, request, applications):
        """Ask for the colleague, then hand the cases over one by one; warn of each refusal.

        Only the first MAX_CASES of the selected cases are handed over.
        """
        form = HandOverForm(request.POST if "to" in request.POST else None)
        chosen = list(applications[:MAX_CASES])
        if not form.is_valid():
            return self.show_page(
                request,
                "onboarding/application/hand_over",
                title="Hand over cases",
                form=form,
                cases=[(case.pk, self.name_case(case)) for case in chosen],
                change_page=f"admin:{self.opts.app_label}_{self.opts.model_name}_change",
                checkbox=helpers.ACTION_CHECKBOX_NAME,
            )
        done = sum(self._hand_over(request, case, form.cleaned_data) for case in chosen)
        if done:
            noun = "case is" if done == 1 else "cases are"
            text = f"{done} {noun} assigned to {name_of(form.cleaned_data['to'])}."
            self.message_user(request, text, messages.SUCCESS)
        return None

    def _hand_over(self, request, case, said):
        try:
            self.reassign(case, **said, by=request.user, at=timezone.now())
        except StepRefused as exc:
            self.message_user(request, f"{self.name_case(case)}: {exc}", messages.WARNING)
            return False
        return True

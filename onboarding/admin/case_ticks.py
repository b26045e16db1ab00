"""Case ticks: one form for all manual checks, each with a result, and a note or a document."""

from dataclasses import dataclass
from typing import Any

from django import forms

from onboarding.admin.case_forms import LONGEST, StepForm
from onboarding.choices import CheckCode, CheckResult, DocumentStatus
from onboarding.queries.checks import list_current_checks
from onboarding.queries.verifications import describe_evidence
from onboarding.screening import manual
from onboarding.services.checks.staff_checks import (
    SAY_WHAT_YOU_FOUND,
    SHORTEST_NOTE,
    Tick,
    says_something,
)

RESULTS = [(CheckResult.PASS, "Pass"), (CheckResult.WARN, "Unclear"), (CheckResult.FAIL, "Fail")]
LINKED = {DocumentStatus.RECEIVED, DocumentStatus.ACCEPTED}
FOUND = "What you found"
NO_EVIDENCE = (
    "Enter what you found, or choose the document that shows it. "
    f"A note has {SHORTEST_NOTE} letters or more."
)


@dataclass(frozen=True)
class TickFields:
    """The fields of one manual check: its answer, note and document."""

    result: Any
    note: Any
    document: Any

    @property
    def errors(self):
        """Return the errors of the three fields."""
        return [*self.result.errors, *self.note.errors, *self.document.errors]


class TicksForm(StepForm):
    """Form for the answers to the manual checks, cleaned to a list of `ticks`.

    The sent values `open` name the unanswered checks on the page. `rest` is the answer to those of
    them that were sent without an answer.
    """

    rest = forms.TypedChoiceField(
        choices=[("", ""), (CheckResult.PASS, "")], required=False, coerce=CheckResult
    )

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        found = self.application.lead.documents.filter(status__in=LINKED).order_by("pk")
        self.documents = {str(one.pk): one for one in found}
        named = [(key, _label(one)) for key, one in self.documents.items()]
        checks = list_current_checks(self.application)
        self.verified = {code for code in manual.ITEMS if describe_evidence(checks, code)}
        for code in manual.ITEMS:
            of = str(code.label)
            self.fields[f"result-{code}"] = forms.TypedChoiceField(
                label=of,
                choices=RESULTS,
                coerce=CheckResult,
                required=False,
                widget=forms.RadioSelect,
                empty_value="",
            )
            is_verified = code in self.verified
            note = forms.TextInput(
                {
                    "placeholder": "As verified" if is_verified else FOUND,
                    "autocomplete": "off",
                    "aria-label": f"Note: {of}",
                }
            )
            self.fields[f"note-{code}"] = forms.CharField(
                max_length=LONGEST, required=False, widget=note
            )
            self.fields[f"document-{code}"] = forms.ChoiceField(
                choices=[("", "No document"), *named],
                required=False,
                widget=forms.Select({"aria-label": f"Document: {of}"}),
            )

    def of(self, code):
        """Return the fields of the manual check with this code."""
        return TickFields(self[f"result-{code}"], self[f"note-{code}"], self[f"document-{code}"])

    def clean(self):
        sent: Any = self.data
        self.asked = sent.getlist("open")
        ticks = [tick for code in manual.ITEMS if (tick := self._tick(code))]
        if not ticks and not self.errors:
            self.add_error(None, "Choose an answer for one of the checks.")
        return {"ticks": ticks}

    def _tick(self, code):
        """Return the answer to the manual check with this code; None without an answer.

        Adds an error and returns None for a note or document without an answer, and for an answer
        that lacks the note or document that it needs.
        """
        said = self.cleaned_data
        note, key = said.get(f"note-{code}", "").strip(), said.get(f"document-{code}")
        is_open = code in self.asked
        result = said.get(f"result-{code}") or (said.get("rest") if is_open else "")
        if not result:
            if note or key:
                self.add_error(f"result-{code}", "Choose an answer, too.")
            return None
        is_shown = key or code in self.verified
        if not says_something(note) and (result != CheckResult.PASS or not is_shown):
            is_pass = result == CheckResult.PASS
            self.add_error(f"note-{code}", NO_EVIDENCE if is_pass else SAY_WHAT_YOU_FOUND)
            return None
        return Tick(CheckCode(code), CheckResult(result), note, self.documents.get(key or ""))


def _label(document):
    kind = document.get_llc_file_type_display() or "Type not given"
    return f"{kind}: {document.file_name or 'no name'}"

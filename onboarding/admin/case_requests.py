"""Case requests: the form by which staff ask for documents of the business and of persons."""

from django import forms

from onboarding.admin.case_forms import LONGEST, StepForm, people_of
from onboarding.choices import LlcFileType
from onboarding.document_reasons import IDENTITY, WANTED_AGAIN, wanted_for

ROWS = range(1, 4)  # documents of one request; a further request adds others


class RequestDocumentsForm(StepForm):
    """Form for document requests: in each row a document, and a standard or a typed reason."""

    intro = (
        "Choose what you need. Documents that are missing from the checklist are requested too, so "
        "you may leave this empty if any is missing."
    )

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.owners = {str(owner.external_id): owner for owner in people_of(self.application.lead)}
        for row in ROWS:
            self.fields[f"what-{row}"] = forms.ChoiceField(
                label=f"Document {row}", choices=self._documents(), required=False
            )
            self.fields[f"standard-{row}"] = forms.ChoiceField(
                label=f"Reason {row}, for the applicant", choices=_reasons(), required=False
            )
            own = forms.TextInput(
                {"placeholder": "Instead, in your own words", "autocomplete": "off"}
            )
            self.fields[f"reason-{row}"] = forms.CharField(
                label=f"Own words {row}", max_length=LONGEST, required=False, widget=own
            )

    def clean(self):
        wanted = [_Wanted(self.cleaned_data, row, self.owners) for row in ROWS]
        for one in wanted:
            if one.has_reason and not one.key:
                self.add_error(f"what-{one.row}", "Choose the document that the reason is about.")
        chosen = [one for one in wanted if one.key]
        if len({one.key for one in chosen}) < len(chosen):
            self.add_error(None, "Choose each document once.")
        return {
            "reasons": {one.kind: one.reason for one in chosen if one.owner is None},
            "of_owners": {(one.kind, one.owner): one.reason for one in chosen if one.owner},
        }

    def _documents(self):
        """Return the choices, grouped by their subject: the business, the applicant, each owner."""
        lead = self.application.lead
        papers = [(kind.value, str(kind.label)) for kind in LlcFileType if kind not in IDENTITY]
        proofs = [(kind.value, str(kind.label)) for kind in LlcFileType if kind in IDENTITY]
        groups = [
            (lead.business_name or "The business", papers),
            (f"{lead.full_name or lead.email} (applicant)", proofs),
        ]
        for key, owner in self.owners.items():
            of_owner = [(f"{kind}:{key}", label) for kind, label in proofs]
            groups.append((owner.full_name or owner.email or "An owner", of_owner))
        return [("", "None"), *groups]


class _Wanted:
    """One row of the form: the kind of document, the reason, and the owner whom the document is of.

    `owner` is None for a document of the business or of the applicant, `kind` for an empty row.
    """

    def __init__(self, said, row, owners):
        self.row, self.key = row, said.get(f"what-{row}", "")
        kind, _colon, owner = self.key.partition(":")
        self.kind = LlcFileType(kind) if kind else None
        self.owner = owners.get(owner)
        given = said.get(f"reason-{row}", "") or said.get(f"standard-{row}", "")
        self.has_reason = bool(given)
        self.reason = given or (wanted_for(self.kind) if self.kind else "")


def _reasons():
    usual = sorted({wanted_for(kind) for kind in LlcFileType})
    return [
        ("", "The usual reason"),
        ("Why we need it", [(text, text) for text in usual]),
        ("Why we need another", [(text, text) for text in WANTED_AGAIN]),
    ]
